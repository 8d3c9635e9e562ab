-- Milliseconds since 1970. Stable, not immutable, so that it is inlined.
create or replace function millis_of(t timestamptz) returns float8 language sql stable as $$
  select (extract(epoch from t) * 1000)::float8
$$;

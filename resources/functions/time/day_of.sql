-- A UTC day as a number: days since 1970.
create or replace function day_of(t timestamptz) returns int language sql immutable as $$
  select floor(extract(epoch from t) / 86400)::int
$$;

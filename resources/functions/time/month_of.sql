-- A UTC month as a number: year * 12 + month.
create or replace function month_of(t timestamptz) returns int language sql immutable as $$
  select extract(year from t at time zone 'utc')::int * 12 + extract(month from t at time zone 'utc')::int
$$;

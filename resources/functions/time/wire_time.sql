-- A time as answers and audit entries write it: UTC, in milliseconds.
create or replace function wire_time(t timestamptz) returns text language sql immutable as $$
  select to_char(t at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

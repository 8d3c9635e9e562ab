-- The status of a request that was refused with a result of begin_code.
create or replace function refused_status(p_code int) returns text language sql immutable as $$
  select case p_code when begin_code('blocked') then 'blocked' when begin_code('failed') then 'failed' end
$$;

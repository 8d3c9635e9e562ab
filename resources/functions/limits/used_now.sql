-- What a limit has used in the current period; a row of an earlier period counts nothing.
create or replace function used_now(p_limit limits, p_month int, p_day int) returns bigint language sql immutable as $$
  select case when p_limit.period = period_of(p_limit.kind, p_month, p_day) then p_limit.used else 0 end
$$;

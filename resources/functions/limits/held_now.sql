-- What open holds take of a limit in the current period.
create or replace function held_now(p_limit limits, p_month int, p_day int) returns bigint language sql immutable as $$
  select case when p_limit.period = period_of(p_limit.kind, p_month, p_day) then p_limit.held else 0 end
$$;

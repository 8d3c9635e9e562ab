-- The period that a limit counts at a time: a UTC month, a UTC day, or 0 for kinds that never reset.
create or replace function period_of(p_kind smallint, p_month int, p_day int) returns int language sql immutable as $$
  select case
    when p_kind in (limit_kind('agent_month'), limit_kind('operation_month'), limit_kind('task_month'), limit_kind('wallet_month')) then
      p_month
    when p_kind = limit_kind('operation_day_count') then p_day
    else 0
  end
$$;

-- The reason code of a request that a limit blocks.
create or replace function limit_reason(p_kind smallint) returns text language sql immutable as $$
  select case p_kind
    when limit_kind('wallet') then 'insufficient_balance'
    when limit_kind('agent_month') then 'agent_budget_exceeded'
    when limit_kind('operation_month') then 'monthly_budget_exceeded'
    when limit_kind('operation_day_count') then 'daily_limit_exceeded'
    else 'task_budget_exceeded'
  end
$$;

-- Ends a delegated task, under the workspace's lock: its commitment is released, and what it used and holds this month counts as the month of
-- the agent that delegated it. Returns whether it was open.
create or replace function end_task(p_org text, p_task text, p_status text, p_result text, p_error text, p_at timestamptz)
  returns boolean language plpgsql as $$
declare
  v_task delegated_tasks;
  v_parent bigint;
begin
  update delegated_tasks as task set
      status = p_status,
      result = p_result,
      error = p_error,
      ended_at = p_at,
      ended_month = month_of(p_at)
    where task.org_id = p_org and task.id = p_task and task.ended_at is null
    returning * into v_task;
  if not found then return false; end if;
  v_parent := release_commitment(p_org, v_task.budget_limit);
  if v_parent is null then raise exception 'task % has no commitment', p_task; end if;
  perform move_month(p_org, v_task.month_limit, v_parent, p_at);
  -- Begins that were decided before are decided again.
  update agents as child set version = child.version + 1 where child.org_id = p_org and child.id = v_task.to_agent_id;
  return true;
end
$$;

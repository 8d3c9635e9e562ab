-- A part of return_time: requests, settlements, transfers, keys, usage, approvals, and holds that are ahead of p_at.
create or replace function return_records(p_org text, p_at timestamptz, p_last timestamptz, p_month int, p_day int)
  returns void language plpgsql as $$
declare
  v_ahead text[];
begin
  select array_agg(q.id) into v_ahead from (
    select request_id id from settlements where org_id = p_org and completed_at > p_at union
    select request_id from holds where org_id = p_org and created_at > p_at union
    select request_id from approvals where org_id = p_org and requested_at > p_at and kind = 'service_request') q;
  update requests set created_at = p_at where org_id = p_org and id = any (v_ahead) and created_at > p_at;
  update settlements set completed_at = p_at where org_id = p_org and completed_at > p_at;
  update movements set created_at = p_at where org_id = p_org and created_at > p_at;
  update idempotency_keys set created_at = p_at, expires_at = p_at + (expires_at - created_at) where org_id = p_org and created_at > p_at;
  insert into usage_days as g (org_id, day, agent_id, service, operation, mode, executed, failed, blocked, cost_cents)
    select org_id, (p_at at time zone 'utc')::date, agent_id, service, operation, mode, sum(executed), sum(failed), sum(blocked), sum(cost_cents)
      from usage_days where org_id = p_org and day > (p_at at time zone 'utc')::date group by 1, 2, 3, 4, 5, 6
    on conflict (org_id, day, agent_id, service, operation, mode) do update set executed = g.executed + excluded.executed,
      failed = g.failed + excluded.failed, blocked = g.blocked + excluded.blocked, cost_cents = g.cost_cents + excluded.cost_cents;
  delete from usage_days where org_id = p_org and day > (p_at at time zone 'utc')::date;

  -- Pending approvals keep the life they were given.
  update approvals set expires_at = p_at + (expires_at - requested_at), requested_at = p_at where org_id = p_org and requested_at > p_at;
  update approvals set decided_at = p_at where org_id = p_org and decided_at > p_at;
  update approval_decisions set created_at = p_at where org_id = p_org and created_at > p_at;

  -- Work that runs on is due as soon as it would have been, or at once.
  update holds set created_at = least(created_at, p_at), month = least(month, p_month), day = least(day, p_day),
      deadline_at = case when created_at > p_at then p_at + (deadline_at - created_at) else deadline_at end,
      due_at = case when due_at > p_at then greatest(p_at, due_at - (p_last - p_at)) else due_at end, leased_until = null
    where org_id = p_org and (created_at > p_at or month > p_month or day > p_day or due_at > p_at or leased_until > p_at);
end
$$;

-- Ends a pending approval without a grant: its request becomes blocked. False when it is no longer pending (or, for `expired`, not yet
-- due). `p_via`: JSON of how the person decided, if not in a session or by a token.
create or replace function close_approval(
  p_org text,
  p_id text,
  p_status text,
  p_reason text,
  p_by text,
  p_comment text,
  p_replaced_by text,
  p_audit text,
  p_audit_request text,
  p_actor_type text,
  p_actor_id text,
  p_actor_name text,
  p_ip text,
  p_via text default null
) returns boolean language plpgsql as $$
declare
  v_at timestamptz := lock_org(p_org);
  v_approval approvals;
begin
  update approvals
    set status = p_status,
      decided_at = v_at,
      decided_by = p_by,
      comment = p_comment,
      replaced_by = p_replaced_by
    where id = p_id
      and org_id = p_org
      and status = 'pending'
      and case when p_status = 'expired' then expires_at <= v_at else expires_at > v_at or p_status = 'cancelled' end
    returning * into v_approval;
  if v_approval.id is null then
    return false;
  end if;
  if p_by is not null and p_status = 'rejected' then
    insert into approval_decisions (org_id, approval_id, user_id, decision, comment, created_at)
      values (p_org, p_id, p_by, 'reject', p_comment, v_at)
      on conflict (approval_id, user_id) do update
        set decision = 'reject',
          comment = excluded.comment,
          created_at = excluded.created_at;
  end if;
  insert into settlements (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, reason_code,
      completed_at)
    values (p_org, v_approval.request_id, v_approval.agent_id, v_approval.mode, v_approval.service, v_approval.operation, 'blocked',
      v_approval.cost_cents, 0, p_reason, v_at);
  insert into usage_days as g (org_id, day, agent_id, service, operation, mode, blocked)
    values (p_org, (v_at at time zone 'utc')::date, v_approval.agent_id, v_approval.service, v_approval.operation, v_approval.mode, 1)
    on conflict (org_id, day, agent_id, service, operation, mode) do update set blocked = g.blocked + 1;
  perform append_audit(p_org, p_audit, 'approval.' || p_status, p_actor_type, p_actor_id, p_actor_name, 'approval', p_id,
    v_approval.agent_id, p_status, p_reason, v_approval.cost_cents, p_ip,
    json_strip_nulls(json_build_object(
      'service_request_id', v_approval.request_id,
      'service', v_approval.service,
      'operation', v_approval.operation,
      'mode', v_approval.mode,
      'via', p_via::json
    ))::text);
  perform append_audit(p_org, p_audit_request, 'service_request.blocked', p_actor_type, p_actor_id, p_actor_name, 'service_request',
    v_approval.request_id, v_approval.agent_id, 'blocked', p_reason, null, p_ip,
    json_build_object(
      'service', v_approval.service,
      'operation', v_approval.operation,
      'mode', v_approval.mode,
      'approval_id', p_id
    )::text);
  return true;
end
$$;

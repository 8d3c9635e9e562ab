-- Ends a pending approval without a grant: its request becomes blocked. False when it is not pending any more (or, for `expired`, not yet due).
create function close_approval(p_org text, p_id text, p_status text, p_reason text, p_by text, p_comment text, p_replaced_by text,
  p_audit text, p_audit_request text, p_actor_type text, p_actor_id text, p_actor_name text, p_ip text) returns boolean language plpgsql as $$
declare v_at timestamptz := lock_org(p_org); v approvals;
begin
  update approvals set status = p_status, decided_at = v_at, decided_by = p_by, comment = p_comment, replaced_by = p_replaced_by
    where id = p_id and org_id = p_org and status = 'pending' and case when p_status = 'expired' then expires_at <= v_at else expires_at > v_at or p_status = 'cancelled' end
    returning * into v;
  if v.id is null then return false; end if;
  if p_by is not null and p_status = 'rejected' then
    insert into approval_decisions (org_id, approval_id, user_id, decision, comment, created_at) values (p_org, p_id, p_by, 'reject', p_comment, v_at)
      on conflict (approval_id, user_id) do update set decision = 'reject', comment = excluded.comment, created_at = excluded.created_at;
  end if;
  insert into settlements (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, reason_code, completed_at)
    values (p_org, v.request_id, v.agent_id, v.mode, v.service, v.operation, 'blocked', v.cost_cents, 0, p_reason, v_at);
  insert into usage_days as g (org_id, day, agent_id, service, operation, mode, blocked)
    values (p_org, (v_at at time zone 'utc')::date, v.agent_id, v.service, v.operation, v.mode, 1)
    on conflict (org_id, day, agent_id, service, operation, mode) do update set blocked = g.blocked + 1;
  perform append_audit(p_org, p_audit, 'approval.' || p_status, p_actor_type, p_actor_id, p_actor_name, 'approval', p_id, v.agent_id, p_status, p_reason, v.cost_cents, p_ip,
    json_build_object('service_request_id', v.request_id, 'service', v.service, 'operation', v.operation, 'mode', v.mode)::text);
  perform append_audit(p_org, p_audit_request, 'service_request.blocked', p_actor_type, p_actor_id, p_actor_name, 'service_request', v.request_id, v.agent_id, 'blocked', p_reason, null, p_ip,
    json_build_object('service', v.service, 'operation', v.operation, 'mode', v.mode, 'approval_id', p_id)::text);
  return true;
end
$$;

-- One voice that is not the last one wanted. Answers how many voices there are, or null when the approval is not pending; the caller asks
-- whether it would be the last before, under the same lock.
create function add_voice(p_org text, p_id text, p_user text, p_comment text) returns text language plpgsql as $$
declare v_at timestamptz := lock_org(p_org); v approvals; v_count int;
begin
  select * into v from approvals where id = p_id and org_id = p_org for update;
  if v.id is null or v.status <> 'pending' or v.expires_at <= v_at then return 'not_pending'; end if;
  select count(*) into v_count from approval_decisions where approval_id = p_id and decision = 'approve' and user_id <> p_user;
  if v_count + 1 >= v.required_approvals then return 'last'; end if;
  insert into approval_decisions (org_id, approval_id, user_id, decision, comment, created_at) values (p_org, p_id, p_user, 'approve', p_comment, v_at)
    on conflict (approval_id, user_id) do nothing;
  if not found then return 'repeated'; end if;
  return 'added';
end
$$;

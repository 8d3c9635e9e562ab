-- Appends one entry to a workspace's chain; the caller's transaction holds its lock from here on.
create or replace function append_audit(
  p_org text,
  p_id text,
  p_action text,
  p_actor_type text,
  p_actor_id text,
  p_actor_name text,
  p_subject_type text,
  p_subject_id text,
  p_agent text,
  p_outcome text,
  p_reason text,
  p_cost bigint,
  p_ip text,
  p_data text
) returns bigint language plpgsql as $$
declare
  v_at timestamptz := lock_org(p_org);
  v_seq bigint;
  v_previous_hash bytea;
  v_hash bytea;
begin
  select workspace.seq + 1, workspace.head
    into v_seq, v_previous_hash
    from org_heads as workspace
    where workspace.org_id = p_org;
  v_hash := sha256(v_previous_hash || audit_leaf(
    v_seq,
    wire_time(v_at),
    p_id,
    p_action,
    p_actor_type,
    p_actor_id,
    p_actor_name,
    p_subject_type,
    p_subject_id,
    p_agent,
    p_outcome,
    p_reason,
    p_cost,
    p_ip,
    p_data
  ));
  insert into audit (
      org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents, ip,
      data, created_at, prev_hash, hash
    )
    values (
      p_org, v_seq, p_id, p_action, p_actor_type, p_actor_id, p_actor_name, p_subject_type, p_subject_id, p_agent, p_outcome, p_reason,
      p_cost, p_ip, p_data, v_at, v_previous_hash, v_hash
    );
  update org_heads set seq = v_seq, head = v_hash where org_id = p_org;
  return v_seq;
end
$$;

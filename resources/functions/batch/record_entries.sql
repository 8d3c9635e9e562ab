-- Appends a batch's entries to the audit chains of its workspaces, in the given order, and stores the end of each chain with the time.
create or replace function record_entries(p_workspaces locked_workspace[], p_entries audit_entry[]) returns void language plpgsql as $$
declare
  -- The end of each workspace's chain, and its time.
  v_seqs bigint[];
  v_heads bytea[];
  v_times text[];
  -- Of each entry.
  v_entry record;
  v_entry_seqs bigint[];
  v_previous_hashes bytea[];
  v_hashes bytea[];
begin
  select array_agg(workspace.seq), array_agg(workspace.head), array_agg(wire_time(workspace.at))
    into v_seqs, v_heads, v_times
    from unnest(p_workspaces) as workspace;
  for v_entry in
    select entry.*
      from unnest(p_entries) with ordinality as entry(
        workspace, audit_id, action, actor, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents, ip, data, n
      )
  loop
    v_seqs[v_entry.workspace] := v_seqs[v_entry.workspace] + 1;
    v_entry_seqs[v_entry.n] := v_seqs[v_entry.workspace];
    v_previous_hashes[v_entry.n] := v_heads[v_entry.workspace];
    v_heads[v_entry.workspace] := sha256(v_heads[v_entry.workspace] || audit_leaf(
      v_seqs[v_entry.workspace],
      v_times[v_entry.workspace],
      v_entry.audit_id,
      v_entry.action,
      actor_type(v_entry.actor),
      actor_id(v_entry.actor),
      actor_name(v_entry.actor),
      v_entry.subject_type,
      v_entry.subject_id,
      v_entry.agent_id,
      v_entry.outcome,
      v_entry.reason_code,
      v_entry.cost_cents,
      v_entry.ip,
      v_entry.data
    ));
    v_hashes[v_entry.n] := v_heads[v_entry.workspace];
  end loop;

  insert into audit (
      org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents, ip,
      data, created_at, prev_hash, hash
    )
    select
        workspace.org_id,
        v_entry_seqs[entry.n],
        entry.audit_id,
        entry.action,
        actor_type(entry.actor),
        actor_id(entry.actor),
        actor_name(entry.actor),
        entry.subject_type,
        entry.subject_id,
        entry.agent_id,
        entry.outcome,
        entry.reason_code,
        entry.cost_cents,
        entry.ip,
        entry.data,
        workspace.at,
        v_previous_hashes[entry.n],
        v_hashes[entry.n]
      from unnest(p_entries) with ordinality as entry(
          workspace, audit_id, action, actor, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents, ip, data, n
        )
        join unnest(p_workspaces) with ordinality as workspace(org_id, at, month, day, rules_version, seq, head, place)
          on workspace.place = entry.workspace;

  update org_heads as head set
      last_at = workspace.at,
      seq = v_seqs[workspace.place],
      head = v_heads[workspace.place]
    from unnest(p_workspaces) with ordinality as workspace(org_id, at, month, day, rules_version, seq, head, place)
    where head.org_id = workspace.org_id;
end
$$;

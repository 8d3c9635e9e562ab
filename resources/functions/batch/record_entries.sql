-- Appends a batch's entries to the audit chains of its workspaces, in the given order, and stores the end of each chain with the time.
create or replace function record_entries(p_workspaces locked_workspace[], p_entries audit_entry[]) returns void language plpgsql as $$
begin
  if p_entries = '{}' then
    update org_heads as head set last_at = workspace.at
      from unnest(p_workspaces) as workspace
      where head.org_id = workspace.org_id;
    return;
  end if;
  with
    workspace as materialized (
      select locked.*, wire_time(locked.at) as wire_time
        from unnest(p_workspaces) with ordinality as locked(org_id, at, month, day, rules_version, seq, head, place)
    ),
    numbered as (
      select
          workspace.org_id,
          workspace.at,
          workspace.wire_time,
          workspace.head,
          entry.*,
          workspace.seq + row_number() over in_order as seq
        from unnest(p_entries) with ordinality as entry(
            workspace, audit_id, action, actor, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents, ip, data, n
          )
          join workspace on workspace.place = entry.workspace
        window in_order as (partition by entry.workspace order by entry.n)
    ),
    chained as (
      select
          numbered.*,
          audit_chain(
            numbered.head,
            audit_leaf(
              numbered.seq,
              numbered.wire_time,
              numbered.audit_id,
              numbered.action,
              actor_type(numbered.actor),
              actor_id(numbered.actor),
              actor_name(numbered.actor),
              numbered.subject_type,
              numbered.subject_id,
              numbered.agent_id,
              numbered.outcome,
              numbered.reason_code,
              numbered.cost_cents,
              numbered.ip,
              numbered.data
            )
          ) over in_order as hash
        from numbered
        window in_order as (partition by numbered.workspace order by numbered.n)
    ),
    recorded as (
      insert into audit (
          org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents,
          ip, data, created_at, prev_hash, hash
        )
        select
            chained.org_id,
            chained.seq,
            chained.audit_id,
            chained.action,
            actor_type(chained.actor),
            actor_id(chained.actor),
            actor_name(chained.actor),
            chained.subject_type,
            chained.subject_id,
            chained.agent_id,
            chained.outcome,
            chained.reason_code,
            chained.cost_cents,
            chained.ip,
            chained.data,
            chained.at,
            coalesce(lag(chained.hash) over in_order, chained.head),
            chained.hash
          from chained
          window in_order as (partition by chained.workspace order by chained.n)
    ),
    ends as (
      select distinct on (chained.workspace) chained.workspace, chained.seq, chained.hash
        from chained
        order by chained.workspace, chained.n desc
    )
  update org_heads as head set
      last_at = workspace.at,
      seq = coalesce(ends.seq, workspace.seq),
      head = coalesce(ends.hash, workspace.head)
    from workspace
      left join ends on ends.workspace = workspace.place
    where head.org_id = workspace.org_id;
end
$$;

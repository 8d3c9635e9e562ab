-- Saves the next states of runs. p_saves: JSON of the runs, their changed steps, their replaced attempts, and their audit entries; long texts
-- stand in p_texts, and the JSON has their places. A run whose epoch is not the given one is not saved, and is absent from the result. Audit
-- entries need the locks of their workspaces. Without p_wait they are taken first, and a run whose workspace another transaction has locked has
-- owner -1. With p_wait they are taken last, so that the ticks of the workspace wait for the entries only; so a change of run_work under the
-- lock of a workspace takes the lock of the row before. A save that was sent before is recognized by its revision, and writes nothing.
create or replace function save_runs(p_saves json, p_texts text[], p_wait boolean)
  returns table (saved_run_id text, saved_owner int, saved_flags int, saved_at float8)
  language plpgsql set plan_cache_mode to 'force_generic_plan' set enable_seqscan to 'off' set enable_hashjoin to 'off'
  set enable_mergejoin to 'off' as $$
declare
  v_runs json;
  v_steps json;
  v_past json;
  v_entries json;
  v_has_entries boolean;
  v_workspaces locked_workspace[];
  v_locked text[];
  v_ids text[];
  v_owners int[];
  v_flags int[];
  v_at float8;
begin
  select batch.runs, batch.steps, batch.past, batch.entries
    into v_runs, v_steps, v_past, v_entries
    from json_to_record(p_saves) as batch(runs json, steps json, past json, entries json);
  v_has_entries := json_array_length(v_entries) > 0;
  if v_has_entries and not p_wait then
    v_workspaces := lock_workspaces(array(select entry.org_id from json_to_recordset(v_entries) as entry(org_id text)), false);
    v_locked := array(select locked.org_id from unnest(v_workspaces) as locked);
  end if;
  with
    save as materialized (
      select save.*
        from json_to_recordset(v_runs) as save(
          run_id text, org_id text, epoch bigint, rev int, seen int, release boolean, done boolean, due_at float8, waits json, status text,
          ending text, cost_cents bigint, output int, error int, late int, deadline_at float8, ended_at float8
        )
        where v_locked is null
          or save.org_id = any (v_locked)
    ),
    kept as (
      update run_work as work set
          owner = case when save.release and (work.flags & ~save.seen) = 0 then 0 else work.owner end,
          flags = work.flags & ~save.seen,
          rev = save.rev,
          due_at = to_timestamp(save.due_at / 1000),
          waits = array(select json_array_elements_text(save.waits))
        from save
        where not save.done
          and work.run_id = save.run_id
          and work.epoch = save.epoch
          and work.rev = save.rev - 1
        returning save.*, work.owner as saved_owner, work.flags as saved_flags
    ),
    ended as (
      delete from run_work as work
        using save
        where save.done
          and work.run_id = save.run_id
          and work.epoch = save.epoch
          and work.rev = save.rev - 1
        returning
          save.*,
          case when save.release and (work.flags & ~save.seen) = 0 then 0 else work.owner end,
          work.flags & ~save.seen
    ),
    saved as (
      select * from kept
      union all
      select * from ended
    ),
    changed as (
      update runs as run set
          status = saved.status,
          ending = saved.ending,
          rev = saved.rev,
          cost_cents = saved.cost_cents,
          output = p_texts[saved.output],
          error = p_texts[saved.error],
          late = p_texts[saved.late],
          deadline_at = to_timestamp(saved.deadline_at / 1000),
          ended_at = to_timestamp(saved.ended_at / 1000)
        from saved
        where run.id = saved.run_id
    )
  select array_agg(saved.run_id), array_agg(saved.saved_owner), array_agg(saved.saved_flags)
    into v_ids, v_owners, v_flags
    from saved;
  perform save_run_steps(v_steps, v_past, null, p_texts, v_ids);
  if v_has_entries and p_wait then
    v_workspaces := lock_workspaces(array(select entry.org_id from json_to_recordset(v_entries) as entry(org_id text)), true);
  end if;
  if v_workspaces is not null then
    perform record_entries(v_workspaces, array(
      select row(
          workspace.place, entry.id, entry.action, entry.actor, 'workflow_run', entry.run_id, entry.agent_id, entry.outcome, null,
          entry.cost_cents, null, entry.data
        )::audit_entry
        from json_to_recordset(v_entries) as entry(
            org_id text, run_id text, id text, action text, actor text, agent_id text, outcome text, cost_cents bigint, data text
          )
          join unnest(v_workspaces) with ordinality as workspace(org_id, at, month, day, rules_version, seq, head, place)
            on workspace.org_id = entry.org_id
        where entry.run_id = any (v_ids)
        order by entry.run_id
    ));
  end if;
  v_at := millis_of(hub_time());
  return query
    select saved.run_id, saved.owner, saved.flags, v_at
      from unnest(v_ids, v_owners, v_flags) as saved(run_id, owner, flags);
  if v_ids is null or cardinality(v_ids) < json_array_length(v_runs) then
    return query
      select work.run_id, work.owner, work.flags, v_at
        from json_to_recordset(v_runs) as save(run_id text, epoch bigint, rev int)
          join run_work as work on work.run_id = save.run_id and work.epoch = save.epoch and work.rev = save.rev
        where v_ids is null or save.run_id <> all (v_ids);
  end if;
  if v_locked is not null then
    return query
      select save.run_id, -1, 0, v_at
        from json_to_recordset(v_runs) as save(run_id text, org_id text)
        where save.org_id <> all (v_locked);
  end if;
end
$$;

-- Saves the next states of runs. p_saves: JSON of the runs, their changed steps, their replaced attempts, and their audit entries; long texts
-- stand in p_texts, and the JSON has their places. A run whose epoch is not the given one is not saved, and is absent from the result. Audit
-- entries need the locks of their workspaces. Without p_wait they are taken first, and a run whose workspace another transaction has locked has
-- owner -1. With p_wait they are taken last, so that the ticks of the workspace wait for the entries only; so a change of run_work under the
-- lock of a workspace takes the lock of the row before. A save that was sent before is recognized by its revision, and writes nothing.
create or replace function save_runs(p_saves json, p_texts text[], p_wait boolean)
  returns table (saved_run_id text, saved_owner int, saved_flags int, saved_at float8)
  language plpgsql set plan_cache_mode to 'force_generic_plan' set enable_seqscan to 'off' as $$
declare
  v_workspaces locked_workspace[];
  v_locked text[];
  v_ids text[];
  v_owners int[];
  v_flags int[];
begin
  if json_array_length(p_saves->'entries') > 0 and not p_wait then
    v_workspaces := lock_workspaces(
      array(select entry.org_id from json_to_recordset(p_saves->'entries') as entry(org_id text)), false
    );
    v_locked := array(select locked.org_id from unnest(v_workspaces) as locked);
  end if;
  with saved as (
    update run_work as work set
        owner = case when save.release and (work.flags & ~save.seen) = 0 then 0 else work.owner end,
        flags = work.flags & ~save.seen,
        rev = save.rev,
        due_at = to_timestamp(save.due_at / 1000),
        waits = array(select json_array_elements_text(save.waits))
      from json_to_recordset(p_saves->'runs') as save(
        run_id text, org_id text, epoch bigint, rev int, seen int, release boolean, due_at float8, waits json
      )
      where work.run_id = save.run_id
        and work.epoch = save.epoch
        and work.rev = save.rev - 1
        and (v_locked is null or save.org_id = any (v_locked))
      returning work.run_id, work.owner, work.flags
  )
  select array_agg(saved.run_id), array_agg(saved.owner), array_agg(saved.flags)
    into v_ids, v_owners, v_flags
    from saved;
  update runs as run set
      status = save.status,
      ending = save.ending,
      rev = save.rev,
      cost_cents = save.cost_cents,
      output = p_texts[save.output],
      error = p_texts[save.error],
      late = p_texts[save.late],
      deadline_at = to_timestamp(save.deadline_at / 1000),
      ended_at = to_timestamp(save.ended_at / 1000)
    from json_to_recordset(p_saves->'runs') as save(
      run_id text, status text, ending text, rev int, cost_cents bigint, output int, error int, late int, deadline_at float8, ended_at float8
    )
    where run.id = save.run_id
      and save.run_id = any (v_ids);
  perform save_run_steps(p_saves, p_texts, v_ids);
  delete from run_work as work
    using json_to_recordset(p_saves->'runs') as save(run_id text, done boolean)
    where save.done
      and work.run_id = save.run_id
      and save.run_id = any (v_ids);
  if json_array_length(p_saves->'entries') > 0 and p_wait then
    v_workspaces := lock_workspaces(
      array(select entry.org_id from json_to_recordset(p_saves->'entries') as entry(org_id text)), true
    );
  end if;
  if v_workspaces is not null then
    perform record_entries(v_workspaces, array(
      select row(
          workspace.place, entry.id, entry.action, entry.actor, 'workflow_run', entry.run_id, entry.agent_id, entry.outcome, null,
          entry.cost_cents, null, entry.data
        )::audit_entry
        from json_to_recordset(p_saves->'entries') as entry(
            org_id text, run_id text, id text, action text, actor text, agent_id text, outcome text, cost_cents bigint, data text
          )
          join unnest(v_workspaces) with ordinality as workspace(org_id, at, month, day, rules_version, seq, head, place)
            on workspace.org_id = entry.org_id
        where entry.run_id = any (v_ids)
        order by entry.run_id
    ));
  end if;
  return query
    select saved.run_id, saved.owner, saved.flags, millis_of(hub_time())
      from unnest(v_ids, v_owners, v_flags) as saved(run_id, owner, flags)
    union all
    select work.run_id, work.owner, work.flags, millis_of(hub_time())
      from json_to_recordset(p_saves->'runs') as save(run_id text, epoch bigint, rev int)
        join run_work as work on work.run_id = save.run_id and work.epoch = save.epoch and work.rev = save.rev
      where v_ids is null or save.run_id <> all (v_ids)
    union all
    select save.run_id, -1, 0, millis_of(hub_time())
      from json_to_recordset(p_saves->'runs') as save(run_id text, org_id text)
      where v_locked is not null
        and save.org_id <> all (v_locked);
end
$$;

-- Starts runs. p_starts: JSON of the runs with their audit entries, and of the steps that start with them; long texts stand in p_texts, and the
-- JSON has their places. A run that exists already is absent from the result. Without p_wait the workspaces are locked first, and a run whose
-- workspace another transaction has locked has epoch -1. With p_wait the rows, which are new to all readers, are written before, so that the ticks of
-- the workspace wait for the audit entries only; budgets need the lock.
create or replace function start_runs(p_starts json, p_texts text[], p_wait boolean)
  returns table (started_run_id text, started_epoch bigint, started_at timestamptz, started_deadline_at timestamptz, started_limits bigint[])
  language plpgsql set plan_cache_mode to 'force_generic_plan' set enable_seqscan to 'off' set enable_hashjoin to 'off'
  set enable_mergejoin to 'off' as $$
declare
  v_runs json;
  v_steps json;
  v_past json;
  v_org_ids text[];
  v_workspaces locked_workspace[];
  v_locked text[];
  v_new text[];
  v_budgets json := '{}';
  v_at timestamptz;
begin
  select batch.runs, batch.steps, batch.past
    into v_runs, v_steps, v_past
    from json_to_record(p_starts) as batch(runs json, steps json, past json);
  v_org_ids := array(select start.org_id from json_to_recordset(v_runs) as start(org_id text));
  if not p_wait then
    v_workspaces := lock_workspaces(v_org_ids, false);
    v_locked := array(select locked.org_id from unnest(v_workspaces) as locked);
    return query
      select start.run_id, -1::bigint, hub_time(), hub_time(), '{}'::bigint[]
        from json_to_recordset(v_runs) as start(run_id text, org_id text)
        where start.org_id <> all (v_locked);
  elsif exists (select from json_to_recordset(v_runs) as start(max_cost_cents bigint) where start.max_cost_cents is not null) then
    v_workspaces := lock_workspaces(v_org_ids, true);
  end if;
  v_at := hub_time();
  v_new := array(
    select start.run_id
      from json_to_recordset(v_runs) as start(run_id text, org_id text)
      where (v_locked is null or start.org_id = any (v_locked))
        and not exists (select from runs as run where run.id = start.run_id)
  );
  if v_workspaces is not null then
    with budget as (
      insert into limits (org_id, kind, mode, agent_id, service, operation, cap)
        select start.org_id, limit_kind('task_budget'), start.mode, start.agent_id, 'workflow_run', start.run_id, start.max_cost_cents
          from json_to_recordset(v_runs) as start(run_id text, org_id text, mode text, agent_id text, max_cost_cents bigint)
          where start.max_cost_cents is not null
            and start.run_id = any (v_new)
        returning operation, id
    )
    select coalesce(json_object_agg(budget.operation, budget.id), '{}'::json) into v_budgets from budget;
  end if;
  with run as (
    insert into runs (
        org_id, id, workflow_id, version_id, agent_id, mode, source_type, source_id, source_name, parent_run_id, request_id, root_id,
        ancestors, depth, status, max_cost_cents, limits, input, deadline_at, created_at
      )
      select
          start.org_id,
          start.run_id,
          start.workflow_id,
          start.version_id,
          start.agent_id,
          start.mode,
          start.source_type,
          start.source_id,
          start.source_name,
          start.parent_run_id,
          start.request_id,
          start.root_id,
          array(select json_array_elements_text(start.ancestors)),
          start.depth,
          start.status,
          start.max_cost_cents,
          case when start.max_cost_cents is null then '{}' else array[(v_budgets->>start.run_id)::bigint] end
            || array(select json_array_elements_text(start.limits)::bigint),
          p_texts[start.input],
          v_at + make_interval(days => start.days),
          v_at
        from json_to_recordset(v_runs) as start(
          org_id text, run_id text, workflow_id text, version_id text, agent_id text, mode text, source_type text, source_id text,
          source_name text, parent_run_id text, request_id text, root_id text, ancestors json, depth int, status text, max_cost_cents bigint,
          limits json, input int, days int
        )
        where start.run_id = any (v_new)
      on conflict do nothing
      returning id
  )
  select coalesce(array_agg(run.id), '{}') into v_new from run;
  insert into run_work (run_id, org_id, owner, epoch, due_at)
    select start.run_id, start.org_id, start.owner, nextval('run_epochs'), coalesce(to_timestamp(start.due_at / 1000), v_at)
      from json_to_recordset(v_runs) as start(run_id text, org_id text, owner int, due_at float8)
      where start.run_id = any (v_new);
  perform save_run_steps(v_steps, v_past, v_at, p_texts, v_new);
  if v_workspaces is null and cardinality(v_new) > 0 then
    v_workspaces := lock_workspaces(v_org_ids, true);
  end if;
  if v_workspaces is not null then
    perform record_entries(v_workspaces, array(
      select row(
          workspace.place, start.audit_id, 'run.started', start.actor, 'workflow_run', start.run_id, start.agent_id, null, null, null, start.ip,
          start.data
        )::audit_entry
        from json_to_recordset(v_runs) as start(
            run_id text, org_id text, agent_id text, audit_id text, actor text, ip text, data text
          )
          join unnest(v_workspaces) with ordinality as workspace(org_id, at, month, day, rules_version, seq, head, place)
            on workspace.org_id = start.org_id
        where start.run_id = any (v_new)
        order by start.run_id
    ));
  end if;
  return query
    select run.id, work.epoch, run.created_at, run.deadline_at, run.limits
      from unnest(v_new) as started(run_id)
        join runs as run on run.id = started.run_id
        join run_work as work on work.run_id = started.run_id;
end
$$;

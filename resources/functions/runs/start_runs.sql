-- Starts runs. p_starts: JSON of the runs with their audit entries; the inputs stand in p_inputs, in the same order. A run that exists already
-- is absent from the result. The workspaces are locked first; without p_wait, a run whose workspace another transaction has locked has epoch -1.
create or replace function start_runs(p_starts json, p_inputs text[], p_wait boolean)
  returns table (started_run_id text, started_epoch bigint, started_at timestamptz, started_deadline_at timestamptz, started_limits bigint[])
  language plpgsql set plan_cache_mode to 'force_generic_plan' set enable_seqscan to 'off' as $$
declare
  v_workspaces locked_workspace[];
  v_locked text[];
  v_new text[];
  v_budgets json;
  v_at timestamptz;
begin
  v_workspaces := lock_workspaces(array(select start.org_id from json_to_recordset(p_starts) as start(org_id text)), p_wait);
  v_locked := array(select locked.org_id from unnest(v_workspaces) as locked);
  v_at := hub_time();
  -- No other transaction inserts one of these runs now: each has the lock of their workspace.
  v_new := array(
    select distinct start.run_id
      from json_to_recordset(p_starts) as start(run_id text, org_id text)
      where start.org_id = any (v_locked)
        and not exists (select from runs as run where run.id = start.run_id)
  );
  with budget as (
    insert into limits (org_id, kind, mode, agent_id, service, operation, cap)
      select distinct on (start.run_id)
          start.org_id, limit_kind('task_budget'), start.mode, start.agent_id, 'workflow_run', start.run_id, start.max_cost_cents
        from json_to_recordset(p_starts) as start(run_id text, org_id text, mode text, agent_id text, max_cost_cents bigint)
        where start.max_cost_cents is not null
          and start.run_id = any (v_new)
      returning operation, id
  )
  select coalesce(json_object_agg(budget.operation, budget.id), '{}'::json) into v_budgets from budget;
  return query
    with
      run as (
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
              'queued',
              start.max_cost_cents,
              case when start.max_cost_cents is null then '{}' else array[(v_budgets->>start.run_id)::bigint] end
                || array(select json_array_elements_text(start.limits)::bigint),
              p_inputs[start.place],
              v_at + make_interval(days => start.days),
              v_at
            from rows from (json_to_recordset(p_starts) as (
              org_id text, run_id text, workflow_id text, version_id text, agent_id text, mode text, source_type text, source_id text,
              source_name text, parent_run_id text, request_id text, root_id text, ancestors json, depth int, max_cost_cents bigint,
              limits json, days int
            )) with ordinality as start(
              org_id, run_id, workflow_id, version_id, agent_id, mode, source_type, source_id, source_name, parent_run_id, request_id,
              root_id, ancestors, depth, max_cost_cents, limits, days, place
            )
            where start.run_id = any (v_new)
          on conflict do nothing
          returning id, org_id, created_at, deadline_at, limits
      ),
      work as (
        insert into run_work (run_id, org_id, owner, epoch, due_at)
          select run.id, run.org_id, start.owner, nextval('run_epochs'), run.created_at
            from run
              join (
                select distinct on (named.run_id) named.run_id, named.owner
                  from json_to_recordset(p_starts) as named(run_id text, owner int)
              ) as start on start.run_id = run.id
          returning run_id, epoch
      )
    select run.id, work.epoch, run.created_at, run.deadline_at, run.limits
      from run
        join work on work.run_id = run.id
    union all
    select start.run_id, -1, v_at, v_at, '{}'::bigint[]
      from json_to_recordset(p_starts) as start(run_id text, org_id text)
      where start.org_id <> all (v_locked);
  if v_workspaces is null then return; end if;
  perform record_entries(v_workspaces, array(
    select row(
        workspace.place, entry.audit_id, 'run.started', entry.actor, 'workflow_run', entry.run_id, entry.agent_id, null, null, null, entry.ip,
        entry.data
      )::audit_entry
      from (
        select distinct on (named.run_id) named.*
          from json_to_recordset(p_starts) as named(
            run_id text, org_id text, agent_id text, audit_id text, actor text, ip text, data text
          )
          where named.run_id = any (v_new)
      ) as entry
        join unnest(v_workspaces) with ordinality as workspace(org_id, at, month, day, rules_version, seq, head, place)
          on workspace.org_id = entry.org_id
      order by entry.run_id
  ));
end
$$;

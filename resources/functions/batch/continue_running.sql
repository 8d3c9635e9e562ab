-- Requests that run on at their provider: their holds stay, belong to no hub, and are polled when due.
create or replace function continue_running(p_settles pending_settle[], p_results text[]) returns settled_request[] language plpgsql as $$
declare
  v_running settled_request[];
begin
  with running as (
    update holds as hold set
        phase = hold_phase('running'),
        owner = 0,
        provider_ref = coalesce(settle.provider_ref, hold.provider_ref),
        running_because = coalesce(settle.reason_code, hold.running_because),
        started = coalesce(p_results[settle.place], hold.started),
        due_at = settle.at + settle.due_millis * interval '1 millisecond',
        deadline_at = coalesce(hold.deadline_at, settle.at + settle.deadline_millis * interval '1 millisecond'),
        leased_until = null
      from unnest(p_settles) as settle
      where hold.request_id = settle.request_id
        and hold.org_id = settle.org_id
        and hold.phase = hold_phase('reserved')
        and settle.status = 'running'
      returning
        settle.*,
        hold.agent_id,
        hold.mode,
        hold.service,
        hold.operation,
        hold.ceiling_cents,
        hold.limits,
        hold.wallet,
        hold.month,
        hold.day
  )
  select array_agg(
      row(
        x.place,
        x.workspace,
        x.org_id,
        x.at,
        x.request_id,
        x.agent_id,
        x.mode,
        x.service,
        x.operation,
        x.status,
        x.reason_code,
        x.ceiling_cents,
        0,
        0,
        0,
        x.limits,
        x.wallet,
        x.month,
        x.day,
        x.provider_ref,
        x.audit_id,
        x.movement_id,
        x.actor,
        x.data
      )::settled_request
    )
    into v_running
    from running as x;
  return coalesce(v_running, '{}');
end
$$;

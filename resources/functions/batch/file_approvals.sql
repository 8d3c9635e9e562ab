-- Files the approvals of requests that require one.
create or replace function file_approvals(p_begins pending_begin[], p_codes int[]) returns void language plpgsql as $$
begin
  insert into approvals (
      id, org_id, request_id, agent_id, mode, service, operation, cost_cents, threshold_cents, reason, policy_id, payload_digest,
      required_approvals, deciders, filed_by, requested_at, expires_at
    )
    select
        pending.approval->>'id',
        pending.org_id,
        pending.request_id,
        pending.agent_id,
        pending.mode,
        pending.service,
        pending.operation,
        pending.ceiling_cents,
        (pending.approval->>'threshold_cents')::bigint,
        pending.approval->>'reason',
        pending.approval->>'policy_id',
        pending.approval->>'digest',
        (pending.approval->>'required')::int,
        pending.approval->>'deciders',
        pending.approval->>'filed_by',
        pending.at,
        pending.at + (pending.approval->>'life_seconds')::int * interval '1 second'
      from unnest(p_begins) as pending
      where p_codes[pending.place] = begin_code('approval_required');
end
$$;

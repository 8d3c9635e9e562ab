-- Writes the decided begins: the request and its key, unless an approval admits an existing request; the hold of an admitted one, the
-- approval of one that requires it, the settlement of a refused one.
create or replace function record_begins(
  p_owner int,
  p_begins pending_begin[],
  p_codes int[],
  p_reasons text[],
  p_blocks text[],
  p_payloads text[]
) returns void language plpgsql as $$
declare
  v_recorded int[] := array[
    begin_code('admitted'), begin_code('approval_required'), begin_code('blocked'), begin_code('failed')
  ];
begin
  insert into requests (
      org_id, id, agent_id, mode, service, operation, payload, ceiling_cents, approval_id, origin, test_outcome, created_at
    )
    select
        pending.org_id,
        pending.request_id,
        pending.agent_id,
        pending.mode,
        pending.service,
        pending.operation,
        p_payloads[pending.place],
        pending.ceiling_cents,
        case when p_codes[pending.place] = begin_code('approval_required') then pending.approval->>'id' end,
        pending.origin,
        pending.test_outcome,
        pending.at
      from unnest(p_begins) as pending
      where p_codes[pending.place] = any (v_recorded)
        and pending.grant_of is null;

  insert into idempotency_keys (org_id, scope, key, hash, request_id, created_at, expires_at)
    select
        pending.org_id,
        pending.scope,
        pending.key,
        pending.key_hash,
        pending.request_id,
        pending.at,
        pending.at + interval '30 days'
      from unnest(p_begins) as pending
      where p_codes[pending.place] = any (v_recorded)
        and pending.grant_of is null
        and pending.key is not null;

  if begin_code('admitted') = any (p_codes) then
    insert into holds (
        request_id, org_id, agent_id, mode, service, operation, owner, ceiling_cents, limits, wallet, month, day, created_at
      )
      select
          pending.request_id,
          pending.org_id,
          pending.agent_id,
          pending.mode,
          pending.service,
          pending.operation,
          p_owner,
          pending.ceiling_cents,
          array_remove(pending.limits, pending.checked_limit),
          pending.wallet,
          pending.month,
          pending.day,
          pending.at
        from unnest(p_begins) as pending
        where p_codes[pending.place] = begin_code('admitted');
  end if;

  if begin_code('approval_required') = any (p_codes) then
    perform file_approvals(p_begins, p_codes);
  end if;

  if begin_code('blocked') = any (p_codes) or begin_code('failed') = any (p_codes) then
    insert into settlements (
        org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, reason_code, result, block,
        completed_at
      )
      select
          pending.org_id,
          pending.request_id,
          pending.agent_id,
          pending.mode,
          pending.service,
          pending.operation,
          refused_status(p_codes[pending.place]),
          pending.ceiling_cents,
          0,
          p_reasons[pending.place],
          pending.result,
          p_blocks[pending.place],
          pending.at
        from unnest(p_begins) as pending
        where p_codes[pending.place] in (begin_code('blocked'), begin_code('failed'));
  end if;
end
$$;

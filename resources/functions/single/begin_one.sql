-- One begin by itself, when it is the only pending entry: of a new request that the hub decided to admit. Writes the rows that tick writes.
-- Returns admitted once it is reserved, locked when p_wait is false and another transaction has the workspace's lock. Anything unusual is
-- left to tick (an old configuration, a known key, a tight limit, no such workspace): no code then, and nothing is written.
create or replace function begin_one(
  p_owner int,
  p_wait boolean,
  p_request_id text,
  p_org_id text,
  p_agent_id text,
  p_agent_version int,
  p_rules_version int,
  p_mode text,
  p_service text,
  p_operation text,
  p_scope text,
  p_key text,
  p_key_hash text,
  p_ceiling_cents bigint,
  p_limits bigint[],
  p_wallet bigint,
  p_checked_limit bigint,
  p_payload text,
  p_origin text,
  p_test_outcome text,
  out result_code int,
  out at_millis float8
) language plpgsql as $$
declare
  v_workspace locked_workspace := lock_workspace(p_org_id, p_wait);
  v_agent_version int;
  v_tight_limit bigint;
begin
  if v_workspace.org_id is null then
    result_code := case when not p_wait then begin_code('locked') end;
    return;
  end if;
  -- The agent is read after the lock.
  select agent.version
    into v_agent_version
    from agents as agent
    where agent.id = p_agent_id
      and agent.org_id = p_org_id
      and not exists (
        select
          from idempotency_keys as stored
          where stored.org_id = p_org_id
            and stored.scope = p_scope
            and stored.key = p_key
      );
  if v_agent_version is distinct from p_agent_version or v_workspace.rules_version <> p_rules_version then return; end if;
  v_tight_limit := reserve_limits(
    p_limits,
    p_checked_limit,
    p_ceiling_cents,
    v_workspace.month,
    v_workspace.day,
    v_workspace.at,
    true
  );
  if v_tight_limit is not null then return; end if;

  with
    request as (
      insert into requests (
          org_id, id, agent_id, mode, service, operation, payload, ceiling_cents, origin, test_outcome, created_at
        )
        values (
          p_org_id, p_request_id, p_agent_id, p_mode, p_service, p_operation, p_payload, p_ceiling_cents, p_origin, p_test_outcome,
          v_workspace.at
        )
    ),
    key as (
      insert into idempotency_keys (org_id, scope, key, hash, request_id, created_at, expires_at)
        select
            p_org_id,
            p_scope,
            p_key,
            decode(p_key_hash, 'hex'),
            p_request_id,
            v_workspace.at,
            v_workspace.at + interval '30 days'
          where p_key is not null
    ),
    hold as (
      insert into holds (
          request_id, org_id, agent_id, mode, service, operation, owner, ceiling_cents, limits, wallet, month, day, created_at
        )
        values (
          p_request_id, p_org_id, p_agent_id, p_mode, p_service, p_operation, p_owner, p_ceiling_cents,
          array_remove(p_limits, p_checked_limit), p_wallet, v_workspace.month, v_workspace.day, v_workspace.at
        )
    )
  update org_heads as head set last_at = v_workspace.at where head.org_id = p_org_id;
  result_code := begin_code('admitted');
  at_millis := millis_of(v_workspace.at);
end
$$;

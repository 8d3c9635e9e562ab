-- One begin or one settle by itself, by key: what a hub sends when only one entry is pending. The rows are those that tick writes. Anything
-- unusual is left to tick: these functions then answer no state, and have written nothing.

-- How much of a limit one request takes: limits of kinds 4 and 7 count requests, the others cents.
create function share_of(p_kind smallint, p_ceiling bigint) returns bigint language sql immutable as $$
  select case when p_kind in (4, 7) then 1 else p_ceiling end
$$;

-- Whether a limit has room for one request. A money limit never stops a request whose ceiling is 0.
create function fits(x limits, p_ceiling bigint, p_month int, p_day int, p_at timestamptz) returns boolean language sql immutable as $$
  select (x.valid_until is null or x.valid_until > p_at)
    and (
      x.cap is null
      or share_of(x.kind, p_ceiling) = 0
      or case when x.period = period_of(x.kind, p_month, p_day) then x.used + x.held else 0 end
        + x.committed + share_of(x.kind, p_ceiling) <= x.cap
    )
$$;

-- Takes a set of limits for one request, or answers the first without room, in the order given. p_take false only checks; p_skip is
-- checked and never taken.
create or replace function reserve_one(
  p_limits bigint[],
  p_skip bigint,
  p_ceiling bigint,
  p_month int,
  p_day int,
  p_at timestamptz,
  p_take boolean
) returns bigint language plpgsql as $$
declare
  v_fitting int;
  v_later boolean;
  v_bad bigint;
begin
  select
      count(*) filter (where fits(x, p_ceiling, p_month, p_day, p_at)),
      bool_or(x.period > period_of(x.kind, p_month, p_day))
    into v_fitting, v_later
    from limits x
    where x.id = any (p_limits);
  -- A period never goes back: a clock that was set back must not open a cap that is used up.
  if v_later then
    raise exception 'limits % count a later period than that of %', p_limits, p_at;
  end if;
  if v_fitting < cardinality(p_limits) then
    select k.id
      into v_bad
      from unnest(p_limits) with ordinality k(id, n)
        left join limits x on x.id = k.id
      where x.id is null or not fits(x, p_ceiling, p_month, p_day, p_at)
      order by k.n
      limit 1;
    if v_bad is not null then return v_bad; end if;
  end if;
  if p_take then
    update limits x set
        period = period_of(x.kind, p_month, p_day),
        used = case when x.period = period_of(x.kind, p_month, p_day) then x.used else 0 end,
        held = case when x.period = period_of(x.kind, p_month, p_day) then x.held else 0 end + share_of(x.kind, p_ceiling)
      where x.id = any (p_limits) and x.id is distinct from p_skip;
  end if;
  return null;
end
$$;

-- A begin that the hub decided to admit, of a new request. Answers 200 once it is reserved, 423 when p_wait is false and the workspace is
-- locked; no state when its configuration is stale, its key is known, a limit is too tight, or the workspace does not exist.
create function begin_one(
  p_owner int,
  p_wait boolean,
  p_id text,
  p_org text,
  p_agent text,
  p_version int,
  p_rules int,
  p_mode text,
  p_service text,
  p_operation text,
  p_scope text,
  p_key text,
  p_hash text,
  p_ceiling bigint,
  p_limits bigint[],
  p_wallet bigint,
  p_check bigint,
  p_payload text,
  p_origin text,
  p_script text,
  out o_state int,
  out o_at float8
) language plpgsql as $$
declare
  v_last timestamptz;
  v_rules int;
  v_version int;
  v_at timestamptz;
  v_month int;
  v_day int;
begin
  if p_wait then
    select h.last_at, h.rules_version into v_last, v_rules from org_heads h where h.org_id = p_org for update;
  else
    select h.last_at, h.rules_version into v_last, v_rules from org_heads h where h.org_id = p_org for update skip locked;
  end if;
  if not found then
    o_state := case when not p_wait then 423 end;
    return;
  end if;
  -- Time and agent are read after the lock, by statements of their own.
  v_at := greatest(hub_time(), v_last);
  v_month := month_of(v_at);
  v_day := day_of(v_at);
  select a.version
    into v_version
    from agents a
    where a.id = p_agent
      and a.org_id = p_org
      and not exists (select from idempotency_keys k where k.org_id = p_org and k.scope = p_scope and k.key = p_key);
  if v_version is distinct from p_version or v_rules <> p_rules then return; end if;
  if reserve_one(p_limits, p_check, p_ceiling, v_month, v_day, v_at, true) is not null then return; end if;

  with
    request as (
      insert into requests (org_id, id, agent_id, mode, service, operation, payload, ceiling_cents, origin, test_outcome, created_at)
        values (p_org, p_id, p_agent, p_mode, p_service, p_operation, p_payload, p_ceiling, p_origin, p_script, v_at)
    ),
    key as (
      insert into idempotency_keys (org_id, scope, key, hash, request_id, created_at, expires_at)
        select p_org, p_scope, p_key, decode(p_hash, 'hex'), p_id, v_at, v_at + interval '30 days'
          where p_key is not null
    ),
    hold as (
      insert into holds (request_id, org_id, agent_id, mode, service, operation, owner, ceiling_cents, limits, wallet, month, day, created_at)
        values (p_id, p_org, p_agent, p_mode, p_service, p_operation, p_owner, p_ceiling,
          array_remove(p_limits, p_check), p_wallet, v_month, v_day, v_at)
    )
    update org_heads h set last_at = v_at where h.org_id = p_org;
  o_state := 200;
  o_at := extract(epoch from v_at) * 1000;
end
$$;

-- The final settlement of one request. Answers 200 with what it cost, 423 when p_wait is false and the workspace is locked; no state when
-- there is nothing to settle: another settlement exists, or an earlier call's.
create function settle_one(
  p_wait boolean,
  p_id text,
  p_org text,
  p_status text,
  p_cents bigint,
  p_micro int,
  p_reason text,
  p_result text,
  p_audit text,
  p_move text,
  p_actor text,
  p_data text,
  out o_state int,
  out o_at float8,
  out o_cents float8
) language plpgsql as $$
declare
  v_last timestamptz;
  v_seq bigint;
  v_head bytea;
  v_hold holds;
  v_at timestamptz;
  v_done boolean := p_status = 'executed';
  v_take bigint := 0;
  v_micro bigint := 0;
  v_cost bigint := 0;
  v_type text := split_part(p_actor, ' ', 1);
  v_actor text := split_part(p_actor, ' ', 2);
  v_name text := substr(p_actor, length(v_type) + length(v_actor) + 3);
  v_action text := 'service_request.' || p_status;
  v_hash bytea;
begin
  if p_wait then
    select h.last_at, h.seq + 1, h.head into v_last, v_seq, v_head from org_heads h where h.org_id = p_org for update;
  else
    select h.last_at, h.seq + 1, h.head into v_last, v_seq, v_head from org_heads h where h.org_id = p_org for update skip locked;
  end if;
  if not found then
    o_state := case when not p_wait then 423 end;
    return;
  end if;
  v_at := greatest(hub_time(), v_last);
  -- The row in holds is the right to settle.
  delete from holds h
    where h.request_id = p_id and h.org_id = p_org and (h.wallet is null or h.wallet = any (h.limits))
    returning * into v_hold;
  if not found then return; end if;

  if v_done then v_take := least(p_cents, v_hold.ceiling_cents); end if;
  -- Fractions of a cent add up for each agent and wallet; whole cents of the sum are charged.
  if v_done and v_hold.mode = 'live' and p_micro > 0 and p_cents < v_hold.ceiling_cents then
    v_micro := p_micro + coalesce((
      select a.micro_cents from accruals a where a.org_id = p_org and a.agent_id = v_hold.agent_id and a.wallet = v_hold.wallet
    ), 0);
    v_take := v_take + v_micro / 1000000;
    insert into accruals as a (org_id, agent_id, wallet, micro_cents)
      values (p_org, v_hold.agent_id, v_hold.wallet, v_micro % 1000000)
      on conflict (org_id, agent_id, wallet) do update set micro_cents = excluded.micro_cents;
  end if;
  if v_hold.mode = 'live' then v_cost := v_take; end if;

  with
    -- Of the hold's limits those that count its period still; and the revenue account, kind 8.
    counted as (
      update limits x set
          held = x.held - case when x.kind = 8 then 0 else share_of(x.kind, v_hold.ceiling_cents) end,
          used = x.used + case when v_done then share_of(x.kind, v_take) else 0 end
        where x.period = period_of(x.kind, v_hold.month, v_hold.day)
          and x.id = any (
            case
              when v_cost = 0 then v_hold.limits
              else v_hold.limits || (select r.id from limits r where r.org_id = p_org and r.kind = 8)
            end
          )
        returning x.id, x.kind, x.cap, x.used
    )
    insert into movements (
        org_id, id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after, cause_type, cause_id, created_at
      )
      select p_org, p_move, w.id, r.id, v_cost, w.cap - w.used, r.used, 'service_request', p_id, v_at
        from counted w
          join counted r on r.kind = 8
        where w.id = v_hold.wallet;

  v_hash := sha256(v_head || audit_leaf(v_seq, wire_time(v_at), p_audit, v_action, v_type, v_actor, v_name, 'service_request', p_id,
    v_hold.agent_id, p_status, p_reason, case when v_done then v_cost end, null, p_data));
  with
    settlement as (
      insert into settlements (
          org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, reason_code, result, provider_ref,
          completed_at
        )
        values (p_org, p_id, v_hold.agent_id, v_hold.mode, v_hold.service, v_hold.operation, p_status, v_hold.ceiling_cents, v_cost,
          p_reason, p_result, v_hold.provider_ref, v_at)
    ),
    usage as (
      insert into usage_days as g (org_id, day, agent_id, service, operation, mode, executed, failed, blocked, cost_cents)
        values (p_org, (v_at at time zone 'utc')::date, v_hold.agent_id, v_hold.service, v_hold.operation, v_hold.mode,
          v_done::int, (p_status = 'failed')::int, (p_status = 'blocked')::int, v_cost)
        on conflict (org_id, day, agent_id, service, operation, mode) do update set
          executed = g.executed + excluded.executed,
          failed = g.failed + excluded.failed,
          blocked = g.blocked + excluded.blocked,
          cost_cents = g.cost_cents + excluded.cost_cents
    ),
    entry as (
      insert into audit (
          org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents,
          data, created_at, prev_hash, hash
        )
        values (p_org, v_seq, p_audit, v_action, v_type, v_actor, v_name, 'service_request', p_id, v_hold.agent_id, p_status, p_reason,
          case when v_done then v_cost end, p_data, v_at, v_head, v_hash)
    )
    update org_heads h set last_at = v_at, seq = v_seq, head = v_hash where h.org_id = p_org;
  o_state := 200;
  o_at := extract(epoch from v_at) * 1000;
  o_cents := v_cost;
end
$$;

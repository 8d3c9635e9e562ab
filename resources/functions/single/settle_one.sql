-- One final settlement by itself, when it is the only pending entry. Writes the rows that tick writes. Returns done with the cost, locked
-- when p_wait is false and another transaction has the workspace's lock. When the request has no open hold (another settlement exists, or
-- an earlier call's), or the workspace does not exist, it is left to tick: no code then, and nothing is written.
create or replace function settle_one(
  p_wait boolean,
  p_request_id text,
  p_org_id text,
  p_status text,
  p_actual_cents bigint,
  p_actual_micro_cents int,
  p_reason_code text,
  p_result text,
  p_audit_id text,
  p_movement_id text,
  p_actor text,
  p_data text,
  out result_code int,
  out at_millis float8,
  out charged_cents float8
) language plpgsql as $$
declare
  v_workspace locked_workspace := lock_workspace(p_org_id, p_wait);
  v_at timestamptz := v_workspace.at;
  v_seq bigint := v_workspace.seq + 1;
  v_hold holds;
  v_is_executed boolean := p_status = 'executed';
  v_taken_cents bigint := 0;
  v_cost_cents bigint := 0;
  v_audit_cents bigint;
  v_action text := 'service_request.' || p_status;
  v_hash bytea;
begin
  if v_at is null then
    result_code := case when not p_wait then settle_code('locked') end;
    return;
  end if;
  -- The row in holds is the right to settle.
  delete from holds as hold
    where hold.request_id = p_request_id
      and hold.org_id = p_org_id
      and (hold.wallet is null or hold.wallet = any (hold.limits))
    returning * into v_hold;
  if not found then return; end if;

  if v_is_executed then v_taken_cents := least(p_actual_cents, v_hold.ceiling_cents); end if;
  if v_is_executed and v_hold.mode = 'live' and p_actual_micro_cents > 0 and p_actual_cents < v_hold.ceiling_cents then
    v_taken_cents := v_taken_cents + charge_fraction(p_org_id, v_hold.agent_id, v_hold.wallet, p_actual_micro_cents);
  end if;
  if v_hold.mode = 'live' then v_cost_cents := v_taken_cents; end if;
  if v_is_executed then v_audit_cents := v_cost_cents; end if;

  with
    -- The hold's limits that still count its period, and the revenue account.
    counted as (
      update limits as x set
          held = x.held - case when x.kind = limit_kind('revenue') then 0 else share_of(x.kind, 1, v_hold.ceiling_cents) end,
          used = x.used + case when v_is_executed then share_of(x.kind, 1, v_taken_cents) else 0 end
        where x.period = period_of(x.kind, v_hold.month, v_hold.day)
          and x.id = any (
            case
              when v_cost_cents = 0 then v_hold.limits
              else v_hold.limits || (
                select revenue.id from limits as revenue where revenue.org_id = p_org_id and revenue.kind = limit_kind('revenue')
              )
            end
          )
        returning x.id, x.kind, x.cap, x.used
    )
  insert into movements (
      org_id, id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after, cause_type, cause_id, created_at
    )
    select p_org_id, p_movement_id, wallet.id, revenue.id, v_cost_cents, wallet.cap - wallet.used, revenue.used, 'service_request',
        p_request_id, v_at
      from counted as wallet
        join counted as revenue on revenue.kind = limit_kind('revenue')
      where wallet.id = v_hold.wallet;

  v_hash := sha256(v_workspace.head || audit_leaf(
    v_seq, wire_time(v_at), p_audit_id, v_action, actor_type(p_actor), actor_id(p_actor), actor_name(p_actor), 'service_request',
    p_request_id, v_hold.agent_id, p_status, p_reason_code, v_audit_cents, null, p_data
  ));
  with
    settlement as (
      insert into settlements (
          org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, reason_code, result, provider_ref,
          completed_at
        )
        values (
          p_org_id, p_request_id, v_hold.agent_id, v_hold.mode, v_hold.service, v_hold.operation, p_status, v_hold.ceiling_cents,
          v_cost_cents, p_reason_code, p_result, v_hold.provider_ref, v_at
        )
    ),
    usage as (
      insert into usage_days as usage (org_id, day, agent_id, service, operation, mode, executed, failed, blocked, cost_cents)
        values (
          p_org_id, (v_at at time zone 'utc')::date, v_hold.agent_id, v_hold.service, v_hold.operation, v_hold.mode, v_is_executed::int,
          (p_status = 'failed')::int, (p_status = 'blocked')::int, v_cost_cents
        )
        on conflict (org_id, day, agent_id, service, operation, mode) do update set
          executed = usage.executed + excluded.executed,
          failed = usage.failed + excluded.failed,
          blocked = usage.blocked + excluded.blocked,
          cost_cents = usage.cost_cents + excluded.cost_cents
    ),
    entry as (
      insert into audit (
          org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents,
          data, created_at, prev_hash, hash
        )
        values (
          p_org_id, v_seq, p_audit_id, v_action, actor_type(p_actor), actor_id(p_actor), actor_name(p_actor), 'service_request',
          p_request_id, v_hold.agent_id, p_status, p_reason_code, v_audit_cents, p_data, v_at, v_workspace.head, v_hash
        )
    )
  update org_heads as head set last_at = v_at, seq = v_seq, head = v_hash where head.org_id = p_org_id;
  result_code := settle_code('done');
  at_millis := millis_of(v_at);
  charged_cents := v_cost_cents;
end
$$;

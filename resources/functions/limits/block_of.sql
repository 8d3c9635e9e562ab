-- Why a limit blocks a request: the JSON of the answer's `block`.
create or replace function block_of(p_limit limits, p_org_id text, p_month int, p_day int) returns text language plpgsql stable as $$
declare
  v_used bigint := used_now(p_limit, p_month, p_day);
  v_held bigint := held_now(p_limit, p_month, p_day);
  v_is_count boolean := p_limit.kind = limit_kind('operation_day_count');
  v_name text;
  v_scope json;
  v_resets_at timestamptz;
  v_next_action text;
  v_href text;
begin
  v_name := case p_limit.kind
    when limit_kind('wallet') then 'wallet'
    when limit_kind('agent_month') then 'agent_month'
    when limit_kind('operation_month') then 'operation_month'
    when limit_kind('operation_day_count') then 'operation_day_count'
    when limit_kind('task_budget') then case p_limit.service when 'workflow_run' then 'run_budget' else 'task_budget' end
    else 'standing_approval'
  end;
  v_scope := case p_limit.kind
    when limit_kind('wallet') then
      json_build_object('type', coalesce(p_limit.service, 'org'), 'id', coalesce(wallet_owner(p_limit), p_org_id))
    when limit_kind('agent_month') then json_build_object('type', 'agent', 'id', p_limit.agent_id)
    when limit_kind('task_budget') then json_build_object('type', p_limit.service, 'id', p_limit.operation)
    else json_build_object('type', 'operation', 'id', p_limit.service || '.' || p_limit.operation)
  end;
  v_resets_at := case
    when v_is_count then to_timestamp((p_day + 1) * 86400::bigint)
    when p_limit.kind in (limit_kind('agent_month'), limit_kind('operation_month')) then
      make_timestamptz(p_month / 12, p_month % 12 + 1, 1, 0, 0, 0, 'UTC')
  end;
  v_next_action := case
    when p_limit.kind = limit_kind('wallet') then 'top_up'
    when v_is_count then 'wait'
    -- The budget of a task is fixed when it is delegated, that of a run when it starts.
    when p_limit.kind = limit_kind('task_budget') then 'ask'
    else 'budget_request'
  end;
  -- The call that moves money into a pool or an allocation; the hub adds the other addresses.
  if p_limit.kind = limit_kind('wallet') then
    v_href := case p_limit.service
      when 'team' then '/api/v1/teams/' || p_limit.operation || '/budget'
      when 'worker' then '/api/v1/teams/' || replace(p_limit.operation, ' ', '/workers/') || '/budget/allocate'
    end;
  end if;
  return json_strip_nulls(json_build_object(
    'limit', v_name,
    'scope', v_scope,
    'limit_cents', case when not v_is_count then cap_now(p_limit, p_month) end,
    'spent_cents', case when not v_is_count then v_used end,
    'held_cents', case when not v_is_count then v_held end,
    'limit_count', case when v_is_count then p_limit.cap end,
    'used_count', case when v_is_count then v_used + v_held end,
    'resets_at', wire_time(v_resets_at),
    'next_action', json_build_object('kind', v_next_action, 'href', v_href)
  ))::text;
end
$$;

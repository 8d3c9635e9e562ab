-- The configuration of an agent that dispatch decides with, as JSON; null when the agent is deleted or belongs to another workspace. A
-- session plans a function's statements once; sent as a query, each read would plan them again, which costs more than to run them.
create or replace function agent_configuration(p_org_id text, p_agent_id text) returns json language plpgsql stable as $$
begin
  return (
    select json_build_object(
        'version', agent.version,
        'name', agent.name,
        'status', agent.status,
        'frozen', agent.frozen,
        'team_id', agent.team_id,
        'owner_user_id', agent.owner_user_id,
        'approval_threshold_cents', agent.approval_threshold_cents,
        'wallet', paying.wallet,
        'wallet_month', paying.wallet_month,
        'bindings', array(
          select json_build_object(
              'service', x.service,
              'operations', x.operations,
              'enabled', x.enabled,
              'monthly_cap_cents', x.monthly_cap_cents,
              'daily_request_limit', x.daily_request_limit,
              'approval_threshold_cents', x.approval_threshold_cents,
              'per_operation', x.per_operation
            )
            from bindings as x
            where x.org_id = p_org_id
              and x.agent_id = p_agent_id
        ),
        'months', array(
          select json_build_object('mode', x.mode, 'id', x.id)
            from limits as x
            where x.org_id = p_org_id
              and x.agent_id = p_agent_id
              and x.kind = limit_kind('agent_month')
        ),
        'standing', array(
          select json_build_object(
              'id', x.id,
              'mode', x.mode,
              'service', x.service,
              'operation', x.operation,
              'max_cost_cents', x.max_cost_cents,
              'condition', x.condition,
              'expires_at_millis', trunc(extract(epoch from x.expires_at) * 1000)::bigint,
              'total_limit', x.total_limit,
              'uses_limit', x.uses_limit
            )
            from standing_approvals as x
            where x.org_id = p_org_id
              and x.agent_id = p_agent_id
              and x.withdrawn_at is null
              and x.expires_at > hub_time_or_last()
            order by x.id
        ),
        'tasks', array(
          select json_build_object(
              'id', task.id,
              'mode', task.mode,
              'from_agent_id', task.from_agent_id,
              'stopped', parent.frozen or parent.status <> 'active',
              'services', task.services,
              'budget_limit', task.budget_limit,
              'month_limit', task.month_limit,
              'wallet', payer.wallet,
              'wallet_month', payer.wallet_month
            )
            from delegated_tasks as task
              join agents as parent on parent.org_id = task.org_id and parent.id = task.from_agent_id
              cross join lateral paying_wallet(parent.org_id, parent.team_id, parent.owner_user_id) as payer
            where task.org_id = p_org_id
              and task.to_agent_id = p_agent_id
              and task.ended_at is null
        ),
        'workflows', array(
          select given.workflow_id
            from workflow_grants as given
              join workflows as workflow on workflow.id = given.workflow_id
            where given.org_id = p_org_id
              and given.agent_id = p_agent_id
              and workflow.deleted_at is null
        )
      )
      from agents as agent
        cross join lateral paying_wallet(agent.org_id, agent.team_id, agent.owner_user_id) as paying
      where agent.org_id = p_org_id
        and agent.id = p_agent_id
        and agent.deleted_at is null
  );
end
$$;

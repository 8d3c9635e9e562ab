-- Takes a workspace's time back to now after its clock was ahead. Everything stored ahead of now gets the time of now; the log alone keeps
-- what it recorded, in its order. Limits that count a later period are counted again for the current one from what was settled and is
-- held, with what ran ahead of time added, so that no cap passes twice. Answers how far the workspace was ahead; null if it was not.
create or replace function return_time(p_org text) returns interval language plpgsql as $$
declare
  v_at timestamptz;
  v_last timestamptz;
  v_month int;
  v_day int;
  v_from timestamptz;
  v_ahead text[];
  v_ended text[];
  v_tie record;
begin
  select last_at into v_last from org_heads where org_id = p_org for update;
  v_at := hub_time();
  if v_last is null or v_last <= v_at + interval '5 minutes' then return null; end if;
  v_month := month_of(v_at); v_day := day_of(v_at);
  v_from := date_trunc('month', v_at at time zone 'utc') at time zone 'utc';
  update org_heads set last_at = v_at, times_rise_after = seq where org_id = p_org;

  select array_agg(q.id) into v_ahead from (
    select request_id id from settlements where org_id = p_org and completed_at > v_at union
    select request_id from holds where org_id = p_org and created_at > v_at union
    select request_id from approvals where org_id = p_org and requested_at > v_at and kind = 'service_request') q;
  update requests set created_at = v_at where org_id = p_org and id = any (v_ahead) and created_at > v_at;
  update settlements set completed_at = v_at where org_id = p_org and completed_at > v_at;
  update movements set created_at = v_at where org_id = p_org and created_at > v_at;
  update idempotency_keys set created_at = v_at, expires_at = v_at + (expires_at - created_at) where org_id = p_org and created_at > v_at;
  insert into usage_days as g (org_id, day, agent_id, service, operation, mode, executed, failed, blocked, cost_cents)
    select org_id, (v_at at time zone 'utc')::date, agent_id, service, operation, mode, sum(executed), sum(failed), sum(blocked), sum(cost_cents)
      from usage_days where org_id = p_org and day > (v_at at time zone 'utc')::date group by 1, 2, 3, 4, 5, 6
    on conflict (org_id, day, agent_id, service, operation, mode) do update set executed = g.executed + excluded.executed,
      failed = g.failed + excluded.failed, blocked = g.blocked + excluded.blocked, cost_cents = g.cost_cents + excluded.cost_cents;
  delete from usage_days where org_id = p_org and day > (v_at at time zone 'utc')::date;

  -- Pending approvals keep the life they were given.
  update approvals set expires_at = v_at + (expires_at - requested_at), requested_at = v_at where org_id = p_org and requested_at > v_at;
  update approvals set decided_at = v_at where org_id = p_org and decided_at > v_at;
  update approval_decisions set created_at = v_at where org_id = p_org and created_at > v_at;

  -- Work that runs on is due as soon as it would have been, or at once.
  update holds set created_at = least(created_at, v_at), month = least(month, v_month), day = least(day, v_day),
      deadline_at = case when created_at > v_at then v_at + (deadline_at - created_at) else deadline_at end,
      due_at = case when due_at > v_at then greatest(v_at, due_at - (v_last - v_at)) else due_at end, leased_until = null
    where org_id = p_org and (created_at > v_at or month > v_month or day > v_day or due_at > v_at or leased_until > v_at);

  -- Agents and tasks that ended ahead of time ended in this month: their requests of this month count as those of their parents.
  select coalesce(array_agg(ended.id), '{}')
    into v_ended
    from (
      select id from agents where org_id = p_org and ended_month > v_month
      union all
      select id from delegated_tasks where org_id = p_org and ended_month > v_month
    ) as ended;
  update agents set ended_month = v_month where org_id = p_org and ended_month > v_month;
  update agents set ends_at = v_at + (ends_at - created_at) where org_id = p_org and ends_at is not null and created_at > v_at;
  update delegated_tasks set
      created_at = least(created_at, v_at),
      started_at = least(started_at, v_at),
      ended_at = least(ended_at, v_at),
      ended_month = least(ended_month, v_month)
    where org_id = p_org and (created_at > v_at or started_at > v_at or ended_at > v_at or ended_month > v_month);
  update holds as hold set limits = array_replace(hold.limits, own.id, heir.id)
    from limits as own
      join limits as heir
        on heir.org_id = own.org_id
        and heir.kind = limit_kind('agent_month')
        and heir.mode = own.mode
        and heir.agent_id = month_holder(
          p_org, case when own.kind = limit_kind('task_month') then own.operation else own.agent_id end, v_month
        )
    where hold.org_id = p_org
      and hold.month = v_month
      and own.org_id = p_org
      and own.id = any (hold.limits)
      and (
        own.kind = limit_kind('agent_month') and own.agent_id = any (v_ended)
        or own.kind = limit_kind('task_month') and own.operation = any (v_ended)
      );

  with
    settled as materialized (
      select s.agent_id, s.mode, s.service, s.operation, b.task_id, month_of(b.at) as month, day_of(b.at) as day, count(*) as requests,
          sum(case when s.mode = 'live' then s.cost_cents else s.ceiling_cents end)::bigint as cents
        from settlements as s
          cross join lateral (
            select
                coalesce((
                  select max(a.decided_at)
                    from approvals as a
                    where a.org_id = s.org_id and a.request_id = s.request_id and a.status = 'approved'
                ), r.created_at) as at,
                case when r.origin like '%"task_id"%' then r.origin::json ->> 'task_id' end as task_id
              from requests as r
              where r.org_id = s.org_id and r.id = s.request_id
          ) as b
        where s.org_id = p_org
          and s.status = 'executed'
          and s.completed_at >= v_from
          and exists (select from limits as x where x.org_id = p_org and x.period > period_of(x.kind, v_month, v_day))
        group by 1, 2, 3, 4, 5, 6, 7
    ),
    held_by as materialized (
      select settled.*, month_holder(p_org, coalesce(settled.task_id, settled.agent_id), v_month) as holder
        from settled
    ),
    recounted as (
      select x.id, x.kind, x.mode, x.service, x.operation, x.agent_id
        from limits as x
        where x.org_id = p_org
          and (
            x.period > period_of(x.kind, v_month, v_day)
            or x.kind = limit_kind('agent_month') and x.agent_id = any (v_ended)
            or x.kind = limit_kind('task_month') and x.operation = any (v_ended)
          )
    )
  update limits as l set
      period = period_of(l.kind, v_month, v_day),
      used = coalesce((
        select sum(share_of(l.kind, s.requests, s.cents))
          from held_by as s
          where s.mode = x.mode
            and case
              when x.kind = limit_kind('agent_month') then s.holder = x.agent_id and s.month = v_month
              when x.kind = limit_kind('task_month') then s.holder = x.operation and s.month = v_month
              else s.agent_id = x.agent_id and s.service = x.service and s.operation = x.operation and (
                x.kind = limit_kind('operation_month') and s.month = v_month
                or x.kind = limit_kind('operation_day_count') and s.day = v_day
              )
            end
      ), 0),
      held = coalesce((
        select sum(share_of(l.kind, 1, h.ceiling_cents))
          from holds as h
          where h.org_id = p_org
            and l.id = any (h.limits)
            and period_of(l.kind, h.month, h.day) = period_of(l.kind, v_month, v_day)
      ), 0)
    from recounted as x
    where l.id = x.id;
  -- A child that used more than it has committed commits that; deeper ones first, because a parent's use includes their commitments.
  for v_depth in reverse 3..1 loop
    for v_tie in
      select tie.child_limit, tie.parent_limit, tie.cents, commitment_of(own, v_month) as exact_cents
        from commitments as tie
          join limits as own on own.org_id = tie.org_id and own.id = tie.child_limit and own.kind = limit_kind('agent_month')
          join agents as child on child.org_id = own.org_id and child.id = own.agent_id and child.depth = v_depth
        where tie.org_id = p_org and commitment_of(own, v_month) > tie.cents
    loop
      update commitments set cents = v_tie.exact_cents, is_over = true where org_id = p_org and child_limit = v_tie.child_limit;
      update limits set committed = committed + v_tie.exact_cents - v_tie.cents where org_id = p_org and id = v_tie.parent_limit;
    end loop;
  end loop;
  delete from budget_alerts t using limits l where t.org_id = p_org and l.id = t.limit_id and t.period > l.period;
  update budget_alerts set raised_at = v_at where org_id = p_org and raised_at > v_at;

  update devices set heard_at = least(heard_at, v_at), confirmed_at = least(confirmed_at, v_at), socket_until = least(socket_until, v_at)
    where org_id = p_org and (heard_at > v_at or confirmed_at > v_at or socket_until > v_at);
  return v_last - v_at;
end
$$;

-- A part of return_time: counts the limits of a later period, and those of the ended agents and tasks in p_ended, for the current one again.
create or replace function recount_limits(p_org text, p_month int, p_day int, p_from timestamptz, p_ended text[])
  returns void language plpgsql as $$
begin
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
          and s.completed_at >= p_from
          and exists (select from limits as x where x.org_id = p_org and x.period > period_of(x.kind, p_month, p_day))
        group by 1, 2, 3, 4, 5, 6, 7
    ),
    held_by as materialized (
      select settled.*, month_holder(p_org, coalesce(settled.task_id, settled.agent_id), p_month) as holder
        from settled
    ),
    recounted as (
      select x.id, x.kind, x.mode, x.service, x.operation, x.agent_id
        from limits as x
        where x.org_id = p_org
          and (
            x.period > period_of(x.kind, p_month, p_day)
            or x.kind = limit_kind('agent_month') and x.agent_id = any (p_ended)
            or x.kind = limit_kind('task_month') and x.operation = any (p_ended)
          )
    )
  update limits as l set
      period = period_of(l.kind, p_month, p_day),
      used = coalesce((
        select sum(share_of(l.kind, s.requests, s.cents))
          from held_by as s
          where s.mode = x.mode
            and case
              when x.kind = limit_kind('agent_month') then s.holder = x.agent_id and s.month = p_month
              when x.kind = limit_kind('task_month') then s.holder = x.operation and s.month = p_month
              else s.agent_id = x.agent_id and s.service = x.service and s.operation = x.operation and (
                x.kind = limit_kind('operation_month') and s.month = p_month
                or x.kind = limit_kind('operation_day_count') and s.day = p_day
              )
            end
      ), 0),
      held = coalesce((
        select sum(share_of(l.kind, 1, h.ceiling_cents))
          from holds as h
          where h.org_id = p_org
            and l.id = any (h.limits)
            and period_of(l.kind, h.month, h.day) = period_of(l.kind, p_month, p_day)
      ), 0)
    from recounted as x
    where l.id = x.id;
  update limits as counted set
      period = p_month,
      used = coalesce((
        select sum(paid.amount_cents)
          from movements as paid
          where paid.org_id = p_org
            and paid.debit_id = wallet.limit_id
            and paid.cause_type = 'service_request'
            and paid.created_at >= p_from
      ), 0)
    from team_wallets as wallet
    where wallet.org_id = p_org
      and wallet.month_limit_id = counted.id
      and counted.period >= p_month
      and counted.used = 0;
end
$$;

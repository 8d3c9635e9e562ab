-- What people were told of a limit's use: at most one row a limit, of the period and the cap that it was told for. Beside limits, so that
-- nothing of it is in a tick's way.
create table budget_alerts (
  -- a row of limits; those are never deleted
  limit_id bigint primary key,
  org_id text collate "C" not null,
  period int not null,
  level int not null,
  cap bigint not null,
  used bigint not null,
  -- the entry of the log that tells it
  audit_id text collate "C" not null,
  raised_at timestamptz not null
);

create index budget_alerts_org on budget_alerts (org_id, raised_at, limit_id);

-- Live limits of agents and operations whose use in the running period passed a level of their workspace, and which. `standing` is the
-- level up to which nothing is to be told: 0 in a new period, what was told, or, once the cap was raised, what of it holds under the new cap.
create view passed_levels as
select x.org_id, x.id, x.kind, x.agent_id, x.service, x.operation, x.cap, x.used, x.period, n.level, t.audit_id, t.raised_at, t.level as told_level,
    case when t.limit_id is null then 0 when x.cap <= t.cap then t.level
      else least(t.level, coalesce((select max(l) from unnest(o.alert_levels) l where t.used * 100 >= l * x.cap), 0)) end as standing
  from limits x
    join orgs o on o.id = x.org_id
    join org_heads h on h.org_id = x.org_id
    join agents a on a.id = x.agent_id and a.deleted_at is null
    left join budget_alerts t on t.limit_id = x.id and t.period = x.period
    cross join lateral (select greatest(clock_timestamp(), h.last_at) as at) c
    cross join lateral (select max(l) as level from unnest(o.alert_levels) l where x.used * 100 >= l * x.cap) n
  where x.kind in (2, 3, 4) and x.mode = 'live' and x.cap is not null and x.used > 0 and n.level is not null
    and x.period = period_of(x.kind, month_of(c.at), day_of(c.at));

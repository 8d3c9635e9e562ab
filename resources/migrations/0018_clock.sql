-- Whether the server's clock can be believed. A hub compares it once a second with time that passed by its own uptime and confirms it
-- here. A clock that jumps is not confirmed: what decides on time waits until the clock is right again, or has been steady for a while.

create table clock_watch (
  one boolean primary key default true check (one),
  confirmed_at timestamptz not null,
  -- The hub that confirmed it, the boot of its machine, and how long that has been up, in seconds.
  hub text not null,
  boot text,
  uptime float8 not null,
  -- Since when hubs have refused the clock, by their own time since the last confirmation; null while it is believed.
  doubted_at timestamptz,
  -- How far the clock is ahead of the expected time, in seconds, while it is doubted.
  ahead float8
) with (fillfactor = 30);

-- Time, or null while the clock is in doubt: for conditions on work that is due. Without a hub nobody watches, and the clock is believed.
create function hub_time_or_null() returns timestamptz language plpgsql stable as $$
declare v_at timestamptz := clock_timestamp(); v_confirmed timestamptz;
begin
  select confirmed_at into v_confirmed from clock_watch;
  if v_at > v_confirmed + interval '5 minutes' or v_at < v_confirmed - interval '5 minutes' then return null; end if;
  return v_at;
end
$$;

-- Time, or the last confirmed time while the clock is in doubt: for times that are stored to be compared later.
create function hub_time_or_last() returns timestamptz language plpgsql stable as $$
begin
  return coalesce(hub_time_or_null(), (select confirmed_at from clock_watch));
end
$$;

-- Time in whole milliseconds. Raises 57000 while the clock is in doubt, so that nothing is written in a wrong year.
create function hub_time() returns timestamptz language plpgsql stable as $$
declare v_at timestamptz := hub_time_or_null();
begin
  if v_at is null then raise exception 'the database clock is in doubt' using errcode = '57000', hint = 'clock'; end if;
  return date_trunc('milliseconds', v_at);
end
$$;

-- A hub confirms the clock: p_expected is the time it expects. Another hub's confirmation of the last minute counts as well, because that
-- hub's own time passed without a gap. Answers how far ahead of the expected time the clock is, in seconds; null when it is confirmed.
create function confirm_clock(p_hub text, p_boot text, p_uptime float8, p_expected timestamptz, p_accept boolean) returns float8 language plpgsql as $$
declare v_at timestamptz := clock_timestamp(); v clock_watch;
begin
  select * into v from clock_watch for update;
  if v.one is null then
    insert into clock_watch (confirmed_at, hub, boot, uptime) values (v_at, p_hub, p_boot, p_uptime) on conflict do nothing;
    return null;
  end if;
  if p_accept or abs(extract(epoch from v_at - p_expected)) <= 300
      or v.hub <> p_hub and v.doubted_at is null and abs(extract(epoch from v_at - v.confirmed_at)) <= 60 then
    update clock_watch set confirmed_at = v_at, hub = p_hub, boot = p_boot, uptime = p_uptime, doubted_at = null, ahead = null;
    return null;
  end if;
  update clock_watch set doubted_at = coalesce(doubted_at, p_expected), ahead = extract(epoch from v_at - p_expected);
  return extract(epoch from v_at - p_expected);
end
$$;

create or replace function lock_org(p_org text) returns timestamptz language plpgsql as $$
declare v_at timestamptz;
begin
  perform 1 from org_heads where org_id = p_org for update;
  update org_heads set last_at = greatest(hub_time(), last_at) where org_id = p_org returning last_at into v_at;
  if v_at is null then raise exception 'no workspace %', p_org; end if;
  return v_at;
end
$$;

-- The tick reads its time the same way. Only that expression changes, whichever earlier migration defined the function last.
do $$
declare v_old text := 'date_trunc(''milliseconds'', clock_timestamp())'; v_tick text := pg_get_functiondef('tick'::regproc);
begin
  if position(v_old in v_tick) = 0 then raise exception 'tick does not read its time as expected'; end if;
  execute replace(v_tick, v_old, 'hub_time()');
end
$$;

-- The last entry of a workspace's log that stands before an earlier time: up to it times do not rise with seq.
alter table org_heads add column times_rise_after bigint not null default 0;

-- Takes a workspace's time back to now after its clock was ahead. Everything stored ahead of now gets the time of now; the log alone keeps
-- what it recorded, in its order. Limits that count a later period are counted anew for the current one from what was settled and is
-- held, with what ran ahead of time added, so that no cap passes twice. Answers how far the workspace was ahead; null if it was not.
create function return_time(p_org text) returns interval language plpgsql as $$
declare v_at timestamptz; v_last timestamptz; v_month int; v_day int; v_from timestamptz; v_ahead text[];
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

  with s as materialized (
      select s.agent_id, s.mode, s.service, s.operation, month_of(b.at) as mo, day_of(b.at) as dy, count(*) n,
          sum(case when s.mode = 'live' then s.cost_cents else s.ceiling_cents end)::bigint c
        from settlements s
          cross join lateral (select coalesce((select max(a.decided_at) from approvals a where a.org_id = s.org_id and a.request_id = s.request_id
              and a.status = 'approved'), (select r.created_at from requests r where r.org_id = s.org_id and r.id = s.request_id)) as at) b
        where s.org_id = p_org and s.status = 'executed' and s.completed_at >= v_from
          and exists (select 1 from limits x where x.org_id = p_org and x.period > period_of(x.kind, v_month, v_day))
        group by 1, 2, 3, 4, 5, 6),
    x as (select x.id, x.kind, x.mode, x.service, x.operation, x.agent_id from limits x
      where x.org_id = p_org and x.period > period_of(x.kind, v_month, v_day))
  update limits l set period = period_of(l.kind, v_month, v_day),
      used = coalesce((select sum(case when l.kind = 4 then s.n else s.c end) from s
        where s.mode = x.mode and (s.agent_id = x.agent_id or x.kind = 2 and s.agent_id in
            (select a.id from agents a where a.org_id = p_org and a.parent_agent_id = x.agent_id and a.deleted_at is not null))
          and (x.kind = 2 or s.service = x.service and s.operation = x.operation)
          and (x.kind in (2, 3) and s.mo = v_month or x.kind = 4 and s.dy = v_day)), 0),
      held = coalesce((select sum(case when l.kind = 4 then 1 else h.ceiling_cents end) from holds h
        where h.org_id = p_org and l.id = any (h.limits) and period_of(l.kind, h.month, h.day) = period_of(l.kind, v_month, v_day)), 0)
    from x where l.id = x.id;
  delete from budget_alerts t using limits l where t.org_id = p_org and l.id = t.limit_id and t.period > l.period;
  update budget_alerts set raised_at = v_at where org_id = p_org and raised_at > v_at;

  update devices set heard_at = least(heard_at, v_at), confirmed_at = least(confirmed_at, v_at), socket_until = least(socket_until, v_at)
    where org_id = p_org and (heard_at > v_at or confirmed_at > v_at or socket_until > v_at);
  return v_last - v_at;
end
$$;

create or replace view passed_levels as
select x.org_id, x.id, x.kind, x.agent_id, x.service, x.operation, x.cap, x.used, x.period, n.level, t.audit_id, t.raised_at, t.level as told_level,
    case when t.limit_id is null then 0 when x.cap <= t.cap then t.level
      else least(t.level, coalesce((select max(l) from unnest(o.alert_levels) l where t.used * 100 >= l * x.cap), 0)) end as standing
  from limits x
    join orgs o on o.id = x.org_id
    join org_heads h on h.org_id = x.org_id
    join agents a on a.id = x.agent_id and a.deleted_at is null
    left join budget_alerts t on t.limit_id = x.id and t.period = x.period
    cross join lateral (select greatest((select hub_time_or_last()), h.last_at) as at) c
    cross join lateral (select max(l) as level from unnest(o.alert_levels) l where x.used * 100 >= l * x.cap) n
  where x.kind in (2, 3, 4) and x.mode = 'live' and x.cap is not null and x.used > 0 and n.level is not null
    and x.period = period_of(x.kind, month_of(c.at), day_of(c.at));

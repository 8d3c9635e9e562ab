-- Counts final settlements and refused begins in the daily usage.
create or replace function count_usage(p_settled settled_request[], p_begins pending_begin[], p_codes int[])
  returns void language plpgsql as $$
declare
  v_has_refused boolean := begin_code('blocked') = any (p_codes) or begin_code('failed') = any (p_codes);
begin
  if p_settled = '{}' and not v_has_refused then return; end if;
  insert into usage_days as usage (org_id, day, agent_id, service, operation, mode, executed, failed, blocked, cost_cents)
    select
        ended.org_id,
        (ended.at at time zone 'utc')::date,
        ended.agent_id,
        ended.service,
        ended.operation,
        ended.mode,
        count(*) filter (where ended.status = 'executed'),
        count(*) filter (where ended.status = 'failed'),
        count(*) filter (where ended.status = 'blocked'),
        sum(ended.cost_cents)
      from (
        select settled.org_id, settled.at, settled.agent_id, settled.service, settled.operation, settled.mode, settled.status,
            settled.cost_cents
          from unnest(p_settled) as settled
          where settled.status <> 'running'
        union all
        select refused.org_id, refused.at, refused.agent_id, refused.service, refused.operation, refused.mode,
            refused_status(p_codes[refused.place]), 0
          from unnest(p_begins) as refused
          where v_has_refused
            and p_codes[refused.place] in (begin_code('blocked'), begin_code('failed'))
      ) as ended
      group by 1, 2, 3, 4, 5, 6
      order by 1, 2, 3, 4, 5, 6
    on conflict (org_id, day, agent_id, service, operation, mode) do update set
      executed = usage.executed + excluded.executed,
      failed = usage.failed + excluded.failed,
      blocked = usage.blocked + excluded.blocked,
      cost_cents = usage.cost_cents + excluded.cost_cents;
end
$$;

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
begin
  -- Devices are locked before the workspace, in order of id, as in every transaction that locks both.
  perform from devices where org_id = p_org order by id for no key update;
  select last_at into v_last from org_heads where org_id = p_org for update;
  v_at := hub_time();
  if v_last is null or v_last <= v_at + interval '5 minutes' then return null; end if;
  v_month := month_of(v_at); v_day := day_of(v_at);
  v_from := date_trunc('month', v_at at time zone 'utc') at time zone 'utc';
  update org_heads set last_at = v_at, times_rise_after = seq where org_id = p_org;

  perform return_records(p_org, v_at, v_last, v_month, v_day);
  perform recount_limits(p_org, v_month, v_day, v_from, return_families(p_org, v_at, v_month));
  perform recommit_children(p_org, v_month);
  delete from budget_alerts t using limits l where t.org_id = p_org and l.id = t.limit_id and t.period > l.period;
  update budget_alerts set raised_at = v_at where org_id = p_org and raised_at > v_at;

  update devices set heard_at = least(heard_at, v_at), confirmed_at = least(confirmed_at, v_at), socket_until = least(socket_until, v_at)
    where org_id = p_org and (heard_at > v_at or confirmed_at > v_at or socket_until > v_at);
  return v_last - v_at;
end
$$;

-- Moves what one monthly limit has used and holds in the current month to another, under the workspace's lock. Open holds of this month then
-- name the other limit, so their settlements count there. Holds of earlier months stay: they count in neither month any more.
create or replace function move_month(p_org text, p_from bigint, p_to bigint, p_at timestamptz) returns void language plpgsql as $$
declare
  v_month int := month_of(p_at);
  v_day int := day_of(p_at);
  v_from limits;
begin
  select * into v_from from limits as x where x.org_id = p_org and x.id = p_from;
  update limits as x set
      period = v_month,
      used = used_now(x, v_month, v_day) + used_now(v_from, v_month, v_day),
      held = held_now(x, v_month, v_day) + held_now(v_from, v_month, v_day)
    where x.org_id = p_org and x.id = p_to;
  update limits as x set used = 0, held = 0 where x.org_id = p_org and x.id = p_from and x.period = v_month;
  update holds as hold set limits = array_replace(hold.limits, p_from, p_to)
    where hold.org_id = p_org and hold.month = v_month and p_from = any (hold.limits);
end
$$;

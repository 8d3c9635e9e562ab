-- Commits a limit on its parent's month, or changes what it has committed; the caller has the workspace's lock. False when the parent has no
-- room for the difference, or has a cap and the child has none: nothing changes then. A commitment outlives the month, so it takes no part of
-- an increase for one month.
create or replace function commit_limit(p_org text, p_child bigint, p_parent bigint, p_at timestamptz) returns boolean language plpgsql as $$
declare
  v_child limits;
  v_parent limits;
  v_before bigint;
  v_cents bigint;
begin
  select * into v_child from limits as x where x.org_id = p_org and x.id = p_child;
  select * into v_parent from limits as x where x.org_id = p_org and x.id = p_parent;
  if v_child.id is null or v_parent.id is null then
    raise exception 'no limit % or % in workspace %', p_child, p_parent, p_org;
  end if;
  v_before := coalesce((
    select tie.cents from commitments as tie where tie.org_id = p_org and tie.child_limit = p_child
  ), 0);
  v_cents := commitment_of(v_child, month_of(p_at));
  if v_parent.cap is not null and v_child.cap is null then return false; end if;
  if v_cents > v_before and (
    not has_room(v_parent, v_cents - v_before, month_of(p_at), day_of(p_at), p_at)
    or v_parent.committed + v_cents - v_before > v_parent.cap - v_parent.once_cents
  ) then
    return false;
  end if;
  update limits as x set committed = x.committed + v_cents - v_before where x.org_id = p_org and x.id = p_parent;
  insert into commitments as tie (org_id, child_limit, parent_limit, cents, is_over)
    values (p_org, p_child, p_parent, v_cents, coalesce(v_cents > v_child.cap - v_child.once_cents, false))
    on conflict (child_limit) do update set cents = excluded.cents, is_over = excluded.is_over;
  return true;
end
$$;

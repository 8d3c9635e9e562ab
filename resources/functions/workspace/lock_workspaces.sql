-- Locks the workspaces of a batch in the order of their ids, and reads their times and chains after that. Without p_wait, workspaces that
-- another transaction has locked are absent from the result; null when none is left.
create or replace function lock_workspaces(p_org_ids text[], p_wait boolean) returns locked_workspace[] language plpgsql as $$
declare
  v_org_ids text[];
  v_workspaces locked_workspace[];
begin
  -- Usually all entries are of one workspace.
  if p_org_ids[1] = all (p_org_ids) then
    v_org_ids := p_org_ids[1:1];
  else
    v_org_ids := array(select distinct named.org_id from unnest(p_org_ids) as named(org_id));
  end if;
  if p_wait then
    perform from org_heads as head
      where head.org_id = any (v_org_ids)
      order by head.org_id
      for update;
  else
    select array_agg(locked.org_id)
      into v_org_ids
      from (
        select head.org_id
          from org_heads as head
          where head.org_id = any (v_org_ids)
          order by head.org_id
          for update skip locked
      ) as locked;
  end if;
  select array_agg(
      row(
        head.org_id,
        head.at,
        month_of(head.at),
        day_of(head.at),
        head.rules_version,
        head.seq,
        head.head
      )::locked_workspace
      order by head.org_id
    )
    into v_workspaces
    from (
      select x.org_id, greatest(hub_time(), x.last_at) as at, x.rules_version, x.seq, x.head
        from org_heads as x
        where x.org_id = any (v_org_ids)
        offset 0
    ) as head;
  return v_workspaces;
end
$$;

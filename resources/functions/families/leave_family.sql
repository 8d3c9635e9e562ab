-- Ends an agent's place in its family, under the workspace's lock: its parent gets back what the agent did not use, what it used and holds
-- this month counts as the parent's, and its children pass to the parent with what they have committed. Without a parent the children become
-- roots. The ended agent keeps its parent_agent_id, because its month counts there. Returns the number of children.
create or replace function leave_family(p_org text, p_agent text, p_at timestamptz) returns int language plpgsql as $$
declare
  v_own limits;
  v_parent bigint;
  v_inherited bigint;
  v_children int;
begin
  for v_own in
    select * from limits as x
      where x.org_id = p_org and x.kind = limit_kind('agent_month') and x.mode in ('live', 'test') and x.agent_id = p_agent
      order by x.id
  loop
    v_parent := release_commitment(p_org, v_own.id);
    if v_parent is null then
      delete from commitments as tie where tie.org_id = p_org and tie.parent_limit = v_own.id;
    else
      perform move_month(p_org, v_own.id, v_parent, p_at);
      with passed as (
        update commitments as tie set parent_limit = v_parent
          where tie.org_id = p_org and tie.parent_limit = v_own.id
          returning tie.cents
      )
      select coalesce(sum(passed.cents), 0) into v_inherited from passed;
      update limits as x set committed = x.committed + v_inherited where x.org_id = p_org and x.id = v_parent;
    end if;
    update limits as x set committed = 0 where x.org_id = p_org and x.id = v_own.id;
  end loop;

  with recursive below as (
    select child.id
      from agents as child
      where child.org_id = p_org and child.parent_agent_id = p_agent and child.deleted_at is null
    union all
    select child.id
      from agents as child
        join below on child.parent_agent_id = below.id
      where child.org_id = p_org and child.deleted_at is null
  )
  update agents as member set depth = member.depth - 1, updated_at = now()
    from below
    where member.org_id = p_org and member.id = below.id;
  update agents as child set parent_agent_id = own.parent_agent_id
    from agents as own
    where own.org_id = p_org
      and own.id = p_agent
      and child.org_id = p_org
      and child.parent_agent_id = p_agent
      and child.deleted_at is null;
  get diagnostics v_children = row_count;
  update agents as own set ended_month = month_of(p_at)
    where own.org_id = p_org and own.id = p_agent and own.parent_agent_id is not null;
  return v_children;
end
$$;

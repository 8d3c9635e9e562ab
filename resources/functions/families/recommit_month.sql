-- Changes what an agent has committed on its parent after its cap was raised, in both modes; the caller has the workspace's lock. False when the
-- parent has no room; the caller then rolls its transaction back.
create or replace function recommit_month(p_org text, p_agent text, p_at timestamptz) returns boolean language plpgsql as $$
declare
  v_tie commitments;
begin
  for v_tie in
    select tie.*
      from commitments as tie
        join limits as own on own.org_id = tie.org_id and own.id = tie.child_limit
      where tie.org_id = p_org and own.kind = limit_kind('agent_month') and own.agent_id = p_agent
  loop
    if not commit_limit(p_org, v_tie.child_limit, v_tie.parent_limit, p_at) then return false; end if;
  end loop;
  return true;
end
$$;

-- A part of return_time: a child that used more than it has committed commits that; deeper ones first, because a parent's use includes
-- their commitments.
create or replace function recommit_children(p_org text, p_month int) returns void language plpgsql as $$
declare
  v_tie record;
begin
  for v_depth in reverse 3..1 loop
    for v_tie in
      select tie.child_limit, tie.parent_limit, tie.cents, commitment_of(own, p_month) as exact_cents
        from commitments as tie
          join limits as own on own.org_id = tie.org_id and own.id = tie.child_limit and own.kind = limit_kind('agent_month')
          join agents as child on child.org_id = own.org_id and child.id = own.agent_id and child.depth = v_depth
        where tie.org_id = p_org and commitment_of(own, p_month) > tie.cents
    loop
      update commitments set cents = v_tie.exact_cents, is_over = true where org_id = p_org and child_limit = v_tie.child_limit;
      update limits set committed = committed + v_tie.exact_cents - v_tie.cents where org_id = p_org and id = v_tie.parent_limit;
    end loop;
  end loop;
end
$$;

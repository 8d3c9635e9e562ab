-- Ends what a limit has committed on its parent's, under the workspace's lock. Returns the parent's limit, null without one.
create or replace function release_commitment(p_org text, p_child bigint) returns bigint language plpgsql as $$
declare
  v_tie commitments;
begin
  delete from commitments as tie
    where tie.org_id = p_org and tie.child_limit = p_child
    returning * into v_tie;
  if not found then return null; end if;
  update limits as x set committed = x.committed - v_tie.cents where x.org_id = p_org and x.id = v_tie.parent_limit;
  return v_tie.parent_limit;
end
$$;

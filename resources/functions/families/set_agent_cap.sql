-- Sets the monthly cap of an agent in both modes, with what it has committed on its parent; null is no cap. Returns the error code when the
-- family does not allow it; the caller then rolls its transaction back.
create or replace function set_agent_cap(p_org text, p_agent text, p_cap bigint, p_at timestamptz) returns text language plpgsql as $$
declare
  v_own limits;
  v_parent bigint;
begin
  insert into limits as x (org_id, kind, mode, agent_id, cap)
    select p_org, limit_kind('agent_month'), modes.mode, p_agent, p_cap
      from unnest(array['live', 'test']) as modes(mode)
    on conflict (org_id, kind, mode, agent_id, service, operation) do update set cap = excluded.cap, once_cents = 0;
  for v_own in
    select * from limits as x
      where x.org_id = p_org and x.kind = limit_kind('agent_month') and x.mode in ('live', 'test') and x.agent_id = p_agent
      order by x.id
  loop
    if p_cap < v_own.committed then return 'budget_committed'; end if;
    if p_cap is not null and exists (
      select
        from commitments as tie
          join limits as child on child.org_id = tie.org_id and child.id = tie.child_limit
        where tie.org_id = p_org and tie.parent_limit = v_own.id and child.cap is null
    ) then
      return 'budget_committed';
    end if;
    v_parent := (select tie.parent_limit from commitments as tie where tie.org_id = p_org and tie.child_limit = v_own.id);
    if v_parent is not null and not commit_limit(p_org, v_own.id, v_parent, p_at) then return 'insufficient_budget'; end if;
  end loop;
  return null;
end
$$;

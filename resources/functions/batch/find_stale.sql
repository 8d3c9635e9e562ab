-- Begins that the hub decided on an old configuration of the agent or of the workspace's rules, with those that were recognized by the key
-- of such a begin: all are decided again.
create or replace function find_stale(p_begins pending_begin[], p_codes int[], p_refs text[])
  returns setof begin_decision language plpgsql as $$
declare
  v_request_ids text[];
begin
  v_request_ids := array(
    select pending.request_id
      from unnest(p_begins) as pending
        left join lateral (
          select x.version
            from agents as x
            where x.id = pending.agent_id
              and x.org_id = pending.org_id
            offset 0
        ) as agent on true
      where p_codes[pending.place] = begin_code('undecided')
        and (agent.version is distinct from pending.agent_version or not pending.rules_are_current)
  );
  if v_request_ids = '{}' then return; end if;
  return query
    select pending.place, begin_code('stale'), null::text, null::timestamptz, null::text, null::text
      from unnest(p_begins) as pending
      where (p_codes[pending.place] = begin_code('undecided') and pending.request_id = any (v_request_ids))
        or (
          p_codes[pending.place] in (begin_code('known'), begin_code('conflict'))
          and p_refs[pending.place] = any (v_request_ids)
          and p_refs[pending.place] <> pending.request_id
        );
end
$$;

-- The audit entries of the approvals that admitted requests.
create or replace function grant_entries(p_begins pending_begin[], p_codes int[]) returns audit_entry[] language plpgsql as $$
begin
  return array(
    select row(
        pending.workspace,
        pending.grant_of->>'audit',
        'approval.approved',
        pending.grant_of->>'actor',
        'approval',
        pending.grant_of->>'id',
        pending.agent_id,
        'approved',
        null,
        pending.ceiling_cents,
        pending.grant_of->>'ip',
        pending.grant_of->>'data'
      )::audit_entry
      from unnest(p_begins) as pending
      where pending.grant_of is not null
        and p_codes[pending.place] in (begin_code('admitted'), begin_code('blocked'), begin_code('failed'))
      order by pending.place
  );
end
$$;

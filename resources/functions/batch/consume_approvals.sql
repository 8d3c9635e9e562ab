-- Grants: an approval is consumed in the transaction that starts the execution, and serves once. Returns the begins whose approval is not
-- pending any more.
create or replace function consume_approvals(p_begins pending_begin[], p_codes int[]) returns setof begin_decision language plpgsql as $$
declare
  v_granted int[];
begin
  with granted as (
    update approvals as approval set
        status = 'approved',
        decided_at = pending.at,
        decided_by = pending.grant_of->>'by',
        comment = pending.grant_of->>'comment'
      from unnest(p_begins) as pending
      where pending.grant_of is not null
        and p_codes[pending.place] = begin_code('undecided')
        and approval.id = pending.grant_of->>'id'
        and approval.org_id = pending.org_id
        and approval.request_id = pending.request_id
        and approval.status = 'pending'
        and approval.expires_at > pending.at
      returning pending.place
  )
  select coalesce(array_agg(granted.place), '{}') into v_granted from granted;
  insert into approval_decisions (org_id, approval_id, user_id, decision, comment, created_at)
    select
        pending.org_id,
        pending.grant_of->>'id',
        pending.grant_of->>'by',
        'approve',
        pending.grant_of->>'comment',
        pending.at
      from unnest(p_begins) as pending
      where pending.place = any (v_granted)
    on conflict (approval_id, user_id) do nothing;
  return query
    select pending.place, begin_code('not_pending'), null::text, null::timestamptz, null::text, null::text
      from unnest(p_begins) as pending
      where pending.grant_of is not null
        and p_codes[pending.place] = begin_code('undecided')
        and pending.place <> all (v_granted);
end
$$;

-- Begins that an earlier call committed, although its reply was lost. If the sender still owns the hold, the request is admitted again;
-- otherwise another hub ends it. A grant is recognized by its own audit entry, because others may have granted the same approval.
create or replace function find_repeated(p_owner int, p_begins pending_begin[]) returns setof begin_decision language plpgsql as $$
begin
  return query
    select
        pending.place,
        case when owned.is_own then begin_code('admitted_before') else begin_code('known') end,
        pending.request_id,
        case when owned.is_own then request.created_at end,
        null::text,
        null::text
      from unnest(p_begins) as pending
        join requests as request
          on request.org_id = pending.org_id
          and request.id = pending.request_id
        left join holds as hold on hold.request_id = pending.request_id
        cross join lateral (
          select coalesce(hold.owner = p_owner and hold.phase = hold_phase('reserved'), false) as is_own
        ) as owned
      where pending.grant_of is null
        or exists (
          select
            from audit as entry
            where entry.org_id = pending.org_id
              and entry.subject_id = pending.grant_of->>'id'
              and entry.action = 'approval.approved'
              and entry.id = pending.grant_of->>'audit'
        );
end
$$;

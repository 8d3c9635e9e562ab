-- Admits as one set the begins that touch no tight limit: one without room for everything that the batch wants of it. The others are left
-- to admit_one_by_one, so that no request is refused because another one of its batch would not fit.
create or replace function admit_together(p_begins pending_begin[], p_codes int[]) returns int[] language plpgsql as $$
declare
  v_tight_limits bigint[];
  v_admitted int[];
begin
  select coalesce(array_agg(wanted.id), '{}')
    into v_tight_limits
    from (
      select named.id, pending.month, pending.day, count(*) as requests, sum(pending.ceiling_cents)::bigint as ceiling_cents
        from unnest(p_begins) as pending
          cross join lateral unnest(pending.limits) as named(id)
        where p_codes[pending.place] = begin_code('undecided')
          and pending.verdict = verdict_code('admit')
          and pending.checked_limit is null
        group by named.id, pending.month, pending.day
    ) as wanted
      left join limits as x on x.id = wanted.id
    where x.id is null
      or x.valid_until is not null
      or x.period > period_of(x.kind, wanted.month, wanted.day)
      or not has_room(x, share_of(x.kind, wanted.requests, wanted.ceiling_cents), wanted.month, wanted.day, '-infinity');

  v_admitted := array(
    select pending.place
      from unnest(p_begins) as pending
      where p_codes[pending.place] = begin_code('undecided')
        and pending.verdict = verdict_code('admit')
        and pending.checked_limit is null
        and not pending.limits && v_tight_limits
  );
  if v_admitted = '{}' then return v_admitted; end if;

  update limits as x set
      period = period_of(x.kind, taken.month, taken.day),
      used = used_now(x, taken.month, taken.day),
      held = held_now(x, taken.month, taken.day) + share_of(x.kind, taken.requests, taken.ceiling_cents)
    from (
      select named.id, pending.month, pending.day, count(*) as requests, sum(pending.ceiling_cents)::bigint as ceiling_cents
        from unnest(p_begins) as pending
          cross join lateral unnest(pending.limits) as named(id)
        where p_codes[pending.place] = begin_code('undecided')
          and pending.verdict = verdict_code('admit')
          and pending.checked_limit is null
          and not pending.limits && v_tight_limits
        group by named.id, pending.month, pending.day
    ) as taken
    where x.id = taken.id;
  return v_admitted;
end
$$;

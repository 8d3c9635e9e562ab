-- Takes a set of limits for one request, or returns the first limit without room, in the order given. p_take false only checks;
-- p_checked_limit is checked and never taken.
create or replace function reserve_limits(
  p_limits bigint[],
  p_checked_limit bigint,
  p_ceiling_cents bigint,
  p_month int,
  p_day int,
  p_at timestamptz,
  p_take boolean
) returns bigint language plpgsql as $$
declare
  v_fitting int;
  v_is_later boolean;
  v_tight_limit bigint;
begin
  select
      count(*) filter (where has_room(x, share_of(x.kind, 1, p_ceiling_cents), p_month, p_day, p_at)),
      bool_or(x.period > period_of(x.kind, p_month, p_day))
    into v_fitting, v_is_later
    from limits as x
    where x.id = any (p_limits);
  -- A period never goes back: a clock that was set back must not open a cap that is used up.
  if v_is_later then
    raise exception 'limits % count a later period than that of %', p_limits, p_at;
  end if;
  if v_fitting < cardinality(p_limits) then
    select named.id
      into v_tight_limit
      from unnest(p_limits) with ordinality as named(id, place)
        left join limits as x on x.id = named.id
      where x.id is null
        or not has_room(x, share_of(x.kind, 1, p_ceiling_cents), p_month, p_day, p_at)
      order by named.place
      limit 1;
    if v_tight_limit is not null then return v_tight_limit; end if;
  end if;
  if p_take then
    update limits as x set
        period = period_of(x.kind, p_month, p_day),
        used = used_now(x, p_month, p_day),
        held = held_now(x, p_month, p_day) + share_of(x.kind, 1, p_ceiling_cents)
      where x.id = any (p_limits)
        and x.id is distinct from p_checked_limit;
  end if;
  return null;
end
$$;

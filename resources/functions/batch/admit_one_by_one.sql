-- Decides by their limits, in the order of the batch, the begins that could not be admitted together, and those that require approval.
create or replace function admit_one_by_one(p_begins pending_begin[], p_codes int[]) returns setof begin_decision language plpgsql as $$
declare
  v_begin pending_begin;
  v_limit limits;
  v_tight_limit bigint;
  v_code int;
  v_reason_code text;
  v_block text;
begin
  for v_begin in
    select pending.*
      from unnest(p_begins) as pending
      where p_codes[pending.place] = begin_code('undecided')
      order by pending.place
  loop
    v_code := case when v_begin.verdict = verdict_code('admit') then begin_code('admitted') else begin_code('approval_required') end;
    v_reason_code := v_begin.reason_code;
    v_block := null;
    v_tight_limit := reserve_limits(
      v_begin.limits,
      v_begin.checked_limit,
      v_begin.ceiling_cents,
      v_begin.month,
      v_begin.day,
      v_begin.at,
      v_begin.verdict = verdict_code('admit')
    );
    if v_tight_limit is not null then
      select * into v_limit from limits as x where x.id = v_tight_limit;
      if v_limit.id is null then
        v_code := begin_code('stale');
      elsif v_limit.kind in (limit_kind('standing_total'), limit_kind('standing_uses')) then
        -- A standing approval that is used up does not block: an approval is required.
        v_code := begin_code('approval_required');
      else
        v_code := begin_code('blocked');
        v_reason_code := limit_reason(v_limit.kind);
        v_block := block_of(v_limit, v_begin.org_id, v_begin.month, v_begin.day);
      end if;
    end if;
    if v_code = begin_code('approval_required') then
      v_reason_code := coalesce(v_reason_code, 'approval_threshold');
    end if;
    return next row(
      v_begin.place,
      v_code,
      case v_code
        when begin_code('approval_required') then v_begin.approval->>'id'
        when begin_code('blocked') then v_reason_code
      end,
      v_begin.at,
      v_block,
      v_reason_code
    )::begin_decision;
  end loop;
end
$$;

-- Begins that the hub decided to refuse.
create or replace function find_refused(p_begins pending_begin[], p_codes int[]) returns setof begin_decision language plpgsql as $$
begin
  return query
    select
        pending.place,
        case when pending.verdict = verdict_code('blocked') then begin_code('blocked') else begin_code('failed') end,
        case when pending.verdict = verdict_code('blocked') then pending.reason_code end,
        null::timestamptz,
        case when pending.verdict = verdict_code('blocked') then pending.block end,
        pending.reason_code
      from unnest(p_begins) as pending
      where pending.verdict in (verdict_code('blocked'), verdict_code('failed'))
        and p_codes[pending.place] = begin_code('undecided');
end
$$;

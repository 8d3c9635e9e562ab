-- Decides the begins of a batch. Each part decides some of them, and later parts see only those that are still undecided: a known key is
-- found before anything is refused, and the limits come last.
create or replace function decide_begins(
  p_owner int,
  p_again boolean,
  p_begins pending_begin[],
  inout begin_codes int[],
  inout begin_refs text[],
  inout begin_times float8[],
  inout begin_blocks text[],
  inout begin_reasons text[]
) language plpgsql as $$
declare
  v_begin record;
  v_decision begin_decision;
  v_place int;
  v_has_keys boolean := false;
  v_has_grants boolean := false;
  v_has_refused boolean := false;
begin
  for v_begin in
    select
        pending.place,
        millis_of(pending.at) as at_millis,
        pending.key is not null as has_key,
        pending.grant_of is not null as has_grant,
        pending.verdict in (verdict_code('blocked'), verdict_code('failed')) as is_refused
      from unnest(p_begins) as pending
  loop
    begin_codes[v_begin.place] := begin_code('undecided');
    begin_times[v_begin.place] := v_begin.at_millis;
    v_has_keys := v_has_keys or v_begin.has_key;
    v_has_grants := v_has_grants or v_begin.has_grant;
    v_has_refused := v_has_refused or v_begin.is_refused;
  end loop;

  if p_again then
    for v_decision in select * from find_repeated(p_owner, p_begins) loop
      begin_codes[v_decision.place] := v_decision.code;
      begin_refs[v_decision.place] := v_decision.ref;
      begin_times[v_decision.place] := coalesce(millis_of(v_decision.at), begin_times[v_decision.place]);
    end loop;
  end if;
  if v_has_keys then
    for v_decision in select * from find_known_keys(p_begins, begin_codes) loop
      begin_codes[v_decision.place] := v_decision.code;
      begin_refs[v_decision.place] := v_decision.ref;
    end loop;
  end if;
  for v_decision in select * from find_stale(p_begins, begin_codes, begin_refs) loop
    begin_codes[v_decision.place] := v_decision.code;
    begin_refs[v_decision.place] := null;
  end loop;
  if v_has_grants then
    for v_decision in select * from consume_approvals(p_begins, begin_codes) loop
      begin_codes[v_decision.place] := v_decision.code;
    end loop;
  end if;
  if v_has_refused then
    for v_decision in select * from find_refused(p_begins, begin_codes) loop
      begin_codes[v_decision.place] := v_decision.code;
      begin_refs[v_decision.place] := v_decision.ref;
      begin_blocks[v_decision.place] := v_decision.block;
    end loop;
  end if;
  if cardinality(p_begins) > 1 then
    foreach v_place in array admit_together(p_begins, begin_codes) loop
      begin_codes[v_place] := begin_code('admitted');
    end loop;
  end if;
  if begin_code('undecided') = any (begin_codes) then
    for v_decision in select * from admit_one_by_one(p_begins, begin_codes) loop
      begin_codes[v_decision.place] := v_decision.code;
      begin_refs[v_decision.place] := v_decision.ref;
      begin_blocks[v_decision.place] := v_decision.block;
      begin_reasons[v_decision.place] := v_decision.reason_code;
    end loop;
  end if;
end
$$;

-- The results of a batch's settles: those in p_settled are done, the others of locked workspaces not open.
create or replace function answer_settles(
  p_again boolean,
  p_settles pending_settle[],
  p_settled settled_request[],
  inout settle_codes int[],
  inout settle_times float8[],
  inout settle_costs float8[]
) language plpgsql as $$
declare
  v_answer record;
begin
  for v_answer in
    select settle.place, millis_of(settle.at) as at_millis, settled.cost_cents
      from unnest(p_settles) as settle
        left join unnest(p_settled) as settled on settled.place = settle.place
  loop
    settle_codes[v_answer.place] := case
      when v_answer.cost_cents is null then settle_code('not_open')
      else settle_code('done')
    end;
    settle_times[v_answer.place] := v_answer.at_millis;
    settle_costs[v_answer.place] := v_answer.cost_cents;
  end loop;
  if not p_again then return; end if;

  -- A repeated settle was committed by its sender's earlier call if the audit entry of that call exists.
  for v_answer in
    select settle.place, millis_of(entry.created_at) as at_millis, coalesce(settlement.cost_cents, 0) as cost_cents
      from unnest(p_settles) as settle
        cross join lateral (
          select x.created_at
            from audit as x
            where x.org_id = settle.org_id
              and x.subject_id = settle.request_id
              and x.id = settle.audit_id
            offset 0
        ) as entry
        left join settlements as settlement
          on settlement.org_id = settle.org_id
          and settlement.request_id = settle.request_id
      where settle_codes[settle.place] = settle_code('not_open')
  loop
    settle_codes[v_answer.place] := settle_code('done_before');
    settle_times[v_answer.place] := v_answer.at_millis;
    settle_costs[v_answer.place] := v_answer.cost_cents;
  end loop;
end
$$;

-- Begins whose idempotency key is stored, or belongs to an earlier begin of the batch. Expired keys are deleted, and are free again.
create or replace function find_known_keys(p_begins pending_begin[], p_codes int[]) returns setof begin_decision language plpgsql as $$
declare
  v_stored record;
  v_codes int[] := p_codes;
begin
  for v_stored in
    select
        pending.place,
        stored.request_id,
        stored.hash <> pending.key_hash as differs,
        stored.expires_at <= pending.at as is_expired,
        stored.org_id,
        stored.scope,
        stored.key
      from unnest(p_begins) as pending
        cross join lateral (
          select *
            from idempotency_keys as x
            where x.org_id = pending.org_id
              and x.scope = pending.scope
              and x.key = pending.key
            offset 0
        ) as stored
      where pending.key is not null
        and p_codes[pending.place] = begin_code('undecided')
  loop
    if v_stored.is_expired then
      delete from idempotency_keys as x
        where x.org_id = v_stored.org_id
          and x.scope = v_stored.scope
          and x.key = v_stored.key;
    else
      v_codes[v_stored.place] := case when v_stored.differs then begin_code('conflict') else begin_code('known') end;
      return next row(v_stored.place, v_codes[v_stored.place], v_stored.request_id, null, null, null)::begin_decision;
    end if;
  end loop;
  if cardinality(p_begins) = 1 then return; end if;

  return query
    select
        repeated.place,
        case when repeated.differs then begin_code('conflict') else begin_code('known') end,
        repeated.first_request_id,
        null::timestamptz,
        null::text,
        null::text
      from (
        select
            pending.place,
            pending.key_hash <> first_value(pending.key_hash) over same_key as differs,
            first_value(pending.request_id) over same_key as first_request_id,
            row_number() over same_key as n
          from unnest(p_begins) as pending
          where pending.key is not null
            and v_codes[pending.place] = begin_code('undecided')
          window same_key as (partition by pending.org_id, pending.scope, pending.key order by pending.place)
      ) as repeated
      where repeated.n > 1;
end
$$;

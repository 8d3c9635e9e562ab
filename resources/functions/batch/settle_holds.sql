-- Final settlements. The row in holds is the right to settle: the settle that deletes it settles the request, and every later one finds
-- none.
create or replace function settle_holds(p_settles pending_settle[], p_results text[]) returns settled_request[] language plpgsql as $$
declare
  v_request_ids text[];
  v_settled settled_request[];
  v_has_fractions boolean;
begin
  v_request_ids := array(select settle.request_id from unnest(p_settles) as settle where settle.status <> 'running');
  with
    ended as (
      delete from holds as hold
        where hold.request_id = any (v_request_ids)
        returning hold.*
    ),
    -- Of several settles of one request the first counts.
    settled as (
      select distinct on (ended.request_id)
          settle.place,
          settle.workspace,
          ended.org_id,
          settle.at,
          ended.request_id,
          ended.agent_id,
          ended.mode,
          ended.service,
          ended.operation,
          settle.status,
          settle.reason_code,
          ended.ceiling_cents,
          case when settle.status = 'executed' then least(settle.actual_cents, ended.ceiling_cents) else 0 end as taken_cents,
          case
            when settle.status = 'executed' and ended.mode = 'live' and settle.actual_cents < ended.ceiling_cents
              then settle.actual_micro_cents
            else 0
          end as micro_cents,
          ended.limits,
          ended.wallet,
          ended.month,
          ended.day,
          ended.provider_ref,
          settle.audit_id,
          settle.movement_id,
          settle.actor,
          settle.data
        from ended
          join unnest(p_settles) as settle on settle.request_id = ended.request_id
        where settle.status <> 'running'
        order by ended.request_id, settle.place
    )
  select
      array_agg(
        row(
          x.place,
          x.workspace,
          x.org_id,
          x.at,
          x.request_id,
          x.agent_id,
          x.mode,
          x.service,
          x.operation,
          x.status,
          x.reason_code,
          x.ceiling_cents,
          x.taken_cents,
          case when x.mode = 'live' then x.taken_cents else 0 end,
          x.micro_cents,
          x.limits,
          x.wallet,
          x.month,
          x.day,
          x.provider_ref,
          x.audit_id,
          x.movement_id,
          x.actor,
          x.data
        )::settled_request
        order by x.place
      ),
      bool_or(x.micro_cents > 0)
    into v_settled, v_has_fractions
    from settled as x;
  if v_settled is null then return '{}'; end if;
  if v_has_fractions then v_settled := charge_fractions(v_settled); end if;
  perform charge_settled(v_settled);
  insert into settlements (
      org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, reason_code, result, provider_ref,
      completed_at
    )
    select
        x.org_id,
        x.request_id,
        x.agent_id,
        x.mode,
        x.service,
        x.operation,
        x.status,
        x.ceiling_cents,
        x.cost_cents,
        x.reason_code,
        p_results[x.place],
        x.provider_ref,
        x.at
      from unnest(v_settled) as x;
  return v_settled;
end
$$;

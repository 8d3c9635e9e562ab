-- Settlements at their limits: the ledger entries, then for each limit the release of the holds and the use. A limit whose period has
-- turned since the hold counts nothing.
create or replace function charge_settled(p_settled settled_request[]) returns void language plpgsql as $$
begin
  insert into movements (
      org_id, id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after, cause_type, cause_id, created_at
    )
    select
        charge.org_id,
        charge.movement_id,
        charge.wallet,
        credited.id,
        charge.cost_cents,
        balance_of(debited) - charge.charged_cents,
        balance_of(credited) + charge.earned_cents,
        'service_request',
        charge.request_id,
        charge.at
      from (
        select
            x.*,
            sum(x.cost_cents) over (partition by x.org_id, x.wallet order by x.place) as charged_cents,
            sum(x.cost_cents) over (partition by x.org_id order by x.place) as earned_cents
          from unnest(p_settled) as x
          where x.cost_cents > 0
      ) as charge
        join limits as debited on debited.id = charge.wallet
        join limits as credited on credited.org_id = charge.org_id and credited.kind = limit_kind('revenue');

  update limits as x set
      held = x.held - change.held,
      used = x.used + change.used
    from (
      select
          counted.id,
          sum(share_of(counted.kind, released.requests, released.ceiling_cents)) as held,
          sum(share_of(counted.kind, released.executed_requests, released.taken_cents)) as used
        from (
          select
              named.id,
              settled.month,
              settled.day,
              count(*) as requests,
              sum(settled.ceiling_cents)::bigint as ceiling_cents,
              count(*) filter (where settled.status = 'executed') as executed_requests,
              sum(settled.taken_cents)::bigint as taken_cents
            from unnest(p_settled) as settled
              cross join lateral unnest(settled.limits) as named(id)
            group by named.id, settled.month, settled.day
        ) as released
          join limits as counted
            on counted.id = released.id
            and counted.period = period_of(counted.kind, released.month, released.day)
        group by counted.id
      union all
      select revenue.id, 0, earned.cost_cents
        from (
          select settled.org_id, sum(settled.cost_cents) as cost_cents
            from unnest(p_settled) as settled
            group by settled.org_id
        ) as earned
          join limits as revenue on revenue.org_id = earned.org_id and revenue.kind = limit_kind('revenue')
        where earned.cost_cents > 0
    ) as change
    where x.id = change.id;
end
$$;

-- Fractions of a cent add up for each agent and wallet. A request is charged floor(sum with it) - floor(sum before it); the rest is stored.
create or replace function charge_fractions(p_settled settled_request[]) returns settled_request[] language plpgsql as $$
declare
  v_charge record;
begin
  for v_charge in
    with
      summed as (
        select
            x.n,
            x.org_id,
            x.agent_id,
            x.wallet,
            x.micro_cents,
            coalesce(accrual.micro_cents, 0) + sum(x.micro_cents) over (
              partition by x.org_id, x.agent_id, x.wallet
              order by x.n
            ) as sum_micro_cents
          from (
            select row_number() over () as n, settled.*
              from unnest(p_settled) as settled
          ) as x
            left join accruals as accrual
              on accrual.org_id = x.org_id
              and accrual.agent_id = x.agent_id
              and accrual.wallet = x.wallet
          where x.micro_cents > 0
      ),
      stored as (
        insert into accruals as accrual (org_id, agent_id, wallet, micro_cents)
          select summed.org_id, summed.agent_id, summed.wallet, max(summed.sum_micro_cents) % 1000000
            from summed
            group by summed.org_id, summed.agent_id, summed.wallet
            order by summed.org_id, summed.agent_id, summed.wallet
          on conflict (org_id, agent_id, wallet) do update set micro_cents = excluded.micro_cents
      )
    select
        summed.n,
        summed.sum_micro_cents / 1000000 - (summed.sum_micro_cents - summed.micro_cents) / 1000000 as whole_cents
      from summed
  loop
    p_settled[v_charge.n].taken_cents := p_settled[v_charge.n].taken_cents + v_charge.whole_cents;
    p_settled[v_charge.n].cost_cents := p_settled[v_charge.n].cost_cents + v_charge.whole_cents;
  end loop;
  return p_settled;
end
$$;

-- Adds a fraction of a cent to what an agent has accrued in a wallet, and returns the whole cents that the sum makes.
create or replace function charge_fraction(p_org_id text, p_agent_id text, p_wallet bigint, p_micro_cents int)
  returns bigint language plpgsql as $$
declare
  v_micro_cents bigint;
begin
  v_micro_cents := p_micro_cents + coalesce((
    select accrual.micro_cents
      from accruals as accrual
      where accrual.org_id = p_org_id
        and accrual.agent_id = p_agent_id
        and accrual.wallet = p_wallet
  ), 0);
  insert into accruals as accrual (org_id, agent_id, wallet, micro_cents)
    values (p_org_id, p_agent_id, p_wallet, v_micro_cents % 1000000)
    on conflict (org_id, agent_id, wallet) do update set micro_cents = excluded.micro_cents;
  return v_micro_cents / 1000000;
end
$$;

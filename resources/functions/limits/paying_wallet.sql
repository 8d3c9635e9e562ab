-- The wallet that pays for the agents of a person in a team, with the row that counts its months: the person's allocation, otherwise the
-- team's pool, otherwise the workspace's wallet, which has no such row. An agent's version rises with every change of the result.
create or replace function paying_wallet(
  p_org_id text,
  p_team_id text,
  p_user_id text,
  out wallet bigint,
  out wallet_month bigint
) language plpgsql stable as $$
begin
  if p_team_id is not null then
    select x.limit_id, x.month_limit_id
      into wallet, wallet_month
      from team_wallets as x
      where x.org_id = p_org_id
        and x.team_id = p_team_id
        and (x.user_id = p_user_id or x.user_id is null)
        and x.ended_at is null
      order by x.user_id nulls last
      limit 1;
  end if;
  if wallet is null then
    select x.id
      into wallet
      from limits as x
      where x.org_id = p_org_id
        and x.kind = limit_kind('wallet')
        and x.mode = 'live'
        and x.agent_id is null
        and x.service is null;
  end if;
end
$$;

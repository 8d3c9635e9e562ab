-- The team of a pool, or the person of an allocation, whose row names team and person; null for the workspace's wallet.
create or replace function wallet_owner(p_wallet limits) returns text language sql immutable as $$
  select case p_wallet.service
    when 'team' then p_wallet.operation
    when 'worker' then split_part(p_wallet.operation, ' ', 2)
  end
$$;

-- The balance of an account in cents.
create or replace function balance_of(p_account limits) returns bigint language sql immutable as $$
  select case p_account.kind
    when limit_kind('wallet') then p_account.cap - p_account.used
    when limit_kind('external') then -p_account.used
    else p_account.used
  end
$$;

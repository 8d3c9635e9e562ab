-- Moves money between two accounts of a workspace (rows of limits), under its lock. A wallet's balance is cap - used, revenue's is used,
-- external's is -used. Returns false when the debited wallet has less than that available, unless p_may_overdraw: a reversed payment is taken
-- back even if it was spent.
create or replace function move_money(
  p_org text,
  p_id text,
  p_debit bigint,
  p_credit bigint,
  p_amount bigint,
  p_cause_type text,
  p_cause_id text,
  p_note text,
  p_may_overdraw boolean default false
) returns boolean language plpgsql as $$
declare
  v_at timestamptz := lock_org(p_org);
  v_debit_balance bigint;
  v_credit_balance bigint;
begin
  update limits as account set
      cap = case when account.kind = limit_kind('wallet') then account.cap - p_amount else account.cap end,
      used = case account.kind
        when limit_kind('wallet') then account.used
        when limit_kind('external') then account.used + p_amount
        else account.used - p_amount
      end
    where account.org_id = p_org
      and account.id = p_debit
      and (p_may_overdraw or account.kind <> limit_kind('wallet') or account.cap - account.used - account.held >= p_amount)
    returning balance_of(account) into v_debit_balance;
  if v_debit_balance is null then return false; end if;
  update limits as account set
      cap = case when account.kind = limit_kind('wallet') then account.cap + p_amount else account.cap end,
      used = case account.kind
        when limit_kind('wallet') then account.used
        when limit_kind('external') then account.used - p_amount
        else account.used + p_amount
      end
    where account.org_id = p_org
      and account.id = p_credit
    returning balance_of(account) into v_credit_balance;
  if v_credit_balance is null then raise exception 'no account % in workspace %', p_credit, p_org; end if;
  insert into movements (
      org_id, id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after, cause_type, cause_id, note, created_at
    )
    values (
      p_org, p_id, p_debit, p_credit, p_amount, v_debit_balance, v_credit_balance, p_cause_type, p_cause_id, p_note, v_at
    );
  return true;
end
$$;

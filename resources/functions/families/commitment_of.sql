-- What a limit commits on its parent's: its cap, or what it used, holds, and has committed, if that is more. Without a cap it commits nothing.
create or replace function commitment_of(p_limit limits, p_month int) returns bigint language sql immutable as $$
  select case
    when p_limit.cap is null then 0
    else greatest(cap_now(p_limit, p_month), used_now(p_limit, p_month, 0) + held_now(p_limit, p_month, 0) + p_limit.committed)
  end
$$;

-- Whether a limit has room for a share. A share of 0 always fits: a money limit never stops a request that costs nothing.
create or replace function has_room(p_limit limits, p_share bigint, p_month int, p_day int, p_at timestamptz)
  returns boolean language sql immutable as $$
  select (p_limit.valid_until is null or p_limit.valid_until > p_at)
    and (
      p_limit.cap is null
      or p_share = 0
      or used_now(p_limit, p_month, p_day) + held_now(p_limit, p_month, p_day) + p_limit.committed + p_share
        <= cap_now(p_limit, p_month)
    )
$$;

-- The cap of a limit in a month: an increase for one month is part of cap and ends with that month.
create or replace function cap_now(p_limit limits, p_month int) returns bigint language sql immutable as $$
  select p_limit.cap - case when p_limit.once_month < p_month then p_limit.once_cents else 0 end
$$;

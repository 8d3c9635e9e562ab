-- Whether a kind of limit counts requests; the others count cents.
create or replace function counts_requests(p_kind smallint) returns boolean language sql immutable as $$
  select p_kind in (limit_kind('operation_day_count'), limit_kind('standing_uses'))
$$;

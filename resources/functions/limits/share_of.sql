-- How much of a limit some requests take together.
create or replace function share_of(p_kind smallint, p_requests bigint, p_cents bigint) returns bigint language sql immutable as $$
  select case when counts_requests(p_kind) then p_requests else p_cents end
$$;

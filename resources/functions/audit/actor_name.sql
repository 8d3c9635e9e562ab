-- The rest after type and id; a name may contain spaces.
create or replace function actor_name(p_actor text) returns text language sql immutable as $$
  select substr(p_actor, length(split_part(p_actor, ' ', 1)) + length(split_part(p_actor, ' ', 2)) + 3)
$$;

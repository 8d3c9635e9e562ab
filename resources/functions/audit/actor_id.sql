create or replace function actor_id(p_actor text) returns text language sql immutable as $$
  select split_part(p_actor, ' ', 2)
$$;

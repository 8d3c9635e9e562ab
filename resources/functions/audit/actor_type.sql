-- An actor is written as "type id name".
create or replace function actor_type(p_actor text) returns text language sql immutable as $$
  select split_part(p_actor, ' ', 1)
$$;

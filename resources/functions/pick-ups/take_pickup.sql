-- The key of the oldest answer that was left for a call, of which one of two identical calls gets it; otherwise p_key, which is stored. Again with
-- the key that it returned, it changes nothing.
create or replace function take_pickup(
  p_org text,
  p_agent text,
  p_mode text,
  p_hash bytea,
  p_key text,
  p_owner int
) returns text language plpgsql as $$
declare
  v_key text;
begin
  select left_behind.key
    into v_key
    from call_pickups as left_behind
    where left_behind.org_id = p_org
      and left_behind.agent_id = p_agent
      and left_behind.mode = p_mode
      and left_behind.hash = p_hash
      and left_behind.created_at > clock_timestamp() - interval '24 hours'
      and (
        left_behind.owner is null
        or not exists (
          select
            from owners as hub
            where hub.num = left_behind.owner
              and not hub.ended
              and hub.alive_until > hub_time_or_last()
        )
      )
    order by left_behind.created_at, left_behind.key
    limit 1
    for update skip locked;
  if found then
    update call_pickups set owner = p_owner where key = v_key;
    return v_key;
  end if;
  insert into call_pickups (key, org_id, agent_id, mode, hash, owner)
    values (p_key, p_org, p_agent, p_mode, p_hash, p_owner)
    on conflict (key) do nothing;
  return p_key;
end
$$;

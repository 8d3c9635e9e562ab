-- Locks one workspace for begin_one and settle_one. Null when it does not exist or, unless p_wait, when another transaction has its lock.
create or replace function lock_workspace(p_org_id text, p_wait boolean) returns locked_workspace language plpgsql as $$
declare
  v_workspace locked_workspace;
begin
  if p_wait then
    select head.org_id, head.last_at, 0, 0, head.rules_version, head.seq, head.head
      into v_workspace
      from org_heads as head
      where head.org_id = p_org_id
      for update;
  else
    select head.org_id, head.last_at, 0, 0, head.rules_version, head.seq, head.head
      into v_workspace
      from org_heads as head
      where head.org_id = p_org_id
      for update skip locked;
  end if;
  if not found then return null; end if;
  -- The time is read after the lock.
  v_workspace.at := greatest(hub_time(), v_workspace.at);
  v_workspace.month := month_of(v_workspace.at);
  v_workspace.day := day_of(v_workspace.at);
  return v_workspace;
end
$$;

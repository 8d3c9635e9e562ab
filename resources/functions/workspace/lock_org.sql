-- Locks a workspace and returns its time, which never decreases. Every change of its money, limits or audit outside of a batch begins so.
create or replace function lock_org(p_org text) returns timestamptz language plpgsql as $$
declare
  v_at timestamptz;
begin
  perform from org_heads where org_id = p_org for update;
  update org_heads set last_at = greatest(hub_time(), last_at) where org_id = p_org returning last_at into v_at;
  if v_at is null then raise exception 'no workspace %', p_org; end if;
  return v_at;
end
$$;

-- An approved request has begun or ended: the transaction that grants its approval also writes its hold or its settlement. The check runs
-- at commit, so whatever ends the granting transaction early takes the grant back with it.
create function check_granted_request() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from holds where request_id = new.request_id)
    and not exists (select 1 from settlements where org_id = new.org_id and request_id = new.request_id) then
    raise exception 'approval % is granted, but request % has neither a hold nor a settlement', new.id, new.request_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;

create constraint trigger approvals_granted after update of status on approvals deferrable initially deferred for each row
  when (new.kind = 'service_request' and new.status = 'approved' and old.status <> 'approved') execute function check_granted_request();

-- A hub leases endpoints instead of single deliveries: an attempt then writes its delivery once, at its end.
create table webhook_leases (
  endpoint_id text collate "C" primary key references webhook_endpoints on delete cascade,
  -- A random id of the process that sends the endpoint's deliveries.
  hub text not null,
  leased_until timestamptz not null
) with (fillfactor = 50);

drop index webhook_deliveries_leased;

alter table webhook_deliveries
  drop constraint webhook_deliveries_lease,
  drop column leased_until,
  -- The endpoint has the same reference.
  drop constraint webhook_deliveries_org_id_fkey;

-- Ended attempts in all. The end of an attempt is stored only while no other has been.
alter table webhook_deliveries rename column claim to attempts;

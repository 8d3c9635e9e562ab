-- Prices that providers reported above the ceiling of a request. The ceiling was charged. A row is written before its settlement.
create table reported_costs (
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  cost_cents bigint not null check (cost_cents > 0),
  primary key (org_id, request_id)
);

-- Calls without an idempotency key whose caller may not have their answer yet: it was left pending, the connection was
-- cut before it arrived, or the hub stopped. The identical call within 24 hours takes it.
create table call_pickups (
  -- The idempotency key of the call in dispatch.
  key text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  mode text not null check (mode in ('live', 'test')),
  -- SHA-256 of service, operation, payload and test outcome.
  hash bytea not null,
  -- The hub that serves the call; null once its answer is left for pick-up.
  owner integer,
  request_id text collate "C",
  created_at timestamptz not null default clock_timestamp()
);

create index call_pickups_hash on call_pickups (org_id, agent_id, mode, hash, created_at);

create index call_pickups_request on call_pickups (org_id, request_id) where request_id is not null;

create index call_pickups_age on call_pickups (created_at);

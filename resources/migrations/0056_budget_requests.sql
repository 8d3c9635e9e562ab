-- Budget requests: an agent or a person asks for a higher cap of an agent's month, or of one of its operations.
create table budget_requests (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  -- Null: the agent's own cap.
  service text,
  operation text,
  amount_cents bigint not null check (amount_cents > 0),
  -- What the requester asked for; amount_cents is what was granted once it is approved.
  requested_cents bigint not null check (requested_cents > 0),
  period text not null check (period in ('month', 'once')),
  reason text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'withdrawn')),
  requester_type text not null check (requester_type in ('agent', 'user')),
  requester_id text collate "C" not null,
  decided_by text collate "C" references users,
  comment text,
  created_at timestamptz not null,
  decided_at timestamptz,
  check ((service is null) = (operation is null)),
  check ((decided_at is null) = (status = 'pending'))
);

create index budget_requests_org on budget_requests (org_id, id);

create unique index budget_requests_pending on budget_requests (org_id, agent_id, service, operation) nulls not distinct
  where status = 'pending';

-- The part of a cap that counts in one month only (once_month, as month_of) and ends with it. cap includes it, so that every reader shows
-- the raised cap; cap_now takes it off from the first moment of the next month, and a hub's round then writes that down.
alter table limits
  add column once_cents bigint not null default 0 check (once_cents >= 0),
  add column once_month integer not null default 0;

create index limits_once on limits (once_month) where once_cents > 0;

set local check_function_bodies = off;

\include ../functions;

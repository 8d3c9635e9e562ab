-- Webhook endpoints: addresses of a workspace's own systems that receive its events.
create table webhook_endpoints (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  url text not null,
  description text not null,
  -- null: all types, also those of later versions.
  types text[],
  status text not null check (status in ('enabled', 'disabled')),
  disabled_by text check (disabled_by in ('person', 'gone', 'failures')),
  disabled_at timestamptz,
  -- Sealed for workspace and endpoint.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  -- Failed attempts since the last delivery, and when the first of them ended.
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint webhook_endpoints_disabled check (
    (status = 'disabled') = (disabled_by is not null) and (disabled_by is null) = (disabled_at is null)
  ),
  constraint webhook_endpoints_previous check ((previous_secret is null) = (previous_until is null)),
  constraint webhook_endpoints_failing check ((failures = 0) = (failing_since is null))
) with (fillfactor = 50);

create index webhook_endpoints_list on webhook_endpoints (org_id, id) where deleted_at is null;

create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;

-- Kept apart, so that the reader of the log and the sender never wait for one another.
create table webhook_cursors (
  endpoint_id text collate "C" primary key references webhook_endpoints on delete cascade,
  org_id text collate "C" not null references orgs,
  -- Entries of the audit log up to here have their deliveries.
  seq bigint not null check (seq >= 0)
) with (fillfactor = 50);

-- One event for one endpoint. The message is made of these columns, so that every attempt sends the same bytes.
create table webhook_deliveries (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  endpoint_id text collate "C" not null references webhook_endpoints,
  event_id text collate "C" not null,
  type text not null,
  subject_type text not null,
  subject_id text not null,
  -- The seq of the audit entry.
  version bigint not null,
  occurred_at timestamptz not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Ended attempts of the present schedule.
  tries integer not null default 0 check (tries >= 0),
  due_at timestamptz,
  -- The number of the latest claim; an attempt in progress has a lease, and stores its end only under its own claim.
  claim integer not null default 0,
  leased_until timestamptz,
  created_at timestamptz not null,
  constraint webhook_deliveries_due check ((status = 'pending') = (due_at is not null)),
  constraint webhook_deliveries_lease check (leased_until is null or status = 'pending')
) with (fillfactor = 60);

-- Ids of events rise with time: also the order of the list, and of what retention removes.
create unique index webhook_deliveries_event on webhook_deliveries (endpoint_id, event_id);

create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, due_at) where status = 'pending';

create index webhook_deliveries_leased on webhook_deliveries (endpoint_id, leased_until) where leased_until is not null;

create table webhook_attempts (
  delivery_id text collate "C" not null references webhook_deliveries on delete cascade,
  -- The claim.
  number integer not null,
  org_id text collate "C" not null references orgs,
  at timestamptz not null,
  status integer,
  millis integer not null,
  error text,
  -- The first 1 KiB.
  response text,
  primary key (delivery_id, number)
);

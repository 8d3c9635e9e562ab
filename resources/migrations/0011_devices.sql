-- Devices: persons' computers and servers that run commands for operators and agents. All that changes a device's commands does so under
-- the lock of its row; output is appended under the lock of its command alone. Deciding times are this server's.

create table devices (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  owner_user_id text collate "C" not null references users,
  name text not null,
  platform text not null,
  arch text not null,
  app_version text not null,
  -- What it offers, and what of that it may do.
  capabilities text[] not null,
  granted text[] not null default '{}',
  -- The agents that may use it; null: all.
  agents text[] default '{}',
  labels text[] not null default '{}',
  public_key text,
  state text not null default 'pending' check (state in ('pending', 'active', 'draining', 'paused', 'revoked')),
  -- Who paused or drains it: hub or device.
  state_by text not null default 'hub' check (state_by in ('hub', 'device')),
  key_hash bytea not null unique,
  key_hint text not null,
  -- Made active again by the hub, and not heard to go on yet: what it says of a pause is an echo of the hub's.
  resuming boolean not null default false,
  -- The running copy: its instance (one installation), its boot (one start), and which connection in order of coming.
  instance_id text,
  boot_id text,
  epoch int not null default 0,
  -- The socket that delivers to it, on whichever hub; healthy until then.
  socket text,
  socket_until timestamptz,
  heard_at timestamptz,
  -- What readers of events were told last.
  presence_told text not null default 'never',
  -- Unseen for 14 days it must be confirmed again: seen, or confirmed, last at.
  confirmed_at timestamptz not null default now(),
  -- What the device says of itself and of its own rules; JSON text.
  report text not null default '{}',
  created_at timestamptz not null default now(),
  -- No command ever reaches a device that was granted nothing.
  check (state <> 'pending' or granted = '{}'),
  check (state <> 'active' or granted <> '{}')
);

create index devices_org on devices (org_id, id);

create index devices_presence on devices (heard_at) where presence_told in ('online', 'late') and state <> 'revoked';

-- Starts that a newer one took the place of: they are told so, whatever they send.
create table device_boots (
  device_id text collate "C" not null references devices on delete cascade,
  boot_id text not null,
  superseded_at timestamptz not null default now(),
  primary key (device_id, boot_id)
);

create table device_pairings (
  code text collate "C" primary key,
  secret_hash bytea not null unique,
  name text not null,
  platform text not null,
  arch text not null,
  app_version text not null,
  capabilities text[] not null,
  public_key text,
  address text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  status text not null default 'waiting' check (status in ('waiting', 'confirmed', 'rejected', 'collected')),
  org_id text collate "C",
  device_id text collate "C" references devices on delete cascade,
  -- Sealed until its one collection.
  device_key bytea
);

create index device_pairings_expiry on device_pairings (expires_at);

create table device_sessions (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  device_id text collate "C" not null references devices on delete cascade,
  working_directory text,
  roots text[] not null default '{}',
  started_at timestamptz not null default now(),
  heard_at timestamptz not null default now(),
  ended_at timestamptz,
  ended_because text
);

create unique index device_sessions_live on device_sessions (device_id) where ended_at is null;

create index device_sessions_org on device_sessions (org_id, id);

create table device_commands (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  session_id text collate "C" not null references device_sessions on delete cascade,
  device_id text collate "C" not null references devices on delete cascade,
  tool text not null,
  -- JSON texts.
  input text not null,
  working_directory text,
  requested_by_type text not null,
  requested_by_id text not null,
  requested_by_name text not null,
  reason text,
  service_request_id text collate "C" unique,
  idempotency_key text,
  status text not null default 'queued' check (status in ('queued', 'leased', 'awaiting_consent', 'running', 'done', 'cancelled', 'expired')),
  outcome text check (outcome in ('succeeded', 'failed', 'denied', 'timed_out', 'interrupted', 'cancelled')),
  exit_code int,
  error_code text,
  error_message text,
  result text,
  artifacts text,
  late_result text,
  unconfirmed boolean not null default false,
  timeout_seconds int not null,
  plan_digest text,
  queued_at timestamptz not null default now(),
  queue_until timestamptz not null,
  started_at timestamptz,
  done_at timestamptz,
  cancel_requested_at timestamptz,
  -- The lease: rises with every offer, never with a renewal.
  lease_number int not null default 0,
  offers int not null default 0,
  offered_at timestamptz,
  acked_at timestamptz,
  lease_until timestamptz,
  lease_boot text,
  -- Output: the next number, bytes of each stream that the device sent or says it left out, and what is kept.
  next_seq int not null default 0,
  stdout_bytes bigint not null default 0,
  stderr_bytes bigint not null default 0,
  dropped_bytes bigint not null default 0,
  head_bytes bigint not null default 0,
  tail_bytes bigint not null default 0,
  check ((status in ('done', 'cancelled', 'expired')) = (done_at is not null))
);

create index device_commands_open on device_commands (device_id, id) where status in ('queued', 'leased', 'awaiting_consent', 'running');

create index device_commands_session on device_commands (session_id, id);

create unique index device_commands_key on device_commands (session_id, requested_by_id, idempotency_key) where idempotency_key is not null;

create table device_output (
  command_id text collate "C" not null references device_commands on delete cascade,
  seq int not null,
  stream text not null check (stream in ('stdout', 'stderr')),
  -- Where it begins in its stream, in bytes, those left out included.
  at bigint not null,
  data bytea not null,
  head boolean not null,
  created_at timestamptz not null default now(),
  primary key (command_id, seq)
);

create index device_output_tail on device_output (command_id, seq) where not head;

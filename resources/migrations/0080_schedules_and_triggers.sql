-- Triggers: webhooks by their own row, cron triggers with a row in schedules besides.
create table triggers (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  name text not null,
  kind text not null check (kind in ('webhook', 'cron')),
  -- JSON: the domain's FiringAction.
  action text not null,
  -- JSON; null: the payload of the action.
  payload_template text,
  require_timestamp boolean not null default false,
  status text not null check (status in ('active', 'paused')),
  paused_by text check (paused_by in ('person', 'failures', 'member_removed')),
  -- Sealed for workspace and trigger.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint triggers_pause check ((status = 'paused') = (paused_by is not null)),
  constraint triggers_previous check ((previous_secret is null) = (previous_until is null)),
  constraint triggers_template check (kind = 'webhook' or payload_template is null)
);

create index triggers_list on triggers (org_id, id) where deleted_at is null;

create index triggers_agent on triggers (agent_id) where deleted_at is null;

create index triggers_deleted on triggers (deleted_at) where deleted_at is not null;

-- due_at: the next due time; fire_at: the same with jitter. Both are null while nothing is due.
create table schedules (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  -- A cron trigger; null: a scheduled task.
  trigger_id text collate "C" unique references triggers,
  name text not null,
  action text not null,
  cron text not null,
  timezone text not null,
  catch_up text not null check (catch_up in ('skip', 'once')),
  overlap text not null check (overlap in ('skip', 'allow', 'queue')),
  jitter_seconds integer not null check (jitter_seconds between 0 and 3600),
  status text not null check (status in ('active', 'paused')),
  paused_by text check (paused_by in ('person', 'failures', 'member_removed')),
  failures integer not null default 0 check (failures >= 0),
  due_at timestamptz,
  fire_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint schedules_pause check ((status = 'paused') = (paused_by is not null)),
  constraint schedules_due check ((due_at is null) = (fire_at is null) and (status = 'active' or due_at is null)),
  constraint schedules_deletion check (deleted_at is null or due_at is null)
);

create index schedules_list on schedules (org_id, id) where deleted_at is null;

create index schedules_agent on schedules (agent_id) where deleted_at is null;

create index schedules_due_now on schedules (fire_at) where fire_at is not null;

create index schedules_failing on schedules (id) where status = 'active' and failures >= 20;

create index schedules_deleted on schedules (deleted_at) where deleted_at is not null;

-- Firings: the runs of a schedule, and the deliveries of a webhook. A due time, and a sender's delivery id, fires once.
create table firings (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null,
  schedule_id text collate "C" references schedules,
  trigger_id text collate "C" references triggers,
  due_at timestamptz,
  -- A person fired it.
  manual boolean not null default false,
  delivery_id text collate "C",
  -- SHA-256 of a delivery's body.
  digest bytea,
  -- refused: dispatch, or the template, did not take it; nothing was recorded as a request.
  status text not null check (status in ('fired', 'queued', 'skipped', 'missed', 'refused')),
  missed integer,
  request_id text collate "C",
  -- JSON { code, message } of a refused one.
  error text,
  -- Until the request has begun: the hub that submits it, and what it submits.
  owner integer,
  service text,
  operation text,
  payload text,
  -- The final status of the request, and when the hub reads it next.
  outcome text check (outcome in ('executed', 'blocked', 'failed')),
  check_at timestamptz,
  created_at timestamptz not null,
  constraint firings_source check ((schedule_id is null) <> (trigger_id is null)),
  constraint firings_due check ((schedule_id is null) = (due_at is null)),
  constraint firings_missed check ((status = 'missed') = (missed is not null)),
  constraint firings_request check (status <> 'fired' or request_id is not null),
  constraint firings_refusal check ((status = 'refused') = (error is not null)),
  constraint firings_submission check ((owner is null) = (payload is null) and (status = 'fired' or owner is null)),
  constraint firings_check check ((check_at is not null) = (status = 'fired' and outcome is null and owner is null))
) with (fillfactor = 70);

create unique index firings_due_time on firings (schedule_id, due_at) where schedule_id is not null and not manual;

create unique index firings_delivery on firings (trigger_id, delivery_id) where delivery_id is not null;

create index firings_of_schedule on firings (schedule_id, id) where schedule_id is not null;

create index firings_of_trigger on firings (trigger_id, id) where trigger_id is not null;

create index firings_open on firings (schedule_id) where schedule_id is not null and outcome is null and status in ('fired', 'queued');

create index firings_unsent on firings (owner) where owner is not null;

create index firings_checks on firings (check_at) where check_at is not null;

create index firings_queued on firings (schedule_id) where status = 'queued';

create index firings_kept on firings (created_at);

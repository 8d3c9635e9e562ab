-- The schema after all migrations, for readers and reviews; no program reads it. After a migration, write it by
-- npm test -- test/hub/platform/schema.test.ts -u

-- Types

create type audit_entry as (
  workspace integer,
  audit_id text,
  action text,
  actor text,
  subject_type text,
  subject_id text,
  agent_id text,
  outcome text,
  reason_code text,
  cost_cents bigint,
  ip text,
  data text
);

create type begin_decision as (
  place integer,
  code integer,
  ref text,
  at timestamp with time zone,
  block text,
  reason_code text
);

create type locked_workspace as (
  org_id text,
  at timestamp with time zone,
  month integer,
  day integer,
  rules_version integer,
  seq bigint,
  head bytea
);

create type pending_begin as (
  place integer,
  workspace integer,
  verdict integer,
  ceiling_cents bigint,
  limits bigint[],
  checked_limit bigint,
  org_id text,
  at timestamp with time zone,
  month integer,
  day integer,
  request_id text,
  agent_id text,
  agent_version integer,
  rules_are_current boolean,
  mode text,
  service text,
  operation text,
  scope text,
  key text,
  key_hash bytea,
  wallet bigint,
  origin text,
  test_outcome text,
  reason_code text,
  result text,
  block text,
  approval json,
  grant_of json,
  audit_id text,
  actor text,
  ip text,
  data text
);

create type pending_settle as (
  place integer,
  workspace integer,
  org_id text,
  at timestamp with time zone,
  request_id text,
  status text,
  actual_cents bigint,
  actual_micro_cents integer,
  reason_code text,
  provider_ref text,
  due_millis bigint,
  deadline_millis bigint,
  audit_id text,
  movement_id text,
  actor text,
  data text
);

create type settled_request as (
  place integer,
  workspace integer,
  org_id text,
  at timestamp with time zone,
  request_id text,
  agent_id text,
  mode text,
  service text,
  operation text,
  status text,
  reason_code text,
  ceiling_cents bigint,
  taken_cents bigint,
  cost_cents bigint,
  micro_cents integer,
  limits bigint[],
  wallet bigint,
  month integer,
  day integer,
  provider_ref text,
  audit_id text,
  movement_id text,
  actor text,
  data text
);

-- Tables

create table accruals (
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  wallet bigint not null,
  micro_cents integer not null,
  constraint accruals_micro_cents_check CHECK (((micro_cents >= 0) AND (micro_cents <= 999999))),
  constraint accruals_pkey PRIMARY KEY (org_id, agent_id, wallet)
) with (fillfactor=50);

create table agent_keys (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null,
  key_hash bytea not null,
  hint text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  constraint agent_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint agent_keys_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint agent_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint agent_keys_pkey PRIMARY KEY (id),
  constraint agent_keys_key_hash_key UNIQUE (key_hash)
);

create table agent_requests (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  kind text not null,
  title text not null,
  body text not null,
  options text[],
  status text default 'open'::text not null,
  answer text,
  comment text,
  answered_by text collate "C",
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint agent_requests_end CHECK (((status = 'open'::text) = (ended_at IS NULL))),
  constraint agent_requests_kind_check CHECK ((kind = ANY (ARRAY['question'::text, 'approval'::text, 'input'::text, 'handoff'::text]))),
  constraint agent_requests_status_check CHECK ((status = ANY (ARRAY['open'::text, 'answered'::text, 'dismissed'::text, 'expired'::text]))),
  constraint agent_requests_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint agent_requests_answered_by_fkey FOREIGN KEY (answered_by) REFERENCES users(id),
  constraint agent_requests_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint agent_requests_pkey PRIMARY KEY (id)
);

create table agent_sightings (
  agent_id text collate "C" not null,
  org_id text collate "C" not null,
  last_seen_at timestamp with time zone not null,
  constraint agent_sightings_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint agent_sightings_pkey PRIMARY KEY (agent_id)
) with (fillfactor=50);

create table agents (
  id text collate "C" not null,
  org_id text collate "C" not null,
  name text not null,
  description text default ''::text not null,
  kind text default 'standard'::text not null,
  status text default 'active'::text not null,
  frozen boolean default false not null,
  icon text,
  category text,
  personality text,
  voice_config text,
  parent_agent_id text collate "C",
  depth integer default 0 not null,
  team_id text collate "C",
  owner_user_id text collate "C",
  approval_threshold_cents bigint,
  version integer default 1 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  deleted_at timestamp with time zone,
  edit_version integer default 1 not null,
  ends_at timestamp with time zone,
  ended_month integer,
  constraint agents_approval_threshold_cents_check CHECK ((approval_threshold_cents >= 0)),
  constraint agents_kind_check CHECK ((kind = ANY (ARRAY['standard'::text, 'yupi'::text, 'chat'::text]))),
  constraint agents_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'disabled'::text]))),
  constraint agents_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint agents_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES users(id),
  constraint agents_parent_agent_id_fkey FOREIGN KEY (parent_agent_id) REFERENCES agents(id),
  constraint agents_pkey PRIMARY KEY (id)
);

create table app_providers (
  org_id text collate "C" not null,
  name text collate "C" not null,
  client_id text not null,
  secret bytea not null,
  definition text,
  updated_at timestamp with time zone not null,
  constraint app_providers_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint app_providers_pkey PRIMARY KEY (org_id, name)
);

create table app_revocations (
  app_id text collate "C" not null,
  org_id text collate "C" not null,
  provider text collate "C" not null,
  params text not null,
  access_token bytea not null,
  refresh_token bytea,
  note text,
  attempt integer default 0 not null,
  due_at timestamp with time zone not null,
  constraint app_revocations_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint app_revocations_pkey PRIMARY KEY (app_id)
);

create table app_states (
  hash bytea not null,
  org_id text collate "C" not null,
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  verifier bytea not null,
  params text not null,
  scopes text[] not null,
  expires_at timestamp with time zone not null,
  constraint app_states_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint app_states_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint app_states_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint app_states_pkey PRIMARY KEY (hash)
);

create table approval_decisions (
  org_id text collate "C" not null,
  approval_id text collate "C" not null,
  user_id text collate "C" not null,
  decision text not null,
  comment text,
  created_at timestamp with time zone not null,
  constraint approval_decisions_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'reject'::text]))),
  constraint approval_decisions_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id),
  constraint approval_decisions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint approval_decisions_pkey PRIMARY KEY (approval_id, user_id)
);

create table approvals (
  id text collate "C" not null,
  org_id text collate "C" not null,
  request_id text collate "C",
  agent_id text collate "C",
  kind text default 'service_request'::text not null,
  status text default 'pending'::text not null,
  mode text not null,
  service text not null,
  operation text not null,
  cost_cents bigint not null,
  threshold_cents bigint not null,
  reason text not null,
  policy_id text collate "C",
  payload_digest text not null,
  required_approvals integer default 1 not null,
  deciders text,
  filed_by text collate "C",
  requested_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  decided_by text collate "C",
  comment text,
  replaced_by text collate "C",
  device_id text collate "C",
  command_id text collate "C",
  plan text,
  run_id text collate "C",
  step_id text collate "C",
  constraint approvals_kind CHECK (
CASE kind
    WHEN 'service_request'::text THEN ((request_id IS NOT NULL) AND (agent_id IS NOT NULL))
    WHEN 'device_command'::text THEN ((command_id IS NOT NULL) AND (device_id IS NOT NULL) AND (plan IS NOT NULL))
    WHEN 'workflow_step'::text THEN ((run_id IS NOT NULL) AND (step_id IS NOT NULL) AND (agent_id IS NOT NULL) AND (plan IS NOT NULL))
    ELSE true
END),
  constraint approvals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'expired'::text, 'cancelled'::text]))),
  constraint approvals_command_id_fkey FOREIGN KEY (command_id) REFERENCES device_commands(id) ON DELETE CASCADE,
  constraint approvals_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE,
  constraint approvals_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint approvals_pkey PRIMARY KEY (id)
);

create table apps (
  id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  provider text collate "C" not null,
  name text not null,
  status text default 'pending'::text not null,
  visibility text not null,
  scopes text[] not null,
  params text not null,
  captured text default '{}'::text not null,
  account text,
  access_token bytea,
  refresh_token bytea,
  expires_at timestamp with time zone,
  refresh_at timestamp with time zone,
  version integer default 1 not null,
  lease text,
  lease_until timestamp with time zone,
  note text,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint apps_due CHECK (((refresh_at IS NULL) OR (refresh_token IS NOT NULL))),
  constraint apps_lease CHECK (((lease IS NULL) = (lease_until IS NULL))),
  constraint apps_refresh CHECK (((refresh_token IS NULL) OR (access_token IS NOT NULL))),
  constraint apps_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'connected'::text, 'needs_reauth'::text, 'revoked'::text]))),
  constraint apps_tokens CHECK (((status = 'connected'::text) = (access_token IS NOT NULL))),
  constraint apps_visibility_check CHECK ((visibility = ANY (ARRAY['private'::text, 'workspace'::text]))),
  constraint apps_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint apps_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint apps_pkey PRIMARY KEY (id)
);

create table audit (
  org_id text collate "C" not null,
  seq bigint not null,
  id text collate "C" not null,
  action text not null,
  actor_type text not null,
  actor_id text not null,
  actor_name text not null,
  subject_type text,
  subject_id text,
  agent_id text collate "C",
  outcome text,
  reason_code text,
  cost_cents bigint,
  ip text,
  data text default '{}'::text not null,
  created_at timestamp with time zone not null,
  prev_hash bytea not null,
  hash bytea not null,
  constraint audit_pkey PRIMARY KEY (org_id, seq, created_at)
) partition by RANGE (created_at);

create table bindings (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  service text not null,
  operations text[] not null,
  enabled boolean default true not null,
  monthly_cap_cents bigint,
  daily_request_limit bigint,
  approval_threshold_cents bigint,
  per_operation text default '{}'::text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  version integer default 1 not null,
  app_id text collate "C",
  constraint bindings_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint bindings_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint bindings_pkey PRIMARY KEY (id),
  constraint bindings_agent_id_service_key UNIQUE (agent_id, service)
);

create table budget_alerts (
  limit_id bigint not null,
  org_id text collate "C" not null,
  period integer not null,
  level integer not null,
  cap bigint not null,
  used bigint not null,
  audit_id text collate "C" not null,
  raised_at timestamp with time zone not null,
  constraint budget_alerts_pkey PRIMARY KEY (limit_id)
);

create table budget_requests (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  service text,
  operation text,
  amount_cents bigint not null,
  requested_cents bigint not null,
  period text not null,
  reason text not null,
  status text default 'pending'::text not null,
  requester_type text not null,
  requester_id text collate "C" not null,
  decided_by text collate "C",
  comment text,
  created_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  constraint budget_requests_amount_cents_check CHECK ((amount_cents > 0)),
  constraint budget_requests_check CHECK (((service IS NULL) = (operation IS NULL))),
  constraint budget_requests_check1 CHECK (((decided_at IS NULL) = (status = 'pending'::text))),
  constraint budget_requests_period_check CHECK ((period = ANY (ARRAY['month'::text, 'once'::text]))),
  constraint budget_requests_requested_cents_check CHECK ((requested_cents > 0)),
  constraint budget_requests_requester_type_check CHECK ((requester_type = ANY (ARRAY['agent'::text, 'user'::text]))),
  constraint budget_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text]))),
  constraint budget_requests_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint budget_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint budget_requests_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint budget_requests_pkey PRIMARY KEY (id)
);

create table call_pickups (
  key text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null,
  hash bytea not null,
  owner integer,
  request_id text collate "C",
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint call_pickups_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint call_pickups_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint call_pickups_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint call_pickups_pkey PRIMARY KEY (key)
);

create table chat_blobs (
  org_id text collate "C" not null,
  id text collate "C" not null,
  session_id text collate "C" not null,
  turn_id text collate "C" not null,
  name text not null,
  content_type text not null,
  body bytea not null,
  created_at timestamp with time zone not null,
  constraint chat_blobs_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint chat_blobs_session_id_fkey FOREIGN KEY (session_id) REFERENCES chat_sessions(id),
  constraint chat_blobs_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES chat_turns(id),
  constraint chat_blobs_pkey PRIMARY KEY (id)
);

create table chat_events (
  org_id text collate "C" not null,
  turn_id text collate "C" not null,
  seq integer not null,
  event text not null,
  data text not null,
  constraint chat_events_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES chat_turns(id),
  constraint chat_events_pkey PRIMARY KEY (turn_id, seq)
);

create table chat_messages (
  org_id text collate "C" not null,
  id text collate "C" not null,
  session_id text collate "C" not null,
  role text not null,
  parts text not null,
  parent_id text collate "C",
  turn_id text collate "C",
  created_at timestamp with time zone not null,
  constraint chat_messages_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text]))),
  constraint chat_messages_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint chat_messages_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES chat_messages(id),
  constraint chat_messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES chat_sessions(id),
  constraint chat_messages_pkey PRIMARY KEY (id)
);

create table chat_sessions (
  org_id text collate "C" not null,
  id text collate "C" not null,
  agent_id text collate "C" not null,
  user_id text collate "C",
  title text not null,
  model text not null,
  mode text not null,
  status text not null,
  cost_cents bigint default 0 not null,
  head_id text collate "C",
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint chat_sessions_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint chat_sessions_status_check CHECK ((status = ANY (ARRAY['active'::text, 'closed'::text]))),
  constraint chat_sessions_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint chat_sessions_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint chat_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint chat_sessions_pkey PRIMARY KEY (id)
);

create table chat_steps (
  org_id text collate "C" not null,
  turn_id text collate "C" not null,
  step integer not null,
  kind text not null,
  state text not null,
  call text not null,
  request_id text collate "C",
  approval_id text collate "C",
  output text,
  cost_cents bigint default 0 not null,
  constraint chat_steps_kind_check CHECK ((kind = ANY (ARRAY['model'::text, 'tool'::text, 'local'::text, 'compact'::text]))),
  constraint chat_steps_state_check CHECK ((state = ANY (ARRAY['open'::text, 'pending'::text, 'done'::text]))),
  constraint chat_steps_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES chat_turns(id),
  constraint chat_steps_pkey PRIMARY KEY (turn_id, step)
);

create table chat_turns (
  org_id text collate "C" not null,
  id text collate "C" not null,
  session_id text collate "C" not null,
  agent_id text collate "C" not null,
  user_id text collate "C",
  mode text not null,
  model text not null,
  user_message_id text collate "C" not null,
  message_id text collate "C" not null,
  state text not null,
  pause_reason text,
  background boolean not null,
  force_approval boolean not null,
  local_tools text default '[]'::text not null,
  owner integer not null,
  attempt integer default 0 not null,
  cancel_requested boolean default false not null,
  woken boolean default false not null,
  read_at timestamp with time zone not null,
  resumed_at timestamp with time zone not null,
  local_until timestamp with time zone,
  input_tokens bigint default 0 not null,
  output_tokens bigint default 0 not null,
  cached_tokens bigint default 0 not null,
  cost_cents bigint default 0 not null,
  accrued_micro_cents bigint default 0 not null,
  error text,
  key_scope text collate "C",
  key text collate "C",
  key_hash bytea,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint chat_turns_pause_reason_check CHECK ((pause_reason = ANY (ARRAY['no_reader'::text, 'budget'::text, 'drain'::text]))),
  constraint chat_turns_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'waiting_approval'::text, 'waiting_local'::text, 'paused'::text, 'done'::text, 'failed'::text, 'cancelled'::text]))),
  constraint chat_turns_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint chat_turns_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint chat_turns_session_id_fkey FOREIGN KEY (session_id) REFERENCES chat_sessions(id),
  constraint chat_turns_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint chat_turns_user_message_id_fkey FOREIGN KEY (user_message_id) REFERENCES chat_messages(id),
  constraint chat_turns_pkey PRIMARY KEY (id)
);

create table clock_watch (
  one boolean default true not null,
  confirmed_at timestamp with time zone not null,
  hub text not null,
  boot text,
  uptime double precision not null,
  doubted_at timestamp with time zone,
  ahead double precision,
  constraint clock_watch_one_check CHECK (one),
  constraint clock_watch_pkey PRIMARY KEY (one)
) with (fillfactor=30);

create table commitments (
  org_id text collate "C" not null,
  child_limit bigint not null,
  parent_limit bigint not null,
  cents bigint not null,
  is_over boolean default false not null,
  constraint commitments_cents_check CHECK ((cents >= 0)),
  constraint commitments_child_limit_fkey FOREIGN KEY (child_limit) REFERENCES limits(id),
  constraint commitments_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint commitments_parent_limit_fkey FOREIGN KEY (parent_limit) REFERENCES limits(id),
  constraint commitments_pkey PRIMARY KEY (child_limit)
);

create table contract_migrations (
  migration_id integer not null,
  name text not null,
  min_version text not null,
  created_at timestamp with time zone default now() not null,
  constraint contract_migrations_pkey PRIMARY KEY (migration_id)
);

create table conversation_messages (
  id text collate "C" not null,
  org_id text collate "C" not null,
  conversation_id text collate "C" not null,
  role text not null,
  content text not null,
  metadata text,
  created_at timestamp with time zone not null,
  constraint conversation_messages_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'system'::text, 'tool'::text]))),
  constraint conversation_messages_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE,
  constraint conversation_messages_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint conversation_messages_pkey PRIMARY KEY (id)
);

create table conversations (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  title text not null,
  metadata text,
  message_count integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint conversations_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint conversations_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint conversations_pkey PRIMARY KEY (id)
);

create table delegated_tasks (
  org_id text collate "C" not null,
  id text collate "C" not null,
  mode text not null,
  from_agent_id text collate "C" not null,
  to_agent_id text collate "C" not null,
  goal text not null,
  input text,
  services text[] not null,
  budget_cents bigint not null,
  budget_limit bigint not null,
  month_limit bigint not null,
  status text default 'accepted'::text not null,
  result text,
  error text,
  deadline_at timestamp with time zone,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  ended_month integer,
  removed_after_days integer,
  constraint delegated_tasks_budget_cents_check CHECK ((budget_cents >= 0)),
  constraint delegated_tasks_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint delegated_tasks_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'in_progress'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint delegated_tasks_budget_limit_fkey FOREIGN KEY (budget_limit) REFERENCES limits(id),
  constraint delegated_tasks_from_agent_id_fkey FOREIGN KEY (from_agent_id) REFERENCES agents(id),
  constraint delegated_tasks_month_limit_fkey FOREIGN KEY (month_limit) REFERENCES limits(id),
  constraint delegated_tasks_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint delegated_tasks_to_agent_id_fkey FOREIGN KEY (to_agent_id) REFERENCES agents(id),
  constraint delegated_tasks_pkey PRIMARY KEY (id)
);

create table demo (
  one boolean default true not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  finished boolean default false not null,
  created_at timestamp with time zone default now() not null,
  constraint demo_one_check CHECK (one),
  constraint demo_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint demo_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint demo_pkey PRIMARY KEY (one)
);

create table device_boots (
  device_id text collate "C" not null,
  boot_id text not null,
  superseded_at timestamp with time zone default now() not null,
  constraint device_boots_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE,
  constraint device_boots_pkey PRIMARY KEY (device_id, boot_id)
);

create table device_commands (
  id text collate "C" not null,
  org_id text collate "C" not null,
  session_id text collate "C" not null,
  device_id text collate "C" not null,
  tool text not null,
  input text not null,
  working_directory text,
  requested_by_type text not null,
  requested_by_id text not null,
  requested_by_name text not null,
  reason text,
  service_request_id text collate "C",
  idempotency_key text,
  status text default 'queued'::text not null,
  outcome text,
  exit_code integer,
  error_code text,
  error_message text,
  result text,
  artifacts text,
  late_result text,
  unconfirmed boolean default false not null,
  timeout_seconds integer not null,
  plan_digest text,
  queued_at timestamp with time zone default now() not null,
  queue_until timestamp with time zone not null,
  started_at timestamp with time zone,
  done_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  lease_number integer default 0 not null,
  offers integer default 0 not null,
  offered_at timestamp with time zone,
  acked_at timestamp with time zone,
  lease_until timestamp with time zone,
  lease_boot text,
  next_seq integer default 0 not null,
  stdout_bytes bigint default 0 not null,
  stderr_bytes bigint default 0 not null,
  dropped_bytes bigint default 0 not null,
  head_bytes bigint default 0 not null,
  tail_bytes bigint default 0 not null,
  removed_after_days integer,
  constraint device_commands_check CHECK (((status = ANY (ARRAY['done'::text, 'cancelled'::text, 'expired'::text])) = (done_at IS NOT NULL))),
  constraint device_commands_outcome_check CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'denied'::text, 'timed_out'::text, 'interrupted'::text, 'cancelled'::text]))),
  constraint device_commands_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'leased'::text, 'awaiting_consent'::text, 'running'::text, 'done'::text, 'cancelled'::text, 'expired'::text]))),
  constraint device_commands_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE,
  constraint device_commands_session_id_fkey FOREIGN KEY (session_id) REFERENCES device_sessions(id) ON DELETE CASCADE,
  constraint device_commands_pkey PRIMARY KEY (id),
  constraint device_commands_service_request_id_key UNIQUE (service_request_id)
);

create table device_output (
  command_id text collate "C" not null,
  seq integer not null,
  stream text not null,
  at bigint not null,
  data bytea not null,
  head boolean not null,
  created_at timestamp with time zone default now() not null,
  constraint device_output_stream_check CHECK ((stream = ANY (ARRAY['stdout'::text, 'stderr'::text]))),
  constraint device_output_command_id_fkey FOREIGN KEY (command_id) REFERENCES device_commands(id) ON DELETE CASCADE,
  constraint device_output_pkey PRIMARY KEY (command_id, seq)
);

create table device_pairings (
  code text collate "C" not null,
  secret_hash bytea not null,
  name text not null,
  platform text not null,
  arch text not null,
  app_version text not null,
  capabilities text[] not null,
  public_key text,
  address text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  status text default 'waiting'::text not null,
  org_id text collate "C",
  device_id text collate "C",
  device_key bytea,
  constraint device_pairings_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'confirmed'::text, 'rejected'::text, 'collected'::text]))),
  constraint device_pairings_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE,
  constraint device_pairings_pkey PRIMARY KEY (code),
  constraint device_pairings_secret_hash_key UNIQUE (secret_hash)
);

create table device_sessions (
  id text collate "C" not null,
  org_id text collate "C" not null,
  device_id text collate "C" not null,
  working_directory text,
  roots text[] default '{}'::text[] not null,
  started_at timestamp with time zone default now() not null,
  heard_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  ended_because text,
  constraint device_sessions_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE,
  constraint device_sessions_pkey PRIMARY KEY (id)
);

create table device_sign_ins (
  user_code text collate "C" not null,
  device_hash bytea not null,
  client_name text not null,
  scopes text[] not null,
  address text not null,
  user_agent text,
  created_at timestamp with time zone default clock_timestamp() not null,
  expires_at timestamp with time zone not null,
  interval_seconds integer not null,
  polled_at timestamp with time zone,
  status text default 'pending'::text not null,
  org_id text collate "C",
  granted text[],
  token bytea,
  constraint device_sign_ins_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'collected'::text]))),
  constraint device_sign_ins_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint device_sign_ins_pkey PRIMARY KEY (user_code),
  constraint device_sign_ins_device_hash_key UNIQUE (device_hash)
);

create table devices (
  id text collate "C" not null,
  org_id text collate "C" not null,
  owner_user_id text collate "C" not null,
  name text not null,
  platform text not null,
  arch text not null,
  app_version text not null,
  capabilities text[] not null,
  granted text[] default '{}'::text[] not null,
  agents text[] default '{}'::text[],
  labels text[] default '{}'::text[] not null,
  public_key text,
  state text default 'pending'::text not null,
  state_by text default 'hub'::text not null,
  key_hash bytea not null,
  key_hint text not null,
  resuming boolean default false not null,
  instance_id text,
  boot_id text,
  epoch integer default 0 not null,
  socket text,
  socket_until timestamp with time zone,
  heard_at timestamp with time zone,
  presence_told text default 'never'::text not null,
  confirmed_at timestamp with time zone default now() not null,
  report text default '{}'::text not null,
  created_at timestamp with time zone default now() not null,
  constraint devices_check CHECK (((state <> 'pending'::text) OR (granted = '{}'::text[]))),
  constraint devices_check1 CHECK (((state <> 'active'::text) OR (granted <> '{}'::text[]))),
  constraint devices_state_by_check CHECK ((state_by = ANY (ARRAY['hub'::text, 'device'::text]))),
  constraint devices_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text, 'draining'::text, 'paused'::text, 'revoked'::text]))),
  constraint devices_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint devices_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES users(id),
  constraint devices_pkey PRIMARY KEY (id),
  constraint devices_key_hash_key UNIQUE (key_hash)
);

create table early_callbacks (
  org_id text collate "C" not null,
  service text not null,
  ref text not null,
  body text not null,
  received_at timestamp with time zone default now() not null,
  constraint early_callbacks_pkey PRIMARY KEY (org_id, service, ref)
);

create table factors (
  id text collate "C" not null,
  user_id text collate "C" not null,
  kind text not null,
  name text not null,
  secret bytea,
  last_step bigint,
  credential_id text collate "C",
  public_key bytea,
  sign_count bigint,
  transports text[],
  created_at timestamp with time zone default clock_timestamp() not null,
  last_used_at timestamp with time zone,
  constraint factors_kind_check CHECK ((kind = ANY (ARRAY['passkey'::text, 'totp'::text]))),
  constraint factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint factors_pkey PRIMARY KEY (id),
  constraint factors_credential_id_key UNIQUE (credential_id)
);

create table firings (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  schedule_id text collate "C",
  trigger_id text collate "C",
  due_at timestamp with time zone,
  manual boolean default false not null,
  delivery_id text collate "C",
  digest bytea,
  status text not null,
  missed integer,
  request_id text collate "C",
  error text,
  owner integer,
  service text,
  operation text,
  payload text,
  outcome text,
  check_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint firings_check CHECK (((check_at IS NOT NULL) = ((status = 'fired'::text) AND (outcome IS NULL) AND (owner IS NULL)))),
  constraint firings_due CHECK (((schedule_id IS NULL) = (due_at IS NULL))),
  constraint firings_missed CHECK (((status = 'missed'::text) = (missed IS NOT NULL))),
  constraint firings_outcome_check CHECK ((outcome = ANY (ARRAY['executed'::text, 'blocked'::text, 'failed'::text]))),
  constraint firings_refusal CHECK (((status = 'refused'::text) = (error IS NOT NULL))),
  constraint firings_request CHECK (((status <> 'fired'::text) OR (request_id IS NOT NULL))),
  constraint firings_source CHECK (((schedule_id IS NULL) <> (trigger_id IS NULL))),
  constraint firings_status_check CHECK ((status = ANY (ARRAY['fired'::text, 'queued'::text, 'skipped'::text, 'missed'::text, 'refused'::text]))),
  constraint firings_submission CHECK ((((owner IS NULL) = (payload IS NULL)) AND ((status = 'fired'::text) OR (owner IS NULL)))),
  constraint firings_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint firings_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES schedules(id),
  constraint firings_trigger_id_fkey FOREIGN KEY (trigger_id) REFERENCES triggers(id),
  constraint firings_pkey PRIMARY KEY (id)
) with (fillfactor=70);

create table holds (
  request_id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null,
  service text not null,
  operation text not null,
  owner integer not null,
  phase smallint default 1 not null,
  ceiling_cents bigint not null,
  limits bigint[] not null,
  wallet bigint,
  month integer not null,
  day integer not null,
  created_at timestamp with time zone not null,
  sends smallint default 0 not null,
  provider_ref text,
  started text,
  poll_attempt integer default 0 not null,
  due_at timestamp with time zone,
  leased_until timestamp with time zone,
  deadline_at timestamp with time zone,
  running_because text,
  constraint holds_ceiling_cents_check CHECK ((ceiling_cents >= 0)),
  constraint holds_pkey PRIMARY KEY (request_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.0, autovacuum_vacuum_threshold=5000);

create table hub (
  one boolean default true not null,
  hub_id text not null,
  master_key_check bytea,
  created_at timestamp with time zone default now() not null,
  storage_id text,
  min_version text,
  constraint hub_one_check CHECK (one),
  constraint hub_pkey PRIMARY KEY (one)
);

create table idempotency_keys (
  org_id text collate "C" not null,
  scope text not null,
  key text not null,
  hash bytea not null,
  request_id text collate "C",
  status integer,
  body text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (org_id, scope, key)
);

create table identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C" not null,
  email text,
  created_at timestamp with time zone default clock_timestamp() not null,
  last_sign_in_at timestamp with time zone default clock_timestamp() not null,
  constraint identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint identities_pkey PRIMARY KEY (issuer, subject)
);

create table invites (
  org_id text collate "C" not null,
  id text collate "C" not null,
  email text not null,
  role text not null,
  team_id text collate "C",
  team_role text,
  token_hash bytea not null,
  invited_by text collate "C" not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  accepted_by text collate "C",
  revoked_at timestamp with time zone,
  constraint invites_check CHECK (((team_id IS NULL) = (team_role IS NULL))),
  constraint invites_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'operator'::text, 'member'::text, 'viewer'::text]))),
  constraint invites_team_role_check CHECK ((team_role = ANY (ARRAY['lead'::text, 'worker'::text]))),
  constraint invites_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES users(id),
  constraint invites_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id),
  constraint invites_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint invites_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id),
  constraint invites_pkey PRIMARY KEY (id),
  constraint invites_token_hash_key UNIQUE (token_hash)
);

create table knowledge_chunks (
  chunk_id bigint generated always as identity not null,
  org_id text collate "C" not null,
  collection_id text collate "C" not null,
  document_id text collate "C" not null,
  number integer not null,
  start_at integer not null,
  end_at integer not null,
  page integer,
  headings text not null,
  language text not null,
  body text not null,
  tsv tsvector not null,
  constraint knowledge_chunks_language_check CHECK ((language = ANY (ARRAY['english'::text, 'simple'::text]))),
  constraint knowledge_chunks_document_id_fkey FOREIGN KEY (document_id) REFERENCES knowledge_documents(id),
  constraint knowledge_chunks_pkey PRIMARY KEY (chunk_id)
);

create table knowledge_collections (
  id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C",
  name text collate "C" not null,
  description text not null,
  generation integer default 1 not null,
  embedding_model text not null,
  dimensions integer not null,
  next_generation integer,
  next_model text,
  next_dimensions integer,
  reindexed_to bigint default 0 not null,
  reindexed integer default 0 not null,
  attempt integer default 0 not null,
  lease_until timestamp with time zone,
  due_at timestamp with time zone,
  cleaning boolean default false not null,
  version bigint default 0 not null,
  documents integer default 0 not null,
  chunks bigint default 0 not null,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint knowledge_collections_chunks_check CHECK ((chunks >= 0)),
  constraint knowledge_collections_dimensions_check CHECK ((dimensions > 0)),
  constraint knowledge_collections_documents_check CHECK ((documents >= 0)),
  constraint knowledge_collections_next CHECK ((((next_generation IS NULL) = (next_model IS NULL)) AND ((next_model IS NULL) = (next_dimensions IS NULL)))),
  constraint knowledge_collections_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint knowledge_collections_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint knowledge_collections_pkey PRIMARY KEY (id)
);

create table knowledge_documents (
  id text collate "C" not null,
  org_id text collate "C" not null,
  collection_id text collate "C" not null,
  title text collate "C" not null,
  titled boolean not null,
  content_type text not null,
  declared_type text,
  file_name text,
  size_bytes integer not null,
  source text not null,
  object_id text,
  status text not null,
  parsed_at timestamp with time zone,
  chunks integer default 0 not null,
  embedded integer default 0 not null,
  pages integer,
  error_code text,
  error_message text,
  attempt integer default 0 not null,
  tries integer default 0 not null,
  lease_until timestamp with time zone,
  turn_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint knowledge_documents_embedded CHECK (((embedded >= 0) AND (embedded <= chunks))),
  constraint knowledge_documents_error CHECK (((status = 'failed'::text) = (error_code IS NOT NULL))),
  constraint knowledge_documents_lease CHECK (((lease_until IS NULL) OR (status = 'processing'::text))),
  constraint knowledge_documents_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint knowledge_documents_source_check CHECK ((source = ANY (ARRAY['text'::text, 'upload'::text, 'object'::text]))),
  constraint knowledge_documents_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'ready'::text, 'failed'::text]))),
  constraint knowledge_documents_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES knowledge_collections(id),
  constraint knowledge_documents_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint knowledge_documents_pkey PRIMARY KEY (id)
);

create table knowledge_sources (
  document_id text collate "C" not null,
  org_id text collate "C" not null,
  size_bytes integer not null,
  bytes bytea not null,
  constraint knowledge_sources_document_id_fkey FOREIGN KEY (document_id) REFERENCES knowledge_documents(id),
  constraint knowledge_sources_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint knowledge_sources_pkey PRIMARY KEY (document_id)
);

create table knowledge_turns (
  org_id text collate "C" not null,
  turn_at timestamp with time zone not null,
  constraint knowledge_turns_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint knowledge_turns_pkey PRIMARY KEY (org_id)
) with (fillfactor=50);

create table knowledge_vectors (
  chunk_id bigint not null,
  generation integer not null,
  org_id text collate "C" not null,
  collection_id text collate "C" not null,
  code bit varying not null,
  emb bytea not null,
  constraint knowledge_vectors_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES knowledge_chunks(chunk_id) ON DELETE CASCADE,
  constraint knowledge_vectors_pkey PRIMARY KEY (chunk_id, generation)
);

create table known_devices (
  user_id text collate "C" not null,
  token_hash bytea not null,
  address text not null,
  used_at timestamp with time zone default hub_time_or_last() not null,
  constraint known_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint known_devices_pkey PRIMARY KEY (user_id, token_hash)
);

create table limits (
  org_id text collate "C" not null,
  id bigint generated always as identity not null,
  kind smallint not null,
  mode text default 'live'::text not null,
  agent_id text collate "C",
  service text,
  operation text,
  cap bigint,
  period integer default 0 not null,
  used bigint default 0 not null,
  held bigint default 0 not null,
  committed bigint default 0 not null,
  valid_until timestamp with time zone,
  once_cents bigint default 0 not null,
  once_month integer default 0 not null,
  constraint limits_check CHECK (((used >= 0) OR (kind = 9))),
  constraint limits_committed_check CHECK ((committed >= 0)),
  constraint limits_held_check CHECK ((held >= 0)),
  constraint limits_once_cents_check CHECK ((once_cents >= 0)),
  constraint limits_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint limits_pkey PRIMARY KEY (id),
  constraint limits_org_id_kind_mode_agent_id_service_operation_key UNIQUE NULLS NOT DISTINCT (org_id, kind, mode, agent_id, service, operation)
) with (fillfactor=30);

create table mails (
  id text collate "C" not null,
  kind text not null,
  org_id text collate "C" not null,
  user_id text collate "C",
  subject_id text collate "C",
  sealed bytea,
  status text default 'pending'::text not null,
  attempt integer default 0 not null,
  due_at timestamp with time zone not null,
  problem text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint mails_check CHECK (((status = 'pending'::text) = (ended_at IS NULL))),
  constraint mails_kind_check CHECK ((kind = ANY (ARRAY['invite'::text, 'account'::text, 'notices'::text]))),
  constraint mails_sealed CHECK (((status <> 'pending'::text) OR (kind = 'notices'::text) OR (sealed IS NOT NULL))),
  constraint mails_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'cancelled'::text]))),
  constraint mails_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint mails_pkey PRIMARY KEY (id)
);

create table mcp_servers (
  org_id text collate "C" not null,
  service text collate "C" not null,
  due_at timestamp with time zone not null,
  refreshed_at timestamp with time zone default clock_timestamp() not null,
  error text,
  constraint mcp_servers_org_id_service_fkey FOREIGN KEY (org_id, service) REFERENCES services(org_id, name) ON DELETE CASCADE,
  constraint mcp_servers_pkey PRIMARY KEY (org_id, service)
);

create table mcp_tools (
  org_id text collate "C" not null,
  service text collate "C" not null,
  tool text collate "C" not null,
  operation text collate "C" not null,
  state text not null,
  pinned text,
  digest text collate "C",
  pending text,
  pending_digest text collate "C",
  refused_digest text collate "C",
  problem text,
  constraint mcp_tools_pending CHECK (((pending IS NULL) = (pending_digest IS NULL))),
  constraint mcp_tools_pinned CHECK (((pinned IS NULL) = (digest IS NULL))),
  constraint mcp_tools_state CHECK ((((state <> 'pinned'::text) OR (pinned IS NOT NULL)) AND ((state <> 'changed'::text) OR (pending IS NOT NULL)))),
  constraint mcp_tools_state_check CHECK ((state = ANY (ARRAY['pinned'::text, 'new'::text, 'changed'::text, 'refused'::text, 'removed'::text]))),
  constraint mcp_tools_org_id_service_fkey FOREIGN KEY (org_id, service) REFERENCES mcp_servers(org_id, service) ON DELETE CASCADE,
  constraint mcp_tools_pkey PRIMARY KEY (org_id, service, tool)
);

create table memberships (
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  role text not null,
  created_at timestamp with time zone default now() not null,
  managed_by text default 'manual'::text not null,
  constraint memberships_managed_by_check CHECK ((managed_by = ANY (ARRAY['manual'::text, 'oidc'::text]))),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'operator'::text, 'member'::text, 'viewer'::text]))),
  constraint memberships_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint memberships_pkey PRIMARY KEY (org_id, user_id)
);

create table memories (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  kind text not null,
  content text not null,
  tags text[] not null,
  importance double precision not null,
  source_type text,
  source_id text,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  embedding_model text collate "C" default ''::text not null,
  code bit varying,
  emb bytea,
  embed_at timestamp with time zone not null,
  constraint memories_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision))),
  constraint memories_kind_check CHECK ((kind = ANY (ARRAY['fact'::text, 'preference'::text, 'event'::text, 'skill'::text]))),
  constraint memories_source CHECK (((source_type IS NULL) = (source_id IS NULL))),
  constraint memories_vector CHECK ((((embedding_model = ''::text) = (emb IS NULL)) AND ((emb IS NULL) = (code IS NULL)))),
  constraint memories_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint memories_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint memories_pkey PRIMARY KEY (id)
);

create table memory_links (
  source_id text collate "C" not null,
  target_id text collate "C" not null,
  org_id text collate "C" not null,
  "position" smallint not null,
  constraint memory_links_other CHECK ((source_id <> target_id)),
  constraint memory_links_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint memory_links_source_id_fkey FOREIGN KEY (source_id) REFERENCES memories(id) ON DELETE CASCADE,
  constraint memory_links_target_id_fkey FOREIGN KEY (target_id) REFERENCES memories(id) ON DELETE CASCADE,
  constraint memory_links_pkey PRIMARY KEY (source_id, target_id)
);

create table memory_totals (
  agent_id text collate "C" not null,
  org_id text collate "C" not null,
  memories integer not null,
  constraint memory_totals_memories_check CHECK ((memories >= 0)),
  constraint memory_totals_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint memory_totals_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint memory_totals_pkey PRIMARY KEY (agent_id)
);

create table messenger_accounts (
  id text collate "C" not null,
  user_id text collate "C" not null,
  code_hash bytea,
  provider text,
  team text collate "C",
  team_name text,
  account text collate "C",
  account_name text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint messenger_accounts_account CHECK (((code_hash IS NULL) = (account IS NOT NULL))),
  constraint messenger_accounts_confirmed CHECK (((confirmed_at IS NULL) OR (account IS NOT NULL))),
  constraint messenger_accounts_provider_check CHECK ((provider = ANY (ARRAY['slack'::text, 'discord'::text]))),
  constraint messenger_accounts_whole CHECK ((((account IS NULL) = (provider IS NULL)) AND ((account IS NULL) = (team IS NULL)))),
  constraint messenger_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint messenger_accounts_pkey PRIMARY KEY (id),
  constraint messenger_accounts_code_hash_key UNIQUE (code_hash)
);

create table model_favorites (
  id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  model_id text collate "C" not null,
  created_at timestamp with time zone not null,
  constraint model_favorites_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint model_favorites_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint model_favorites_pkey PRIMARY KEY (id),
  constraint model_favorites_org_id_user_id_model_id_key UNIQUE (org_id, user_id, model_id)
);

create table model_prompts (
  org_id text collate "C" not null,
  id text collate "C" not null,
  agent_id text collate "C" not null,
  body text not null,
  ends_at timestamp with time zone not null,
  constraint model_prompts_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint model_prompts_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint model_prompts_pkey PRIMARY KEY (org_id, id)
);

create table movements (
  org_id text collate "C" not null,
  id text collate "C" not null,
  debit_id bigint not null,
  credit_id bigint not null,
  amount_cents bigint not null,
  debit_balance_after bigint not null,
  credit_balance_after bigint not null,
  cause_type text not null,
  cause_id text not null,
  note text,
  created_at timestamp with time zone not null,
  constraint movements_amount_cents_check CHECK ((amount_cents > 0)),
  constraint movements_pkey PRIMARY KEY (org_id, id)
) partition by RANGE (id);

create table notice_channels (
  id text collate "C" not null,
  org_id text collate "C" not null,
  kind text not null,
  app_id text collate "C",
  secret text collate "C",
  target text collate "C" not null,
  min_cents bigint,
  agent_ids text[],
  events text[] not null,
  seq bigint not null,
  problem text,
  last_sent_at timestamp with time zone,
  leased_until timestamp with time zone,
  lease integer default 0 not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint notice_channels_kind_check CHECK ((kind = ANY (ARRAY['slack'::text, 'discord'::text]))),
  constraint notice_channels_token CHECK (((app_id IS NULL) <> (secret IS NULL))),
  constraint notice_channels_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint notice_channels_pkey PRIMARY KEY (id)
);

create table notice_cursors (
  org_id text collate "C" not null,
  seq bigint not null,
  constraint notice_cursors_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint notice_cursors_pkey PRIMARY KEY (org_id)
) with (fillfactor=50);

create table notice_digests (
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  digest text not null,
  mailed_at timestamp with time zone,
  constraint notice_digests_org_id_user_id_fkey FOREIGN KEY (org_id, user_id) REFERENCES memberships(org_id, user_id) ON DELETE CASCADE,
  constraint notice_digests_pkey PRIMARY KEY (org_id, user_id, digest)
);

create table notice_messages (
  id text collate "C" not null,
  org_id text collate "C" not null,
  channel_id text collate "C" not null,
  subject_type text not null,
  subject_id text collate "C" not null,
  request_id text collate "C",
  digest text collate "C" not null,
  place text collate "C",
  message text collate "C",
  wanted integer default 1 not null,
  shown integer default 0 not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone,
  closed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint notice_messages_sent CHECK (((place IS NULL) = (message IS NULL))),
  constraint notice_messages_subject_type_check CHECK ((subject_type = ANY (ARRAY['approval'::text, 'agent_request'::text, 'budget_request'::text]))),
  constraint notice_messages_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notice_channels(id) ON DELETE CASCADE,
  constraint notice_messages_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint notice_messages_pkey PRIMARY KEY (id),
  constraint notice_messages_channel_id_subject_type_subject_id_key UNIQUE (channel_id, subject_type, subject_id)
);

create table notices (
  id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  event text not null,
  medium text not null,
  audit_id text collate "C" not null,
  subject_type text not null,
  subject_id text collate "C" not null,
  facts text not null,
  state text default 'pending'::text not null,
  due_at timestamp with time zone not null,
  mail_id text collate "C",
  created_at timestamp with time zone not null,
  constraint notices_medium_check CHECK ((medium = ANY (ARRAY['email'::text, 'browser'::text]))),
  constraint notices_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sent'::text, 'dropped'::text]))),
  constraint notices_mail_id_fkey FOREIGN KEY (mail_id) REFERENCES mails(id) ON DELETE CASCADE,
  constraint notices_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint notices_pkey PRIMARY KEY (id),
  constraint notices_org_id_audit_id_user_id_medium_key UNIQUE (org_id, audit_id, user_id, medium)
);

create table notification_settings (
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  places text default '{}'::text not null,
  digest_minutes integer not null,
  quiet_from text,
  quiet_to text,
  updated_at timestamp with time zone not null,
  constraint notification_settings_check CHECK (((quiet_from IS NULL) = (quiet_to IS NULL))),
  constraint notification_settings_digest_minutes_check CHECK (((digest_minutes >= 1) AND (digest_minutes <= 1440))),
  constraint notification_settings_org_id_user_id_fkey FOREIGN KEY (org_id, user_id) REFERENCES memberships(org_id, user_id) ON DELETE CASCADE,
  constraint notification_settings_pkey PRIMARY KEY (org_id, user_id)
);

create table oauth_clients (
  id text collate "C" not null,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  document_until timestamp with time zone,
  constraint oauth_clients_pkey PRIMARY KEY (id)
);

create table oauth_codes (
  hash bytea not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  agent_id text collate "C" not null,
  client_id text collate "C" not null,
  redirect_uri text not null,
  challenge text collate "C" not null,
  resource text not null,
  expires_at timestamp with time zone not null,
  grant_id text collate "C",
  constraint oauth_codes_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint oauth_codes_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE,
  constraint oauth_codes_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint oauth_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint oauth_codes_pkey PRIMARY KEY (hash)
);

create table oauth_grants (
  id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  agent_id text collate "C" not null,
  client_id text collate "C" not null,
  resource text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  last_used_ip text,
  constraint oauth_grants_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint oauth_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id),
  constraint oauth_grants_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint oauth_grants_pkey PRIMARY KEY (id)
);

create table oauth_tokens (
  hash bytea not null,
  grant_id text collate "C" not null,
  org_id text collate "C" not null,
  kind text not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint oauth_tokens_kind_check CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text]))),
  constraint oauth_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE,
  constraint oauth_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint oauth_tokens_pkey PRIMARY KEY (hash)
);

create table oidc_flows (
  hash bytea not null,
  browser_hash bytea not null,
  secrets bytea not null,
  purpose text not null,
  session_id text collate "C",
  return_to text not null,
  started_at timestamp with time zone default clock_timestamp() not null,
  expires_at timestamp with time zone not null,
  constraint oidc_flows_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'step_up'::text, 'link'::text]))),
  constraint oidc_flows_pkey PRIMARY KEY (hash)
);

create table oidc_links (
  hash bytea not null,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  email text,
  user_id text collate "C" not null,
  expires_at timestamp with time zone not null,
  constraint oidc_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint oidc_links_pkey PRIMARY KEY (hash)
);

create table oidc_logouts (
  issuer text collate "C" not null,
  jti text collate "C" not null,
  expires_at timestamp with time zone not null,
  constraint oidc_logouts_pkey PRIMARY KEY (issuer, jti)
);

create table org_heads (
  org_id text collate "C" not null,
  rules_version integer default 1 not null,
  last_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  seq bigint default 0 not null,
  head bytea default '\x0000000000000000000000000000000000000000000000000000000000000000'::bytea not null,
  times_rise_after bigint default 0 not null,
  constraint org_heads_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint org_heads_pkey PRIMARY KEY (org_id)
) with (fillfactor=20);

create table orgs (
  id text collate "C" not null,
  name text not null,
  frozen boolean default false not null,
  approval_threshold_cents bigint default 1000 not null,
  approval_life_seconds integer default 86400 not null,
  separation_of_duties boolean default false not null,
  retention_days integer,
  alert_levels integer[] default '{50,80,100}'::integer[] not null,
  step_up_cents bigint,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  version integer default 1 not null,
  device_output_days integer default 90 not null,
  second_factor text default 'off'::text not null,
  constraint orgs_approval_threshold_cents_check CHECK ((approval_threshold_cents >= 0)),
  constraint orgs_device_output_days_check CHECK (((device_output_days >= 1) AND (device_output_days <= 3650))),
  constraint orgs_second_factor_check CHECK ((second_factor = ANY (ARRAY['off'::text, 'deciders'::text, 'all'::text]))),
  constraint orgs_pkey PRIMARY KEY (id)
);

create table owners (
  num integer generated always as identity not null,
  hub_id text not null,
  alive_until timestamp with time zone not null,
  ended boolean default false not null,
  started_at timestamp with time zone default now() not null,
  version text,
  constraint owners_pkey PRIMARY KEY (num)
);

create table passkey_challenges (
  hash bytea not null,
  user_id text collate "C" not null,
  purpose text not null,
  expires_at timestamp with time zone not null,
  constraint passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'login'::text, 'step_up'::text]))),
  constraint passkey_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint passkey_challenges_pkey PRIMARY KEY (hash)
);

create table payment_reversals (
  object_id text collate "C" not null,
  intent_id text collate "C" not null,
  kind text not null,
  amount_cents bigint not null,
  state text not null,
  live boolean,
  updated_at timestamp with time zone not null,
  constraint payment_reversals_amount_cents_check CHECK ((amount_cents >= 0)),
  constraint payment_reversals_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'charge'::text, 'dispute'::text]))),
  constraint payment_reversals_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'taken'::text, 'returned'::text]))),
  constraint payment_reversals_pkey PRIMARY KEY (object_id)
);

create table payments (
  id text collate "C" not null,
  org_id text collate "C" not null,
  amount_cents bigint not null,
  status text default 'open'::text not null,
  success_url text not null,
  cancel_url text not null,
  key_scope text,
  key text,
  key_hash bytea,
  session_id text collate "C",
  url text,
  intent_id text collate "C",
  live boolean,
  problem text,
  movement_id text collate "C",
  reversed_cents bigint default 0 not null,
  created_by text collate "C",
  created_at timestamp with time zone not null,
  paid_at timestamp with time zone,
  poll_at timestamp with time zone not null,
  constraint payments_amount_cents_check CHECK ((amount_cents > 0)),
  constraint payments_check CHECK (((reversed_cents >= 0) AND (reversed_cents <= amount_cents))),
  constraint payments_check1 CHECK (((reversed_cents = 0) OR (movement_id IS NOT NULL))),
  constraint payments_status_check CHECK ((status = ANY (ARRAY['open'::text, 'paid'::text, 'expired'::text, 'failed'::text, 'refunded'::text, 'disputed'::text]))),
  constraint payments_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint payments_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint payments_pkey PRIMARY KEY (id)
);

create table policies (
  id text collate "C" not null,
  org_id text collate "C" not null,
  name text not null,
  "position" integer not null,
  enabled boolean default true not null,
  condition text not null,
  action text not null,
  required_approvals integer,
  deciders text,
  expires_in_seconds integer,
  reason text default ''::text not null,
  version integer default 1 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint policies_action_check CHECK ((action = ANY (ARRAY['allow'::text, 'block'::text, 'require_approval'::text]))),
  constraint policies_required_approvals_check CHECK (((required_approvals >= 1) AND (required_approvals <= 5))),
  constraint policies_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint policies_pkey PRIMARY KEY (id)
);

create table promo_codes (
  id text collate "C" not null,
  code text not null,
  code_key text collate "C" not null,
  amount_cents bigint not null,
  max_redemptions integer,
  redemptions integer default 0 not null,
  expires_at timestamp with time zone,
  created_by text collate "C",
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint promo_codes_amount_cents_check CHECK ((amount_cents > 0)),
  constraint promo_codes_check CHECK ((redemptions <= max_redemptions)),
  constraint promo_codes_max_redemptions_check CHECK ((max_redemptions > 0)),
  constraint promo_codes_redemptions_check CHECK ((redemptions >= 0)),
  constraint promo_codes_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint promo_codes_pkey PRIMARY KEY (id)
);

create table promo_redemptions (
  org_id text collate "C" not null,
  code_key text collate "C" not null,
  promo_id text collate "C" not null,
  movement_id text collate "C" not null,
  amount_cents bigint not null,
  redeemed_by text collate "C",
  created_at timestamp with time zone not null,
  constraint promo_redemptions_amount_cents_check CHECK ((amount_cents > 0)),
  constraint promo_redemptions_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint promo_redemptions_promo_id_fkey FOREIGN KEY (promo_id) REFERENCES promo_codes(id),
  constraint promo_redemptions_redeemed_by_fkey FOREIGN KEY (redeemed_by) REFERENCES users(id),
  constraint promo_redemptions_pkey PRIMARY KEY (org_id, code_key)
);

create table provider_events (
  provider text collate "C" not null,
  event_id text collate "C" not null,
  type text not null,
  received_at timestamp with time zone not null,
  constraint provider_events_pkey PRIMARY KEY (provider, event_id)
);

create table publications (
  id text collate "C" not null,
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  published_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revoked_by text collate "C",
  subject_type text not null,
  subject_id text collate "C" not null,
  scope text not null,
  team_id text collate "C",
  listed boolean not null,
  constraint publications_scope_check CHECK ((scope = ANY (ARRAY['team'::text, 'org'::text]))),
  constraint publications_subject_type_check CHECK ((subject_type = ANY (ARRAY['agent'::text, 'workflow'::text]))),
  constraint publications_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint publications_request_id_fkey FOREIGN KEY (request_id) REFERENCES publish_requests(id),
  constraint publications_revoked_by_fkey FOREIGN KEY (revoked_by) REFERENCES users(id),
  constraint publications_pkey PRIMARY KEY (id),
  constraint publications_request_id_key UNIQUE (request_id)
);

create table publish_requests (
  id text collate "C" not null,
  org_id text collate "C" not null,
  subject_type text not null,
  subject_id text collate "C" not null,
  version_id text collate "C",
  scope text not null,
  team_id text collate "C",
  listed boolean not null,
  name text not null,
  description text not null,
  icon text,
  category text,
  note text,
  status text default 'pending'::text not null,
  requested_by text collate "C" not null,
  decided_by text collate "C",
  comment text,
  created_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  constraint publish_requests_decision CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint publish_requests_listed CHECK (((NOT listed) OR (scope = 'org'::text))),
  constraint publish_requests_scope_check CHECK ((scope = ANY (ARRAY['team'::text, 'org'::text]))),
  constraint publish_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text]))),
  constraint publish_requests_subject_type_check CHECK ((subject_type = ANY (ARRAY['agent'::text, 'workflow'::text]))),
  constraint publish_requests_team CHECK (((scope = 'team'::text) = (team_id IS NOT NULL))),
  constraint publish_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint publish_requests_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint publish_requests_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id),
  constraint publish_requests_pkey PRIMARY KEY (id)
);

create table push_key (
  one boolean default true not null,
  public_key text not null,
  sealed bytea not null,
  created_at timestamp with time zone default hub_time_or_last() not null,
  constraint push_key_one_check CHECK (one),
  constraint push_key_pkey PRIMARY KEY (one)
);

create table push_subscriptions (
  id text collate "C" not null,
  user_id text collate "C" not null,
  session_id text collate "C" not null,
  endpoint_hash bytea not null,
  sealed bytea not null,
  user_agent text,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint push_subscriptions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint push_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint push_subscriptions_pkey PRIMARY KEY (id),
  constraint push_subscriptions_endpoint_hash_key UNIQUE (endpoint_hash)
);

create table pushes (
  notice_id text collate "C" not null,
  subscription_id text collate "C" not null,
  attempt integer default 0 not null,
  due_at timestamp with time zone not null,
  constraint pushes_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES notices(id) ON DELETE CASCADE,
  constraint pushes_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES push_subscriptions(id) ON DELETE CASCADE,
  constraint pushes_pkey PRIMARY KEY (notice_id, subscription_id)
);

create table recovery_codes (
  user_id text collate "C" not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
);

create table reported_costs (
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  cost_cents bigint not null,
  constraint reported_costs_cost_cents_check CHECK ((cost_cents > 0)),
  constraint reported_costs_pkey PRIMARY KEY (org_id, request_id)
);

create table request_texts (
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  text text not null,
  constraint request_texts_pkey PRIMARY KEY (org_id, request_id)
) partition by RANGE (request_id);

create table requests (
  org_id text collate "C" not null,
  id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null,
  service text not null,
  operation text not null,
  payload text not null,
  ceiling_cents bigint not null,
  approval_id text collate "C",
  origin text,
  test_outcome text,
  created_at timestamp with time zone not null,
  constraint requests_ceiling_cents_check CHECK ((ceiling_cents >= 0)),
  constraint requests_pkey PRIMARY KEY (org_id, id)
) partition by RANGE (id);

create table retention_later (
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  constraint retention_later_pkey PRIMARY KEY (org_id, request_id)
);

create table retention_positions (
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  constraint retention_positions_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint retention_positions_pkey PRIMARY KEY (org_id)
);

create table run_attempts (
  org_id text collate "C" not null,
  run_id text collate "C" not null,
  label text collate "C" not null,
  attempt integer not null,
  status text not null,
  ref text collate "C",
  error text,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint run_attempts_pkey PRIMARY KEY (run_id, label, attempt)
) partition by RANGE (run_id);

create table run_callbacks (
  step_id text collate "C" not null,
  org_id text collate "C" not null,
  run_id text collate "C" not null,
  label text collate "C" not null,
  attempt integer not null,
  request_id text collate "C" not null,
  digest text,
  body text,
  received_at timestamp with time zone,
  constraint run_callbacks_pkey PRIMARY KEY (step_id)
);

create table run_commitments (
  task_id text collate "C" not null,
  org_id text collate "C" not null,
  limits bigint[] not null,
  cents bigint not null,
  constraint run_commitments_pkey PRIMARY KEY (task_id)
);

create table run_steps (
  org_id text collate "C" not null,
  run_id text collate "C" not null,
  label text collate "C" not null,
  rev integer not null,
  status text not null,
  attempt integer not null,
  tries integer not null,
  phase text,
  ref text collate "C",
  due_at timestamp with time zone,
  timeout_at timestamp with time zone,
  stopping text,
  left_open boolean default false not null,
  cost_cents bigint default 0 not null,
  input text,
  output text,
  error text,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint run_steps_pkey PRIMARY KEY (run_id, label)
) partition by RANGE (run_id);

create table run_work (
  run_id text collate "C" not null,
  org_id text collate "C" not null,
  owner integer not null,
  epoch bigint not null,
  rev integer default 0 not null,
  flags integer default 0 not null,
  due_at timestamp with time zone,
  waits text[] collate "C" default '{}'::text[] not null,
  constraint run_work_pkey PRIMARY KEY (run_id)
) with (fillfactor=50);

create table runs (
  org_id text collate "C" not null,
  id text collate "C" not null,
  workflow_id text collate "C" not null,
  version_id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null,
  source_type text not null,
  source_id text collate "C" not null,
  source_name text not null,
  parent_run_id text collate "C",
  request_id text collate "C",
  root_id text collate "C" not null,
  ancestors text[] collate "C" not null,
  depth integer not null,
  status text not null,
  ending text,
  rev integer default 0 not null,
  cost_cents bigint default 0 not null,
  max_cost_cents bigint,
  limits bigint[] default '{}'::bigint[] not null,
  input text not null,
  output text,
  error text,
  late text,
  deadline_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  removed_after_days integer,
  constraint runs_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint runs_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint runs_pkey PRIMARY KEY (id)
) partition by RANGE (id);

create table schedules (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  trigger_id text collate "C",
  name text not null,
  action text not null,
  cron text not null,
  timezone text not null,
  catch_up text not null,
  overlap text not null,
  jitter_seconds integer not null,
  status text not null,
  paused_by text,
  failures integer default 0 not null,
  due_at timestamp with time zone,
  fire_at timestamp with time zone,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint schedules_catch_up_check CHECK ((catch_up = ANY (ARRAY['skip'::text, 'once'::text]))),
  constraint schedules_deletion CHECK (((deleted_at IS NULL) OR (due_at IS NULL))),
  constraint schedules_due CHECK ((((due_at IS NULL) = (fire_at IS NULL)) AND ((status = 'active'::text) OR (due_at IS NULL)))),
  constraint schedules_failures_check CHECK ((failures >= 0)),
  constraint schedules_jitter_seconds_check CHECK (((jitter_seconds >= 0) AND (jitter_seconds <= 3600))),
  constraint schedules_overlap_check CHECK ((overlap = ANY (ARRAY['skip'::text, 'allow'::text, 'queue'::text]))),
  constraint schedules_pause CHECK (((status = 'paused'::text) = (paused_by IS NOT NULL))),
  constraint schedules_paused_by_check CHECK ((paused_by = ANY (ARRAY['person'::text, 'failures'::text, 'member_removed'::text]))),
  constraint schedules_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text]))),
  constraint schedules_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint schedules_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint schedules_trigger_id_fkey FOREIGN KEY (trigger_id) REFERENCES triggers(id),
  constraint schedules_pkey PRIMARY KEY (id),
  constraint schedules_trigger_id_key UNIQUE (trigger_id)
);

create table search_positions (
  org_id text collate "C" not null,
  seq bigint not null,
  constraint search_positions_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint search_positions_pkey PRIMARY KEY (org_id)
) with (fillfactor=50);

create table secrets (
  org_id text collate "C" not null,
  name text not null,
  sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint secrets_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint secrets_pkey PRIMARY KEY (org_id, name)
);

create table service_settings (
  org_id text collate "C" not null,
  name text not null,
  enabled boolean,
  prices text,
  updated_at timestamp with time zone default now() not null,
  version integer default 1 not null,
  constraint service_settings_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint service_settings_pkey PRIMARY KEY (org_id, name)
);

create table services (
  org_id text collate "C" not null,
  name text not null,
  definition text not null,
  enabled boolean default true not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  version integer default 1 not null,
  constraint services_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint services_pkey PRIMARY KEY (org_id, name)
);

create table sessions (
  id text collate "C" not null,
  token_hash bytea not null,
  user_id text collate "C" not null,
  org_id text collate "C" not null,
  created_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone default now() not null,
  stepped_up_until timestamp with time zone,
  ip text,
  user_agent text,
  team_id text collate "C",
  method text default 'password'::text not null,
  factor text,
  provider_issuer text collate "C",
  provider_subject text collate "C",
  provider_sid text collate "C",
  ends_at timestamp with time zone,
  constraint sessions_factor_check CHECK ((factor = ANY (ARRAY['passkey'::text, 'totp'::text, 'recovery_code'::text]))),
  constraint sessions_method_check CHECK ((method = ANY (ARRAY['password'::text, 'oidc'::text, 'setup'::text]))),
  constraint sessions_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash)
);

create table settlements (
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null,
  service text not null,
  operation text not null,
  status text not null,
  ceiling_cents bigint not null,
  cost_cents bigint not null,
  reason_code text,
  result text,
  block text,
  late_result text,
  provider_ref text,
  completed_at timestamp with time zone not null,
  constraint settlements_check CHECK (((cost_cents >= 0) AND (cost_cents <= ceiling_cents))),
  constraint settlements_pkey PRIMARY KEY (org_id, request_id)
) partition by RANGE (request_id);

create table setup_tokens (
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint setup_tokens_pkey PRIMARY KEY (token_hash)
);

create table sign_in_challenges (
  hash bytea not null,
  user_id text collate "C" not null,
  method text not null,
  provider text,
  tries integer default 0 not null,
  expires_at timestamp with time zone not null,
  constraint sign_in_challenges_method_check CHECK ((method = ANY (ARRAY['password'::text, 'oidc'::text]))),
  constraint sign_in_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint sign_in_challenges_pkey PRIMARY KEY (hash)
);

create table sign_in_failures (
  account bytea not null,
  attempts integer not null,
  at timestamp with time zone not null,
  mailed_at timestamp with time zone,
  constraint sign_in_failures_pkey PRIMARY KEY (account)
);

create table sign_in_limits (
  key text collate "C" not null,
  tokens double precision not null,
  allowed boolean not null,
  at timestamp with time zone not null,
  constraint sign_in_limits_pkey PRIMARY KEY (key)
);

create table skill_proposals (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  name text not null,
  description text not null,
  instructions text not null,
  operations text[] not null,
  rationale text not null,
  status text default 'proposed'::text not null,
  decided_by text collate "C",
  comment text,
  created_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint skill_proposals_decision CHECK (((status = 'proposed'::text) = (decided_at IS NULL))),
  constraint skill_proposals_deletion CHECK (((deleted_at IS NULL) OR (status = 'accepted'::text))),
  constraint skill_proposals_status_check CHECK ((status = ANY (ARRAY['proposed'::text, 'accepted'::text, 'rejected'::text]))),
  constraint skill_proposals_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint skill_proposals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint skill_proposals_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint skill_proposals_pkey PRIMARY KEY (id)
);

create table standing_approvals (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  service text not null,
  operation text not null,
  mode text not null,
  max_cost_cents bigint not null,
  max_total_cents bigint,
  max_uses bigint,
  total_limit bigint not null,
  uses_limit bigint not null,
  created_by text collate "C" not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  withdrawn_at timestamp with time zone,
  last_used_at timestamp with time zone,
  condition text,
  constraint standing_approvals_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint standing_approvals_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint standing_approvals_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint standing_approvals_total_limit_fkey FOREIGN KEY (total_limit) REFERENCES limits(id),
  constraint standing_approvals_uses_limit_fkey FOREIGN KEY (uses_limit) REFERENCES limits(id),
  constraint standing_approvals_pkey PRIMARY KEY (id)
);

create table standing_backlog (
  org_id text collate "C" not null,
  standing_approval_id text collate "C" not null,
  approval_id text collate "C" not null,
  decider text not null,
  due_at timestamp with time zone not null,
  tries integer default 0 not null,
  constraint standing_backlog_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id),
  constraint standing_backlog_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint standing_backlog_standing_approval_id_fkey FOREIGN KEY (standing_approval_id) REFERENCES standing_approvals(id),
  constraint standing_backlog_pkey PRIMARY KEY (org_id, standing_approval_id, approval_id)
);

create table standing_uses (
  org_id text collate "C" not null,
  standing_approval_id text collate "C" not null,
  request_id text collate "C" not null,
  constraint standing_uses_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint standing_uses_standing_approval_id_fkey FOREIGN KEY (standing_approval_id) REFERENCES standing_approvals(id),
  constraint standing_uses_pkey PRIMARY KEY (org_id, standing_approval_id, request_id)
);

create table storage_objects (
  id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C",
  agent_id text collate "C",
  request_id text collate "C",
  key text collate "C" not null,
  content_type text not null,
  size_bytes bigint not null,
  declared_sha256 text,
  sha256 text,
  metadata text default '{}'::text not null,
  status text not null,
  upload text,
  generation integer default 0 not null,
  claimed_until timestamp with time zone,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  deleted_at timestamp with time zone,
  missing_at timestamp with time zone,
  constraint storage_objects_claim CHECK (((status = 'verifying'::text) <= (claimed_until IS NOT NULL))),
  constraint storage_objects_confirmed CHECK (((status <> ALL (ARRAY['live'::text, 'deleted'::text])) OR ((sha256 IS NOT NULL) AND (confirmed_at IS NOT NULL)))),
  constraint storage_objects_deleted CHECK (((status <> ALL (ARRAY['live'::text, 'pending'::text, 'verifying'::text])) OR (deleted_at IS NULL))),
  constraint storage_objects_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint storage_objects_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'verifying'::text, 'live'::text, 'deleted'::text, 'purging'::text]))),
  constraint storage_objects_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint storage_objects_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint storage_objects_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint storage_objects_pkey PRIMARY KEY (id),
  constraint storage_objects_request_id_key UNIQUE (request_id)
);

create table storage_sweep (
  one boolean default true not null,
  due_at timestamp with time zone not null,
  claimed_until timestamp with time zone,
  place text collate "C" default ''::text not null,
  constraint storage_sweep_one_check CHECK (one),
  constraint storage_sweep_pkey PRIMARY KEY (one)
);

create table storage_totals (
  org_id text collate "C" not null,
  used_bytes bigint not null,
  deleted_bytes bigint not null,
  constraint storage_totals_deleted_bytes_check CHECK ((deleted_bytes >= 0)),
  constraint storage_totals_used_bytes_check CHECK ((used_bytes >= 0)),
  constraint storage_totals_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint storage_totals_pkey PRIMARY KEY (org_id)
);

create table team_members (
  org_id text collate "C" not null,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  role text not null,
  created_at timestamp with time zone not null,
  managed_by text default 'manual'::text not null,
  constraint team_members_managed_by_check CHECK ((managed_by = ANY (ARRAY['manual'::text, 'oidc'::text]))),
  constraint team_members_role_check CHECK ((role = ANY (ARRAY['lead'::text, 'worker'::text]))),
  constraint team_members_org_id_user_id_fkey FOREIGN KEY (org_id, user_id) REFERENCES memberships(org_id, user_id),
  constraint team_members_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id),
  constraint team_members_pkey PRIMARY KEY (team_id, user_id)
);

create table team_wallets (
  limit_id bigint not null,
  month_limit_id bigint not null,
  org_id text collate "C" not null,
  team_id text collate "C" not null,
  user_id text collate "C",
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint team_wallets_limit_id_fkey FOREIGN KEY (limit_id) REFERENCES limits(id),
  constraint team_wallets_month_limit_id_fkey FOREIGN KEY (month_limit_id) REFERENCES limits(id),
  constraint team_wallets_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint team_wallets_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id),
  constraint team_wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint team_wallets_pkey PRIMARY KEY (limit_id),
  constraint team_wallets_team_id_user_id_key UNIQUE NULLS NOT DISTINCT (team_id, user_id)
);

create table teams (
  org_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  description text default ''::text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint teams_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint teams_pkey PRIMARY KEY (id)
);

create table tokens (
  id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  name text not null,
  scopes text[] not null,
  enabled boolean default true not null,
  token_hash bytea not null,
  hint text not null,
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  last_used_ip text,
  created_at timestamp with time zone default now() not null,
  team_id text collate "C",
  constraint tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint tokens_pkey PRIMARY KEY (id),
  constraint tokens_token_hash_key UNIQUE (token_hash)
);

create table totp_enrollments (
  id text collate "C" not null,
  user_id text collate "C" not null,
  secret bytea not null,
  expires_at timestamp with time zone not null,
  constraint totp_enrollments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint totp_enrollments_pkey PRIMARY KEY (id)
);

create table triggers (
  id text collate "C" not null,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  name text not null,
  kind text not null,
  action text not null,
  payload_template text,
  require_timestamp boolean default false not null,
  status text not null,
  paused_by text,
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamp with time zone,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint triggers_kind_check CHECK ((kind = ANY (ARRAY['webhook'::text, 'cron'::text]))),
  constraint triggers_pause CHECK (((status = 'paused'::text) = (paused_by IS NOT NULL))),
  constraint triggers_paused_by_check CHECK ((paused_by = ANY (ARRAY['person'::text, 'failures'::text, 'member_removed'::text]))),
  constraint triggers_previous CHECK (((previous_secret IS NULL) = (previous_until IS NULL))),
  constraint triggers_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text]))),
  constraint triggers_template CHECK (((kind = 'webhook'::text) OR (payload_template IS NULL))),
  constraint triggers_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint triggers_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint triggers_pkey PRIMARY KEY (id)
);

create table usage_days (
  org_id text collate "C" not null,
  day date not null,
  agent_id text collate "C" not null,
  service text not null,
  operation text not null,
  mode text not null,
  executed bigint default 0 not null,
  failed bigint default 0 not null,
  blocked bigint default 0 not null,
  cost_cents bigint default 0 not null,
  constraint usage_days_pkey PRIMARY KEY (org_id, day, agent_id, service, operation, mode)
) with (fillfactor=50);

create table users (
  id text collate "C" not null,
  email text not null,
  name text default ''::text not null,
  password_hash text not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  time_zone text,
  locale text,
  constraint users_pkey PRIMARY KEY (id)
);

create table views (
  id text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  screen text not null,
  name text not null,
  query text not null,
  shared boolean default false not null,
  "position" integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint views_screen_check CHECK ((screen = ANY (ARRAY['inbox'::text, 'requests'::text, 'audit'::text, 'agents'::text]))),
  constraint views_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint views_pkey PRIMARY KEY (id)
);

create table webhook_attempts (
  delivery_id text collate "C" not null,
  number integer not null,
  org_id text collate "C" not null,
  at timestamp with time zone not null,
  status integer,
  millis integer not null,
  error text,
  response text,
  constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id) ON DELETE CASCADE,
  constraint webhook_attempts_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, number)
);

create table webhook_cursors (
  endpoint_id text collate "C" not null,
  org_id text collate "C" not null,
  seq bigint not null,
  constraint webhook_cursors_seq_check CHECK ((seq >= 0)),
  constraint webhook_cursors_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  constraint webhook_cursors_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint webhook_cursors_pkey PRIMARY KEY (endpoint_id)
) with (fillfactor=50);

create table webhook_deliveries (
  id text collate "C" not null,
  org_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  type text not null,
  subject_type text not null,
  subject_id text not null,
  version bigint not null,
  occurred_at timestamp with time zone not null,
  status text not null,
  tries integer default 0 not null,
  due_at timestamp with time zone,
  attempts integer default 0 not null,
  created_at timestamp with time zone not null,
  constraint webhook_deliveries_due CHECK (((status = 'pending'::text) = (due_at IS NOT NULL))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  constraint webhook_deliveries_tries_check CHECK ((tries >= 0)),
  constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
  constraint webhook_deliveries_pkey PRIMARY KEY (id)
) with (fillfactor=60);

create table webhook_endpoints (
  id text collate "C" not null,
  org_id text collate "C" not null,
  url text not null,
  description text not null,
  types text[],
  status text not null,
  disabled_by text,
  disabled_at timestamp with time zone,
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamp with time zone,
  failures integer default 0 not null,
  failing_since timestamp with time zone,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint webhook_endpoints_disabled CHECK ((((status = 'disabled'::text) = (disabled_by IS NOT NULL)) AND ((disabled_by IS NULL) = (disabled_at IS NULL)))),
  constraint webhook_endpoints_disabled_by_check CHECK ((disabled_by = ANY (ARRAY['person'::text, 'gone'::text, 'failures'::text]))),
  constraint webhook_endpoints_failing CHECK (((failures = 0) = (failing_since IS NULL))),
  constraint webhook_endpoints_failures_check CHECK ((failures >= 0)),
  constraint webhook_endpoints_previous CHECK (((previous_secret IS NULL) = (previous_until IS NULL))),
  constraint webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text]))),
  constraint webhook_endpoints_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint webhook_endpoints_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table webhook_leases (
  endpoint_id text collate "C" not null,
  hub text not null,
  leased_until timestamp with time zone not null,
  constraint webhook_leases_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  constraint webhook_leases_pkey PRIMARY KEY (endpoint_id)
) with (fillfactor=50);

create table workflow_grants (
  workflow_id text collate "C" not null,
  agent_id text collate "C" not null,
  org_id text collate "C" not null,
  granted_by text collate "C" not null,
  created_at timestamp with time zone not null,
  constraint workflow_grants_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES agents(id),
  constraint workflow_grants_granted_by_fkey FOREIGN KEY (granted_by) REFERENCES users(id),
  constraint workflow_grants_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint workflow_grants_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id),
  constraint workflow_grants_pkey PRIMARY KEY (workflow_id, agent_id)
);

create table workflow_versions (
  id text collate "C" not null,
  org_id text collate "C" not null,
  workflow_id text collate "C" not null,
  number integer not null,
  definition text not null,
  bytes integer not null,
  digest text not null,
  created_by text collate "C" not null,
  created_at timestamp with time zone not null,
  constraint workflow_versions_number_check CHECK ((number > 0)),
  constraint workflow_versions_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint workflow_versions_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint workflow_versions_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id),
  constraint workflow_versions_pkey PRIMARY KEY (id),
  constraint workflow_versions_number UNIQUE (workflow_id, number)
);

create table workflows (
  id text collate "C" not null,
  org_id text collate "C" not null,
  name text not null,
  description text not null,
  visibility text not null,
  team_id text collate "C",
  owner_user_id text collate "C",
  max_cost_cents bigint,
  latest_version integer default 0 not null,
  latest_version_id text collate "C",
  live_version_id text collate "C",
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint workflows_latest CHECK (((latest_version = 0) = (latest_version_id IS NULL))),
  constraint workflows_max_cost_cents_check CHECK ((max_cost_cents >= 0)),
  constraint workflows_team CHECK (((visibility = 'team'::text) = (team_id IS NOT NULL))),
  constraint workflows_visibility_check CHECK ((visibility = ANY (ARRAY['private'::text, 'team'::text, 'org'::text]))),
  constraint workflows_latest_version FOREIGN KEY (latest_version_id) REFERENCES workflow_versions(id),
  constraint workflows_live_version FOREIGN KEY (live_version_id) REFERENCES workflow_versions(id),
  constraint workflows_org_id_fkey FOREIGN KEY (org_id) REFERENCES orgs(id),
  constraint workflows_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES users(id),
  constraint workflows_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id),
  constraint workflows_pkey PRIMARY KEY (id)
);

-- Indexes

CREATE INDEX agent_keys_agent ON public.agent_keys USING btree (org_id, agent_id);

CREATE INDEX agent_requests_agent ON public.agent_requests USING btree (org_id, agent_id, id);

CREATE INDEX agent_requests_due ON public.agent_requests USING btree (expires_at) WHERE ((status = 'open'::text) AND (expires_at IS NOT NULL));

CREATE INDEX agent_requests_ended ON public.agent_requests USING btree (org_id, ended_at) WHERE (status <> 'open'::text);

CREATE INDEX agent_requests_list ON public.agent_requests USING btree (org_id, id);

CREATE INDEX agent_requests_open ON public.agent_requests USING btree (org_id, agent_id) WHERE (status = 'open'::text);

CREATE UNIQUE INDEX agents_assistant ON public.agents USING btree (org_id) WHERE ((kind = 'yupi'::text) AND (deleted_at IS NULL));

CREATE INDEX agents_children ON public.agents USING btree (org_id, parent_agent_id, id) WHERE ((parent_agent_id IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX agents_ending ON public.agents USING btree (ends_at) WHERE ((ends_at IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX agents_org ON public.agents USING btree (org_id, id) WHERE (deleted_at IS NULL);

CREATE INDEX agents_roots ON public.agents USING btree (org_id, id) WHERE ((parent_agent_id IS NULL) AND (deleted_at IS NULL));

CREATE INDEX agents_team ON public.agents USING btree (org_id, team_id) WHERE ((team_id IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX app_revocations_due ON public.app_revocations USING btree (due_at);

CREATE INDEX app_states_app ON public.app_states USING btree (app_id);

CREATE INDEX app_states_expires ON public.app_states USING btree (expires_at);

CREATE INDEX approvals_amount ON public.approvals USING btree (org_id, cost_cents, id);

CREATE UNIQUE INDEX approvals_command ON public.approvals USING btree (command_id) WHERE (command_id IS NOT NULL);

CREATE INDEX approvals_device ON public.approvals USING btree (device_id, operation, id) WHERE (device_id IS NOT NULL);

CREATE INDEX approvals_digest ON public.approvals USING btree (org_id, payload_digest text_pattern_ops);

CREATE INDEX approvals_due ON public.approvals USING btree (expires_at) WHERE (status = 'pending'::text);

CREATE INDEX approvals_expiry ON public.approvals USING btree (org_id, expires_at, id);

CREATE INDEX approvals_org ON public.approvals USING btree (org_id, status, id);

CREATE INDEX approvals_recent ON public.approvals USING btree (org_id, agent_id, service, operation, id);

CREATE INDEX approvals_request ON public.approvals USING btree (org_id, request_id);

CREATE INDEX apps_org ON public.apps USING btree (org_id, id);

CREATE INDEX apps_refresh_at ON public.apps USING btree (refresh_at) WHERE (refresh_at IS NOT NULL);

CREATE INDEX audit_agent ON ONLY public.audit USING btree (org_id, agent_id, seq) WHERE (agent_id IS NOT NULL);

CREATE INDEX audit_subject ON ONLY public.audit USING btree (org_id, subject_id, seq);

CREATE INDEX bindings_org ON public.bindings USING btree (org_id, service);

CREATE INDEX budget_alerts_org ON public.budget_alerts USING btree (org_id, raised_at, limit_id);

CREATE INDEX budget_requests_decided ON public.budget_requests USING btree (org_id, decided_at) WHERE (status <> 'pending'::text);

CREATE INDEX budget_requests_org ON public.budget_requests USING btree (org_id, id);

CREATE UNIQUE INDEX budget_requests_pending ON public.budget_requests USING btree (org_id, agent_id, service, operation) NULLS NOT DISTINCT WHERE (status = 'pending'::text);

CREATE INDEX call_pickups_age ON public.call_pickups USING btree (created_at);

CREATE INDEX call_pickups_hash ON public.call_pickups USING btree (org_id, agent_id, mode, hash, created_at);

CREATE INDEX call_pickups_request ON public.call_pickups USING btree (org_id, request_id) WHERE (request_id IS NOT NULL);

CREATE INDEX chat_blobs_session ON public.chat_blobs USING btree (org_id, session_id, id);

CREATE INDEX chat_blobs_turn ON public.chat_blobs USING btree (turn_id);

CREATE INDEX chat_messages_parent ON public.chat_messages USING btree (parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX chat_messages_session ON public.chat_messages USING btree (org_id, session_id, id);

CREATE INDEX chat_sessions_agent ON public.chat_sessions USING btree (org_id, agent_id, id);

CREATE INDEX chat_sessions_list ON public.chat_sessions USING btree (org_id, id) WHERE (status = 'active'::text);

CREATE INDEX chat_sessions_updated ON public.chat_sessions USING btree (org_id, updated_at);

CREATE INDEX chat_steps_request ON public.chat_steps USING btree (request_id) WHERE ((state <> 'done'::text) AND (request_id IS NOT NULL));

CREATE UNIQUE INDEX chat_turns_key ON public.chat_turns USING btree (org_id, key_scope, key) WHERE (key IS NOT NULL);

CREATE INDEX chat_turns_moving ON public.chat_turns USING btree (owner) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE UNIQUE INDEX chat_turns_open ON public.chat_turns USING btree (session_id) WHERE (ended_at IS NULL);

CREATE INDEX chat_turns_session ON public.chat_turns USING btree (org_id, session_id, id);

CREATE INDEX chat_turns_user_message ON public.chat_turns USING btree (user_message_id);

CREATE INDEX chat_turns_waiting ON public.chat_turns USING btree (state) WHERE (state = ANY (ARRAY['waiting_approval'::text, 'waiting_local'::text, 'paused'::text]));

CREATE INDEX commitments_over ON public.commitments USING btree (org_id) WHERE is_over;

CREATE INDEX commitments_parent ON public.commitments USING btree (parent_limit);

CREATE INDEX conversation_messages_list ON public.conversation_messages USING btree (org_id, conversation_id, id);

CREATE INDEX conversations_agent ON public.conversations USING btree (org_id, agent_id, id);

CREATE INDEX conversations_updated ON public.conversations USING btree (org_id, updated_at);

CREATE INDEX delegated_tasks_due ON public.delegated_tasks USING btree (deadline_at) WHERE ((deadline_at IS NOT NULL) AND (ended_at IS NULL));

CREATE INDEX delegated_tasks_ended ON public.delegated_tasks USING btree (org_id, ended_at) WHERE ((ended_at IS NOT NULL) AND (removed_after_days IS NULL));

CREATE INDEX delegated_tasks_from ON public.delegated_tasks USING btree (org_id, from_agent_id, id);

CREATE INDEX delegated_tasks_open ON public.delegated_tasks USING btree (org_id, id) WHERE (ended_at IS NULL);

CREATE INDEX delegated_tasks_org ON public.delegated_tasks USING btree (org_id, id);

CREATE INDEX delegated_tasks_to ON public.delegated_tasks USING btree (org_id, to_agent_id, id);

CREATE INDEX device_commands_kept ON public.device_commands USING btree (org_id, done_at) WHERE ((done_at IS NOT NULL) AND (removed_after_days IS NULL));

CREATE UNIQUE INDEX device_commands_key ON public.device_commands USING btree (session_id, requested_by_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE INDEX device_commands_open ON public.device_commands USING btree (device_id, id) WHERE (status = ANY (ARRAY['queued'::text, 'leased'::text, 'awaiting_consent'::text, 'running'::text]));

CREATE INDEX device_commands_session ON public.device_commands USING btree (session_id, id);

CREATE INDEX device_output_tail ON public.device_output USING btree (command_id, seq) WHERE (NOT head);

CREATE INDEX device_pairings_expiry ON public.device_pairings USING btree (expires_at);

CREATE UNIQUE INDEX device_sessions_live ON public.device_sessions USING btree (device_id) WHERE (ended_at IS NULL);

CREATE INDEX device_sessions_org ON public.device_sessions USING btree (org_id, id);

CREATE INDEX device_sign_ins_expiry ON public.device_sign_ins USING btree (expires_at);

CREATE INDEX devices_org ON public.devices USING btree (org_id, id);

CREATE INDEX devices_presence ON public.devices USING btree (heard_at) WHERE ((presence_told = ANY (ARRAY['online'::text, 'late'::text])) AND (state <> 'revoked'::text));

CREATE INDEX factors_user ON public.factors USING btree (user_id, id);

CREATE INDEX firings_checks ON public.firings USING btree (check_at) WHERE (check_at IS NOT NULL);

CREATE UNIQUE INDEX firings_delivery ON public.firings USING btree (trigger_id, delivery_id) WHERE (delivery_id IS NOT NULL);

CREATE UNIQUE INDEX firings_due_time ON public.firings USING btree (schedule_id, due_at) WHERE ((schedule_id IS NOT NULL) AND (NOT manual));

CREATE INDEX firings_kept ON public.firings USING btree (created_at);

CREATE INDEX firings_of_schedule ON public.firings USING btree (schedule_id, id) WHERE (schedule_id IS NOT NULL);

CREATE INDEX firings_of_trigger ON public.firings USING btree (trigger_id, id) WHERE (trigger_id IS NOT NULL);

CREATE INDEX firings_open ON public.firings USING btree (schedule_id) WHERE ((schedule_id IS NOT NULL) AND (outcome IS NULL) AND (status = ANY (ARRAY['fired'::text, 'queued'::text])));

CREATE INDEX firings_queued ON public.firings USING btree (schedule_id) WHERE (status = 'queued'::text);

CREATE INDEX firings_unsent ON public.firings USING btree (owner) WHERE (owner IS NOT NULL);

CREATE INDEX holds_due ON public.holds USING btree (due_at) WHERE (phase = 2);

CREATE INDEX holds_lanes ON public.holds USING btree (org_id, service, operation, due_at) WHERE ((phase = 2) AND (due_at IS NOT NULL));

CREATE INDEX holds_ref ON public.holds USING btree (org_id, service, provider_ref) WHERE (provider_ref IS NOT NULL);

CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at);

CREATE INDEX identities_user ON public.identities USING btree (user_id);

CREATE INDEX invites_ended ON public.invites USING btree (org_id, COALESCE(accepted_at, revoked_at, expires_at));

CREATE UNIQUE INDEX invites_open ON public.invites USING btree (org_id, lower(email)) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));

CREATE INDEX invites_org ON public.invites USING btree (org_id, id);

CREATE INDEX knowledge_chunks_all ON public.knowledge_chunks USING btree (org_id, collection_id, chunk_id);

CREATE UNIQUE INDEX knowledge_chunks_numbers ON public.knowledge_chunks USING btree (document_id, number);

CREATE INDEX knowledge_chunks_words ON public.knowledge_chunks USING gin (org_id, collection_id, tsv);

CREATE INDEX knowledge_collections_names ON public.knowledge_collections USING btree (org_id, name, id) WHERE (deleted_at IS NULL);

CREATE INDEX knowledge_collections_newest ON public.knowledge_collections USING btree (org_id, created_at, id) WHERE (deleted_at IS NULL);

CREATE INDEX knowledge_collections_work ON public.knowledge_collections USING btree (id) WHERE ((deleted_at IS NOT NULL) OR (next_model IS NOT NULL) OR cleaning);

CREATE INDEX knowledge_documents_all ON public.knowledge_documents USING btree (collection_id);

CREATE INDEX knowledge_documents_deleted ON public.knowledge_documents USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX knowledge_documents_due ON public.knowledge_documents USING btree (org_id, turn_at, id) WHERE ((status = ANY (ARRAY['queued'::text, 'processing'::text])) AND (deleted_at IS NULL));

CREATE INDEX knowledge_documents_failed ON public.knowledge_documents USING btree (updated_at) WHERE (status = 'failed'::text);

CREATE INDEX knowledge_documents_newest ON public.knowledge_documents USING btree (org_id, collection_id, created_at, id) WHERE (deleted_at IS NULL);

CREATE INDEX knowledge_documents_titles ON public.knowledge_documents USING btree (org_id, collection_id, title, id) WHERE (deleted_at IS NULL);

CREATE INDEX knowledge_sources_sizes ON public.knowledge_sources USING btree (org_id) INCLUDE (size_bytes);

CREATE INDEX knowledge_vectors_codes ON public.knowledge_vectors USING btree (org_id, collection_id, generation, chunk_id) INCLUDE (code);

CREATE INDEX limits_once ON public.limits USING btree (once_month) WHERE (once_cents > 0);

CREATE INDEX mails_due ON public.mails USING btree (due_at) WHERE (status = 'pending'::text);

CREATE INDEX mails_ended ON public.mails USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX mails_subject ON public.mails USING btree (org_id, subject_id) WHERE ((status = 'pending'::text) AND (subject_id IS NOT NULL));

CREATE INDEX mcp_servers_due ON public.mcp_servers USING btree (due_at);

CREATE INDEX memberships_user ON public.memberships USING btree (user_id);

CREATE INDEX memories_agent ON public.memories USING btree (org_id, agent_id, id);

CREATE INDEX memories_embedding ON public.memories USING btree (embedding_model, embed_at);

CREATE INDEX memories_expiry ON public.memories USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX memory_links_target ON public.memory_links USING btree (target_id);

CREATE INDEX messenger_accounts_expiry ON public.messenger_accounts USING btree (expires_at) WHERE (confirmed_at IS NULL);

CREATE UNIQUE INDEX messenger_accounts_linked ON public.messenger_accounts USING btree (provider, team, account) WHERE (confirmed_at IS NOT NULL);

CREATE INDEX messenger_accounts_person ON public.messenger_accounts USING btree (user_id, id);

CREATE INDEX model_prompts_ended ON public.model_prompts USING btree (ends_at);

CREATE INDEX movements_transfers ON ONLY public.movements USING btree (org_id, id) WHERE (cause_type <> 'service_request'::text);

CREATE INDEX notice_channels_org ON public.notice_channels USING btree (org_id, id);

CREATE INDEX notice_messages_closed ON public.notice_messages USING btree (closed_at) WHERE (closed_at IS NOT NULL);

CREATE INDEX notice_messages_due ON public.notice_messages USING btree (channel_id, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX notice_messages_request ON public.notice_messages USING btree (org_id, request_id) WHERE (request_id IS NOT NULL);

CREATE INDEX notice_messages_subject ON public.notice_messages USING btree (subject_id);

CREATE INDEX notices_age ON public.notices USING btree (created_at);

CREATE INDEX notices_due ON public.notices USING btree (due_at) WHERE (state = 'pending'::text);

CREATE INDEX notices_mail ON public.notices USING btree (mail_id) WHERE (mail_id IS NOT NULL);

CREATE INDEX notices_person ON public.notices USING btree (org_id, user_id) WHERE (state = 'pending'::text);

CREATE INDEX oauth_clients_age ON public.oauth_clients USING btree (created_at);

CREATE INDEX oauth_codes_expiry ON public.oauth_codes USING btree (expires_at);

CREATE INDEX oauth_grants_agent ON public.oauth_grants USING btree (agent_id);

CREATE INDEX oauth_grants_client ON public.oauth_grants USING btree (client_id);

CREATE INDEX oauth_grants_expiry ON public.oauth_grants USING btree (expires_at);

CREATE INDEX oauth_grants_person ON public.oauth_grants USING btree (org_id, user_id, id);

CREATE INDEX oauth_tokens_expiry ON public.oauth_tokens USING btree (expires_at);

CREATE INDEX oauth_tokens_grant ON public.oauth_tokens USING btree (grant_id);

CREATE INDEX oidc_flows_expiry ON public.oidc_flows USING btree (expires_at);

CREATE INDEX oidc_links_expiry ON public.oidc_links USING btree (expires_at);

CREATE INDEX oidc_logouts_expiry ON public.oidc_logouts USING btree (expires_at);

CREATE INDEX passkey_challenges_expiry ON public.passkey_challenges USING btree (expires_at);

CREATE INDEX payment_reversals_intent ON public.payment_reversals USING btree (intent_id);

CREATE INDEX payments_due ON public.payments USING btree (poll_at) WHERE (status = 'open'::text);

CREATE INDEX payments_intent ON public.payments USING btree (intent_id) WHERE (intent_id IS NOT NULL);

CREATE UNIQUE INDEX payments_key ON public.payments USING btree (org_id, key_scope, key) WHERE (key IS NOT NULL);

CREATE INDEX payments_org ON public.payments USING btree (org_id, id);

CREATE INDEX payments_session ON public.payments USING btree (session_id) WHERE (session_id IS NOT NULL);

CREATE INDEX policies_org ON public.policies USING btree (org_id, "position", id);

CREATE UNIQUE INDEX promo_codes_key ON public.promo_codes USING btree (code_key) WHERE (deleted_at IS NULL);

CREATE INDEX promo_redemptions_promo ON public.promo_redemptions USING btree (promo_id);

CREATE INDEX provider_events_received ON public.provider_events USING btree (received_at);

CREATE UNIQUE INDEX publications_active ON public.publications USING btree (subject_id, COALESCE(team_id, ''::text)) WHERE (revoked_at IS NULL);

CREATE INDEX publications_list ON public.publications USING btree (org_id, id);

CREATE INDEX publications_listed ON public.publications USING btree (id) WHERE (listed AND (revoked_at IS NULL));

CREATE UNIQUE INDEX publications_workflow ON public.publications USING btree (subject_id) WHERE ((revoked_at IS NULL) AND (subject_type = 'workflow'::text));

CREATE INDEX publish_requests_list ON public.publish_requests USING btree (org_id, id);

CREATE UNIQUE INDEX publish_requests_pending ON public.publish_requests USING btree (subject_id, COALESCE(team_id, ''::text)) WHERE (status = 'pending'::text);

CREATE UNIQUE INDEX publish_requests_workflow ON public.publish_requests USING btree (subject_id) WHERE ((status = 'pending'::text) AND (subject_type = 'workflow'::text));

CREATE INDEX push_subscriptions_session ON public.push_subscriptions USING btree (session_id);

CREATE INDEX push_subscriptions_user ON public.push_subscriptions USING btree (user_id);

CREATE INDEX pushes_due ON public.pushes USING btree (due_at);

CREATE INDEX pushes_subscription ON public.pushes USING btree (subscription_id);

CREATE INDEX request_texts_search ON ONLY public.request_texts USING gin (org_id, text gin_trgm_ops);

CREATE INDEX requests_agent ON ONLY public.requests USING btree (org_id, agent_id, id);

CREATE INDEX run_work_due ON public.run_work USING btree (due_at) WHERE (owner = 0);

CREATE INDEX run_work_owner ON public.run_work USING btree (owner);

CREATE INDEX run_work_waits ON public.run_work USING gin (waits);

CREATE INDEX runs_agent ON ONLY public.runs USING btree (org_id, agent_id, id);

CREATE INDEX runs_kept ON ONLY public.runs USING btree (org_id, ended_at) WHERE ((ended_at IS NOT NULL) AND (removed_after_days IS NULL));

CREATE INDEX runs_status ON ONLY public.runs USING btree (org_id, status, id) WHERE (status <> 'succeeded'::text);

CREATE INDEX runs_workflow ON ONLY public.runs USING btree (org_id, workflow_id, id);

CREATE INDEX schedules_agent ON public.schedules USING btree (agent_id) WHERE (deleted_at IS NULL);

CREATE INDEX schedules_deleted ON public.schedules USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX schedules_due_now ON public.schedules USING btree (fire_at) WHERE (fire_at IS NOT NULL);

CREATE INDEX schedules_failing ON public.schedules USING btree (id) WHERE ((status = 'active'::text) AND (failures >= 20));

CREATE INDEX schedules_list ON public.schedules USING btree (org_id, id) WHERE (deleted_at IS NULL);

CREATE INDEX sessions_provider ON public.sessions USING btree (provider_issuer, provider_subject) WHERE (provider_issuer IS NOT NULL);

CREATE INDEX sessions_user ON public.sessions USING btree (user_id);

CREATE INDEX settlements_completed ON ONLY public.settlements USING btree (org_id, completed_at, request_id);

CREATE INDEX settlements_cost ON ONLY public.settlements USING btree (org_id, cost_cents, request_id);

CREATE INDEX settlements_ref ON ONLY public.settlements USING btree (org_id, service, provider_ref) WHERE (provider_ref IS NOT NULL);

CREATE INDEX settlements_unexecuted ON ONLY public.settlements USING btree (org_id, status, request_id) WHERE (status <> 'executed'::text);

CREATE INDEX sign_in_challenges_expiry ON public.sign_in_challenges USING btree (expires_at);

CREATE INDEX sign_in_challenges_user ON public.sign_in_challenges USING btree (user_id);

CREATE INDEX sign_in_failures_at ON public.sign_in_failures USING btree (at);

CREATE INDEX sign_in_limits_at ON public.sign_in_limits USING btree (at);

CREATE INDEX skill_proposals_agent ON public.skill_proposals USING btree (org_id, agent_id, id);

CREATE UNIQUE INDEX skill_proposals_name ON public.skill_proposals USING btree (agent_id, lower(name)) WHERE ((status = 'accepted'::text) AND (deleted_at IS NULL));

CREATE INDEX standing_approvals_agent ON public.standing_approvals USING btree (org_id, agent_id, service, operation, mode);

CREATE INDEX standing_backlog_due ON public.standing_backlog USING btree (due_at);

CREATE INDEX storage_objects_all ON public.storage_objects USING btree (org_id, id);

CREATE INDEX storage_objects_deleted ON public.storage_objects USING btree (org_id, created_at, id) WHERE (status = 'deleted'::text);

CREATE INDEX storage_objects_due ON public.storage_objects USING btree (deleted_at) WHERE (status = 'deleted'::text);

CREATE UNIQUE INDEX storage_objects_key ON public.storage_objects USING btree (org_id, key) WHERE (status = 'live'::text);

CREATE INDEX storage_objects_missing ON public.storage_objects USING btree (org_id) WHERE (missing_at IS NOT NULL);

CREATE INDEX storage_objects_newest ON public.storage_objects USING btree (org_id, created_at, id) WHERE (status = 'live'::text);

CREATE INDEX storage_objects_unfinished ON public.storage_objects USING btree (created_at) WHERE (status = ANY (ARRAY['pending'::text, 'verifying'::text, 'purging'::text]));

CREATE INDEX team_members_person ON public.team_members USING btree (org_id, user_id);

CREATE INDEX team_wallets_org ON public.team_wallets USING btree (org_id, team_id);

CREATE UNIQUE INDEX teams_name ON public.teams USING btree (org_id, lower(name)) WHERE (deleted_at IS NULL);

CREATE INDEX teams_org ON public.teams USING btree (org_id, id) WHERE (deleted_at IS NULL);

CREATE INDEX tokens_person ON public.tokens USING btree (user_id, expires_at);

CREATE INDEX tokens_user ON public.tokens USING btree (org_id, user_id, id);

CREATE INDEX totp_enrollments_expiry ON public.totp_enrollments USING btree (expires_at);

CREATE INDEX triggers_agent ON public.triggers USING btree (agent_id) WHERE (deleted_at IS NULL);

CREATE INDEX triggers_deleted ON public.triggers USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX triggers_list ON public.triggers USING btree (org_id, id) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));

CREATE INDEX views_person ON public.views USING btree (org_id, user_id);

CREATE INDEX views_shared ON public.views USING btree (org_id) WHERE shared;

CREATE UNIQUE INDEX webhook_deliveries_event ON public.webhook_deliveries USING btree (endpoint_id, event_id);

CREATE INDEX webhook_deliveries_pending ON public.webhook_deliveries USING btree (endpoint_id, due_at) WHERE (status = 'pending'::text);

CREATE INDEX webhook_endpoints_deleted ON public.webhook_endpoints USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX webhook_endpoints_list ON public.webhook_endpoints USING btree (org_id, id) WHERE (deleted_at IS NULL);

CREATE INDEX workflow_grants_agent ON public.workflow_grants USING btree (agent_id);

CREATE INDEX workflows_list ON public.workflows USING btree (org_id, id) WHERE (deleted_at IS NULL);

CREATE INDEX workflows_owner ON public.workflows USING btree (org_id, owner_user_id) WHERE (deleted_at IS NULL);

-- Views

create view passed_levels as
 SELECT x.org_id,
    x.id,
    x.kind,
    x.agent_id,
    x.service,
    x.operation,
    x.cap,
    x.used,
    x.period,
    n.level,
    t.audit_id,
    t.raised_at,
    t.level AS told_level,
        CASE
            WHEN t.limit_id IS NULL THEN 0
            WHEN x.cap <= t.cap THEN t.level
            ELSE LEAST(t.level, COALESCE(( SELECT max(l.l) AS max
               FROM unnest(o.alert_levels) l(l)
              WHERE (t.used * 100) >= (l.l * x.cap)), 0))
        END AS standing
   FROM limits x
     JOIN orgs o ON o.id = x.org_id
     JOIN org_heads h ON h.org_id = x.org_id
     JOIN agents a ON a.id = x.agent_id AND a.deleted_at IS NULL
     LEFT JOIN budget_alerts t ON t.limit_id = x.id AND t.period = x.period
     CROSS JOIN LATERAL ( SELECT GREATEST(( SELECT hub_time_or_last() AS hub_time_or_last), h.last_at) AS at) c
     CROSS JOIN LATERAL ( SELECT max(l.l) AS level
           FROM unnest(o.alert_levels) l(l)
          WHERE (x.used * 100) >= (l.l * x.cap)) n
  WHERE (x.kind = ANY (ARRAY[2, 3, 4])) AND x.mode = 'live'::text AND x.cap IS NOT NULL AND x.used > 0 AND n.level IS NOT NULL AND x.period = period_of(x.kind, month_of(c.at), day_of(c.at));

-- Triggers

CREATE CONSTRAINT TRIGGER approvals_granted AFTER UPDATE OF status ON approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.kind = 'service_request'::text AND new.status = 'approved'::text AND old.status <> 'approved'::text) EXECUTE FUNCTION check_granted_request();

CREATE TRIGGER holds_standing_use AFTER INSERT ON holds FOR EACH ROW WHEN (cardinality(new.limits) >
        CASE new.mode
            WHEN 'test'::text THEN 4
            ELSE 5
        END) EXECUTE FUNCTION note_standing_use();

-- Functions (their bodies: resources/functions, resources/migrations)

create function actor_id(p_actor text) returns text language sql immutable;

create function actor_name(p_actor text) returns text language sql immutable;

create function actor_type(p_actor text) returns text language sql immutable;

create function add_voice(p_org text, p_id text, p_user text, p_comment text) returns text language plpgsql;

create function admit_one_by_one(p_begins pending_begin[], p_codes integer[]) returns SETOF begin_decision language plpgsql;

create function admit_together(p_begins pending_begin[], p_codes integer[]) returns integer[] language plpgsql;

create function agent_configuration(p_org_id text, p_agent_id text) returns json language plpgsql stable;

create function answer_settles(p_again boolean, p_settles pending_settle[], p_settled settled_request[], INOUT settle_codes integer[], INOUT settle_times double precision[], INOUT settle_costs double precision[]) returns record language plpgsql;

create function append_audit(p_org text, p_id text, p_action text, p_actor_type text, p_actor_id text, p_actor_name text, p_subject_type text, p_subject_id text, p_agent text, p_outcome text, p_reason text, p_cost bigint, p_ip text, p_data text) returns bigint language plpgsql;

create function audit_leaf(p_seq bigint, p_at text, p_id text, p_action text, p_actor_type text, p_actor_id text, p_actor_name text, p_subject_type text, p_subject_id text, p_agent text, p_outcome text, p_reason text, p_cost bigint, p_ip text, p_data text) returns bytea language sql stable;

create function balance_of(p_account limits) returns bigint language sql immutable;

create function begin_code(p_name text) returns integer language plpgsql immutable;

create function begin_entries(p_begins pending_begin[], p_codes integer[], p_refs text[], p_reasons text[]) returns audit_entry[] language plpgsql;

create function begin_one(p_owner integer, p_wait boolean, p_request_id text, p_org_id text, p_agent_id text, p_agent_version integer, p_rules_version integer, p_mode text, p_service text, p_operation text, p_scope text, p_key text, p_key_hash text, p_ceiling_cents bigint, p_limits bigint[], p_wallet bigint, p_checked_limit bigint, p_payload text, p_origin text, p_test_outcome text, OUT result_code integer, OUT at_millis double precision) returns record language plpgsql;

create function begin_turn(p_org text, p_member text, p_session text, p_seen_head text, p_seen_title text, p_seen_model text, p_seen_owner text, p_seen_team text, p_turn text, p_agent text, p_user text, p_mode text, p_model text, p_answered text, p_message text, p_parent text, p_parts text, p_title text, p_answer text, p_background boolean, p_force_approval boolean, p_local_tools text, p_owner integer, p_key_scope text, p_key text, p_key_hash bytea, p_step_kind text, p_step_call text, p_step_request text, p_events text[], p_event_data text[], p_audit text, p_action text, p_actor_type text, p_actor_id text, p_actor_name text, p_actor_ip text, p_audit_data text) returns boolean language plpgsql;

create function block_of(p_limit limits, p_org_id text, p_month integer, p_day integer) returns text language plpgsql stable;

create function cap_now(p_limit limits, p_month integer) returns bigint language sql immutable;

create function charge_fraction(p_org_id text, p_agent_id text, p_wallet bigint, p_micro_cents integer) returns bigint language plpgsql;

create function charge_fractions(p_settled settled_request[]) returns settled_request[] language plpgsql;

create function charge_settled(p_settled settled_request[]) returns void language plpgsql;

create function check_granted_request() returns trigger language plpgsql;

create function close_approval(p_org text, p_id text, p_status text, p_reason text, p_by text, p_comment text, p_replaced_by text, p_audit text, p_audit_request text, p_actor_type text, p_actor_id text, p_actor_name text, p_ip text, p_via text DEFAULT NULL::text) returns boolean language plpgsql;

create function commit_limit(p_org text, p_child bigint, p_parent bigint, p_at timestamp with time zone) returns boolean language plpgsql;

create function commitment_of(p_limit limits, p_month integer) returns bigint language sql immutable;

create function confirm_clock(p_hub text, p_boot text, p_uptime double precision, p_expected timestamp with time zone, p_accept boolean) returns double precision language plpgsql;

create function consume_approvals(p_begins pending_begin[], p_codes integer[]) returns SETOF begin_decision language plpgsql;

create function continue_running(p_settles pending_settle[], p_results text[]) returns settled_request[] language plpgsql;

create function count_usage(p_settled settled_request[], p_begins pending_begin[], p_codes integer[]) returns void language plpgsql;

create function counts_requests(p_kind smallint) returns boolean language sql immutable;

create function day_of(t timestamp with time zone) returns integer language sql immutable;

create function decide_begins(p_owner integer, p_again boolean, p_begins pending_begin[], INOUT begin_codes integer[], INOUT begin_refs text[], INOUT begin_times double precision[], INOUT begin_blocks text[], INOUT begin_reasons text[]) returns record language plpgsql;

create function end_task(p_org text, p_task text, p_status text, p_result text, p_error text, p_at timestamp with time zone) returns boolean language plpgsql;

create function file_approvals(p_begins pending_begin[], p_codes integer[]) returns void language plpgsql;

create function find_known_keys(p_begins pending_begin[], p_codes integer[]) returns SETOF begin_decision language plpgsql;

create function find_refused(p_begins pending_begin[], p_codes integer[]) returns SETOF begin_decision language plpgsql;

create function find_repeated(p_owner integer, p_begins pending_begin[]) returns SETOF begin_decision language plpgsql;

create function find_stale(p_begins pending_begin[], p_codes integer[], p_refs text[]) returns SETOF begin_decision language plpgsql;

create function grant_entries(p_begins pending_begin[], p_codes integer[]) returns audit_entry[] language plpgsql;

create function has_room(p_limit limits, p_share bigint, p_month integer, p_day integer, p_at timestamp with time zone) returns boolean language sql immutable;

create function held_now(p_limit limits, p_month integer, p_day integer) returns bigint language sql immutable;

create function hold_phase(p_name text) returns smallint language plpgsql immutable;

create function hub_time() returns timestamp with time zone language plpgsql stable;

create function hub_time_or_last() returns timestamp with time zone language plpgsql stable;

create function hub_time_or_null() returns timestamp with time zone language plpgsql stable;

create function leave_family(p_org text, p_agent text, p_at timestamp with time zone) returns integer language plpgsql;

create function limit_kind(p_name text) returns smallint language plpgsql immutable;

create function limit_reason(p_kind smallint) returns text language sql immutable;

create function lock_org(p_org text) returns timestamp with time zone language plpgsql;

create function lock_workspace(p_org_id text, p_wait boolean) returns locked_workspace language plpgsql;

create function lock_workspaces(p_org_ids text[], p_wait boolean) returns locked_workspace[] language plpgsql;

create function millis_of(t timestamp with time zone) returns double precision language sql stable;

create function month_holder(p_org text, p_holder text, p_month integer) returns text language plpgsql stable;

create function month_of(t timestamp with time zone) returns integer language sql immutable;

create function move_money(p_org text, p_id text, p_debit bigint, p_credit bigint, p_amount bigint, p_cause_type text, p_cause_id text, p_note text, p_may_overdraw boolean DEFAULT false) returns boolean language plpgsql;

create function move_month(p_org text, p_from bigint, p_to bigint, p_at timestamp with time zone) returns void language plpgsql;

create function note_standing_use() returns trigger language plpgsql;

create function paying_wallet(p_org_id text, p_team_id text, p_user_id text, OUT wallet bigint, OUT wallet_month bigint) returns record language plpgsql stable;

create function period_of(p_kind smallint, p_month integer, p_day integer) returns integer language sql immutable;

create function recommit_children(p_org text, p_month integer) returns void language plpgsql;

create function recommit_month(p_org text, p_agent text, p_at timestamp with time zone) returns boolean language plpgsql;

create function record_begins(p_owner integer, p_begins pending_begin[], p_codes integer[], p_reasons text[], p_blocks text[], p_payloads text[]) returns void language plpgsql;

create function record_entries(p_workspaces locked_workspace[], p_entries audit_entry[]) returns void language plpgsql;

create function recount_limits(p_org text, p_month integer, p_day integer, p_from timestamp with time zone, p_ended text[]) returns void language plpgsql;

create function refused_status(p_code integer) returns text language sql immutable;

create function release_commitment(p_org text, p_child bigint) returns bigint language plpgsql;

create function reserve_limits(p_limits bigint[], p_checked_limit bigint, p_ceiling_cents bigint, p_month integer, p_day integer, p_at timestamp with time zone, p_take boolean) returns bigint language plpgsql;

create function return_families(p_org text, p_at timestamp with time zone, p_month integer) returns text[] language plpgsql;

create function return_records(p_org text, p_at timestamp with time zone, p_last timestamp with time zone, p_month integer, p_day integer) returns void language plpgsql;

create function return_time(p_org text) returns interval language plpgsql;

create function save_run_steps(p_steps json, p_past json, p_from timestamp with time zone, p_texts text[], p_run_ids text[]) returns void language plpgsql;

create function save_runs(p_saves json, p_texts text[], p_wait boolean) returns TABLE(saved_run_id text, saved_owner integer, saved_flags integer, saved_at double precision) language plpgsql;

create function set_agent_cap(p_org text, p_agent text, p_cap bigint, p_at timestamp with time zone) returns text language plpgsql;

create function settle_code(p_name text) returns integer language plpgsql immutable;

create function settle_entries(p_settled settled_request[]) returns audit_entry[] language plpgsql;

create function settle_holds(p_settles pending_settle[], p_results text[]) returns settled_request[] language plpgsql;

create function settle_one(p_wait boolean, p_request_id text, p_org_id text, p_status text, p_actual_cents bigint, p_actual_micro_cents integer, p_reason_code text, p_result text, p_audit_id text, p_movement_id text, p_actor text, p_data text, OUT result_code integer, OUT at_millis double precision, OUT charged_cents double precision) returns record language plpgsql;

create function share_of(p_kind smallint, p_requests bigint, p_cents bigint) returns bigint language sql immutable;

create function start_runs(p_starts json, p_texts text[], p_wait boolean) returns TABLE(started_run_id text, started_epoch bigint, started_at timestamp with time zone, started_deadline_at timestamp with time zone, started_limits bigint[]) language plpgsql;

create function take_pickup(p_org text, p_agent text, p_mode text, p_hash bytea, p_key text, p_owner integer) returns text language plpgsql;

create function tick(p_owner integer, p_wait boolean, p_again boolean, begin_request_id text[], begin_org_id text[], begin_agent_id text[], begin_agent_version integer[], begin_rules_version integer[], begin_mode text[], begin_service text[], begin_operation text[], begin_scope text[], begin_key text[], begin_key_hash text[], begin_verdict integer[], begin_ceiling_cents bigint[], begin_limits text[], begin_wallet bigint[], begin_checked_limit bigint[], begin_payload text[], begin_reason_code text[], begin_result text[], begin_block text[], begin_approval text[], begin_origin text[], begin_test_outcome text[], begin_grant text[], begin_audit_id text[], begin_actor text[], begin_ip text[], begin_data text[], settle_request_id text[], settle_org_id text[], settle_status text[], settle_cents bigint[], settle_micro_cents integer[], settle_reason_code text[], settle_result text[], settle_provider_ref text[], settle_due_millis bigint[], settle_deadline_millis bigint[], settle_audit_id text[], settle_movement_id text[], settle_actor text[], settle_data text[], OUT begin_codes integer[], OUT begin_refs text[], OUT begin_times double precision[], OUT begin_blocks text[], OUT settle_codes integer[], OUT settle_times double precision[], OUT settle_costs double precision[]) returns record language plpgsql;

create function used_now(p_limit limits, p_month integer, p_day integer) returns bigint language sql immutable;

create function verdict_code(p_name text) returns integer language plpgsql immutable;

create function wallet_owner(p_wallet limits) returns text language sql immutable;

create function wire_time(t timestamp with time zone) returns text language sql immutable;

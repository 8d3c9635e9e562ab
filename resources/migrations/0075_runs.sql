-- Runs of workflows: their state, the work that hubs own, and what a step waits for outside of the hub.
-- Spec: reference/workflows.md "Runs".
create table runs (
  org_id text collate "C" not null references orgs (id),
  id text collate "C" not null,
  workflow_id text collate "C" not null,
  version_id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null check (mode in ('live', 'test')),
  -- What started it: an actor's type, id, and name.
  source_type text not null,
  source_id text collate "C" not null,
  source_name text not null,
  parent_run_id text collate "C",
  -- The request of workflow.run_workflow that the run's end settles.
  request_id text collate "C",
  root_id text collate "C" not null,
  -- The workflows of the runs above, the outermost first, with its own at the end.
  ancestors text[] collate "C" not null,
  -- Counts the runs above, also those that another hub or a hook called.
  depth int not null,
  status text not null,
  ending text,
  rev int not null default 0,
  cost_cents bigint not null default 0,
  max_cost_cents bigint,
  -- The budgets that its requests count against: its own, and those of the runs above.
  limits bigint[] not null default '{}',
  input text not null,
  output text,
  error text,
  -- JSON of effects that outlived their steps.
  late text,
  deadline_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (id)
) partition by range (id);

create table runs_default partition of runs default;

create index runs_workflow on runs (org_id, workflow_id, id);

create index runs_agent on runs (org_id, agent_id, id);

create index runs_status on runs (org_id, status, id) where status <> 'succeeded';

-- For doctor and retention.
create index runs_ended on runs (org_id, ended_at) where ended_at is not null;

create table run_steps (
  org_id text collate "C" not null,
  run_id text collate "C" not null,
  label text collate "C" not null,
  rev int not null,
  status text not null,
  attempt int not null,
  tries int not null,
  phase text,
  -- The id of the effect of the current attempt.
  ref text collate "C",
  due_at timestamptz,
  timeout_at timestamptz,
  stopping text,
  left_open boolean not null default false,
  cost_cents bigint not null default 0,
  input text,
  output text,
  error text,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (run_id, label)
) partition by range (run_id);

create table run_steps_default partition of run_steps default;

-- Attempts that another one replaced.
create table run_attempts (
  org_id text collate "C" not null,
  run_id text collate "C" not null,
  label text collate "C" not null,
  attempt int not null,
  status text not null,
  ref text collate "C",
  error text,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (run_id, label, attempt)
) partition by range (run_id);

create table run_attempts_default partition of run_attempts default;

-- Runs that have not ended, or whose effects have not. A row without an owner (0) is due at due_at.
create table run_work (
  run_id text collate "C" primary key,
  org_id text collate "C" not null,
  owner int not null,
  -- Of the last change of owner; unique, so that no earlier owner's save matches.
  epoch bigint not null,
  -- Of the last save.
  rev int not null default 0,
  -- Bits: 1, something that it waits for has ended; 2, a person canceled it.
  flags int not null default 0,
  due_at timestamptz,
  -- Ids of effects whose end it waits for.
  waits text[] collate "C" not null default '{}'
) with (fillfactor = 50);

create index run_work_due on run_work (due_at) where owner = 0;

create index run_work_owner on run_work (owner);

create index run_work_waits on run_work using gin (waits);

create sequence run_epochs;

-- Callbacks that webhook steps wait for; the token in the address is not stored.
create table run_callbacks (
  step_id text collate "C" primary key,
  org_id text collate "C" not null,
  run_id text collate "C" not null,
  label text collate "C" not null,
  attempt int not null,
  -- The request that sent the address.
  request_id text collate "C" not null,
  digest text,
  body text,
  received_at timestamptz
);

-- What a delegated task has committed on the budgets of a run, until the task ends.
create table run_commitments (
  task_id text collate "C" primary key,
  org_id text collate "C" not null,
  limits bigint[] not null,
  cents bigint not null
);

-- Approvals of a step: their text is in plan, like that of a device's command does.
alter table approvals
  drop constraint approvals_kind,
  add column run_id text collate "C",
  add column step_id text collate "C",
  add constraint approvals_kind check (case kind
    when 'service_request' then request_id is not null and agent_id is not null
    when 'device_command' then command_id is not null and device_id is not null and plan is not null
    when 'workflow_step' then run_id is not null and step_id is not null and agent_id is not null and plan is not null
    else true end);

set local check_function_bodies = off;

\include ../functions;

-- Families of agents and delegated tasks: what a child or a task has committed on its parent's month, and the life of both.
-- Spec: reference/agents.md "Families".

-- The commitment of one limit (a child's month, or a task's budget) on the month of its parent. limits.committed is the sum for each parent.
create table commitments (
  org_id text collate "C" not null references orgs (id),
  child_limit bigint primary key references limits (id),
  parent_limit bigint not null references limits (id),
  cents bigint not null check (cents >= 0),
  -- More than the cap, because of what the child used and holds: it is due for correction.
  is_over boolean not null default false
);

create index commitments_parent on commitments (parent_limit);

create index commitments_over on commitments (org_id) where is_over;

-- ended_month: the month in which a child ended; what it used and held in that month counts as its parent's.
alter table agents add column ends_at timestamptz, add column ended_month int;

create index agents_children on agents (org_id, parent_agent_id) where parent_agent_id is not null and deleted_at is null;

create index agents_ending on agents (ends_at) where ends_at is not null and deleted_at is null;

create unique index agents_assistant on agents (org_id) where kind = 'yupi' and deleted_at is null;

create table delegated_tasks (
  org_id text collate "C" not null references orgs (id),
  id text collate "C" primary key,
  mode text not null check (mode in ('live', 'test')),
  from_agent_id text collate "C" not null references agents (id),
  to_agent_id text collate "C" not null references agents (id),
  goal text not null,
  -- JSON text, as input, result, and error below.
  input text,
  services text[] not null,
  budget_cents bigint not null check (budget_cents >= 0),
  -- The budget is one limit for the task's life; what the task uses and holds in a month is another, which passes to the parent at the end.
  budget_limit bigint not null references limits (id),
  month_limit bigint not null references limits (id),
  status text not null default 'accepted' check (status in ('accepted', 'in_progress', 'completed', 'failed', 'cancelled')),
  result text,
  error text,
  deadline_at timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  ended_month int
);

create index delegated_tasks_from on delegated_tasks (org_id, from_agent_id, id);

create index delegated_tasks_to on delegated_tasks (org_id, to_agent_id, id);

create index delegated_tasks_due on delegated_tasks (deadline_at) where deadline_at is not null and ended_at is null;

set local check_function_bodies = off;

\include ../functions;

-- Workflows, their versions, and the agents that they are granted to.
create table workflows (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  name text not null,
  description text not null,
  visibility text not null check (visibility in ('private', 'team', 'org')),
  team_id text collate "C" references teams,
  -- Null: the owner left the workspace; owners and admins of the workspace manage it.
  owner_user_id text collate "C" references users,
  max_cost_cents bigint check (max_cost_cents >= 0),
  latest_version int not null default 0,
  latest_version_id text collate "C",
  -- Set by the approval of a publish request, and null again once its publication is revoked.
  live_version_id text collate "C",
  version int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint workflows_team check ((visibility = 'team') = (team_id is not null)),
  constraint workflows_latest check ((latest_version = 0) = (latest_version_id is null))
);

create index workflows_list on workflows (org_id, id) where deleted_at is null;

create index workflows_owner on workflows (org_id, owner_user_id) where deleted_at is null;

-- A version never changes.
create table workflow_versions (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  workflow_id text collate "C" not null references workflows,
  number int not null check (number > 0),
  -- JSON text.
  definition text not null,
  bytes int not null,
  -- SHA-256 of the definition's RFC 8785 text.
  digest text not null,
  created_by text collate "C" not null references users,
  created_at timestamptz not null,
  constraint workflow_versions_number unique (workflow_id, number)
);

alter table workflows add constraint workflows_latest_version foreign key (latest_version_id) references workflow_versions;

alter table workflows add constraint workflows_live_version foreign key (live_version_id) references workflow_versions;

create table workflow_grants (
  workflow_id text collate "C" not null references workflows,
  agent_id text collate "C" not null references agents,
  org_id text collate "C" not null references orgs,
  granted_by text collate "C" not null references users,
  created_at timestamptz not null,
  primary key (workflow_id, agent_id)
);

create index workflow_grants_agent on workflow_grants (agent_id);

-- A workflow has one audience at a time: a newer request withdraws the pending one, and a newer publication revokes the active one.
create unique index publish_requests_workflow on publish_requests (subject_id) where status = 'pending' and subject_type = 'workflow';

create unique index publications_workflow on publications (subject_id) where revoked_at is null and subject_type = 'workflow';

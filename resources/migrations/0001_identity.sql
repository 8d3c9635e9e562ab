-- Who there is: workspaces (orgs), people, their sessions and tokens, agents and their keys. Statements part at ";" and an empty line.

create table hub (
  one boolean primary key default true check (one),
  hub_id text not null,
  master_key_check bytea,
  created_at timestamptz not null default now()
);

create table orgs (
  id text collate "C" primary key,
  name text not null,
  frozen boolean not null default false,
  approval_threshold_cents bigint not null default 1000 check (approval_threshold_cents >= 0),
  approval_life_seconds int not null default 86400,
  separation_of_duties boolean not null default false,
  retention_days int,
  alert_levels int[] not null default '{50,80,100}',
  step_up_cents bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The lock of a workspace, the head of its audit chain, the version of its rules. The one row everything that moves money goes through.
create table org_heads (
  org_id text collate "C" primary key references orgs,
  rules_version int not null default 1,
  last_at timestamptz not null default '-infinity',
  seq bigint not null default 0,
  head bytea not null default '\x0000000000000000000000000000000000000000000000000000000000000000'
) with (fillfactor = 20);

create table users (
  id text collate "C" primary key,
  email text not null,
  name text not null default '',
  password_hash text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index users_email on users (lower(email));

create table memberships (
  org_id text collate "C" not null references orgs,
  user_id text collate "C" not null references users,
  role text not null check (role in ('owner', 'admin', 'operator', 'member', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (org_id, user_id)
);

create index memberships_user on memberships (user_id);

create table sessions (
  id text collate "C" primary key,
  token_hash bytea not null unique,
  user_id text collate "C" not null references users,
  org_id text collate "C" not null references orgs,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  stepped_up_until timestamptz,
  ip text,
  user_agent text
);

create index sessions_user on sessions (user_id);

create table setup_tokens (
  token_hash bytea primary key,
  expires_at timestamptz not null
);

create table tokens (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  user_id text collate "C" not null references users,
  name text not null,
  scopes text[] not null,
  enabled boolean not null default true,
  token_hash bytea not null unique,
  hint text not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  last_used_ip text,
  created_at timestamptz not null default now()
);

create index tokens_user on tokens (org_id, user_id, id);

create table agents (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  name text not null,
  description text not null default '',
  kind text not null default 'standard' check (kind in ('standard', 'yupi', 'chat')),
  status text not null default 'active' check (status in ('active', 'paused', 'disabled')),
  frozen boolean not null default false,
  icon text,
  category text,
  personality text,
  voice_config text,
  parent_agent_id text collate "C" references agents,
  depth int not null default 0,
  team_id text collate "C",
  owner_user_id text collate "C" references users,
  approval_threshold_cents bigint check (approval_threshold_cents >= 0),
  -- Raised by every change that dispatch decides on: status, frozen, keys, bindings, thresholds, deletion. Caps and money are not among them.
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);

create index agents_org on agents (org_id, id) where deleted_at is null;

-- Kept apart from agents, so that a busy agent does not rewrite the row that dispatch reads.
create table agent_sightings (
  agent_id text collate "C" primary key references agents,
  org_id text collate "C" not null,
  last_seen_at timestamptz not null
) with (fillfactor = 50);

create table agent_keys (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  mode text not null check (mode in ('live', 'test')),
  key_hash bytea not null unique,
  hint text not null,
  created_at timestamptz not null default now(),
  -- null: for as long as nobody rotates it; in the past: dead
  expires_at timestamptz
);

create index agent_keys_agent on agent_keys (org_id, agent_id);

create table bindings (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  service text not null,
  operations text[] not null,
  enabled boolean not null default true,
  monthly_cap_cents bigint,
  daily_request_limit bigint,
  approval_threshold_cents bigint,
  per_operation text not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (agent_id, service)
);

create index bindings_org on bindings (org_id, service);

create table services (
  org_id text collate "C" not null references orgs,
  name text not null,
  definition text not null,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, name)
);

-- What a workspace set on a shipped service.
create table service_settings (
  org_id text collate "C" not null references orgs,
  name text not null,
  enabled boolean,
  -- { [operation]: price }
  prices text,
  updated_at timestamptz not null default now(),
  primary key (org_id, name)
);

create table secrets (
  org_id text collate "C" not null references orgs,
  name text not null,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, name)
);

create table policies (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  name text not null,
  position int not null,
  enabled boolean not null default true,
  condition text not null,
  action text not null check (action in ('allow', 'block', 'require_approval')),
  required_approvals int check (required_approvals between 1 and 5),
  deciders text,
  expires_in_seconds int,
  reason text not null default '',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index policies_org on policies (org_id, position, id);

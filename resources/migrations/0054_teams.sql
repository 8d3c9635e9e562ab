-- Teams, their members, the money of pools and allocations, and invites.

create table teams (
  org_id text collate "C" not null references orgs (id),
  id text collate "C" primary key,
  name text not null,
  description text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);

create unique index teams_name on teams (org_id, lower(name)) where deleted_at is null;

create index teams_org on teams (org_id, id) where deleted_at is null;

create table team_members (
  org_id text collate "C" not null,
  team_id text collate "C" not null references teams (id),
  user_id text collate "C" not null,
  role text not null check (role in ('lead', 'worker')),
  created_at timestamptz not null,
  primary key (team_id, user_id),
  foreign key (org_id, user_id) references memberships (org_id, user_id)
);

create index team_members_person on team_members (org_id, user_id);

-- The wallets of teams: a pool has no person, an allocation has the person whose agents it pays for. Their money is a row of limits.
-- month_limit_id counts what a wallet paid in a month and has no cap.
create table team_wallets (
  limit_id bigint primary key references limits (id),
  month_limit_id bigint not null references limits (id),
  org_id text collate "C" not null references orgs (id),
  team_id text collate "C" not null references teams (id),
  user_id text collate "C" references users (id),
  created_at timestamptz not null,
  ended_at timestamptz,
  unique nulls not distinct (team_id, user_id)
);

create index team_wallets_org on team_wallets (org_id, team_id);

create index agents_team on agents (org_id, team_id) where team_id is not null and deleted_at is null;

-- The active team of a session or a token.
alter table sessions add column team_id text collate "C";

alter table tokens add column team_id text collate "C";

create table invites (
  org_id text collate "C" not null references orgs (id),
  id text collate "C" primary key,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'operator', 'member', 'viewer')),
  team_id text collate "C" references teams (id),
  team_role text check (team_role in ('lead', 'worker')),
  token_hash bytea not null unique,
  invited_by text collate "C" not null references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by text collate "C" references users (id),
  revoked_at timestamptz,
  check ((team_id is null) = (team_role is null))
);

create index invites_org on invites (org_id, id);

-- At most one open invite for an address; an expired one is replaced by revoking it.
create unique index invites_open on invites (org_id, lower(email)) where accepted_at is null and revoked_at is null;

\include ../functions;

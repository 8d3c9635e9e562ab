-- Requests to publish agents (and later workflows), and the publications that reviewers approved. The texts are those of the moment of the
-- request: reviewers decide on them, and listings show them.
create table publish_requests (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  subject_type text not null check (subject_type in ('agent', 'workflow')),
  subject_id text collate "C" not null,
  version_id text collate "C",
  scope text not null check (scope in ('team', 'org')),
  team_id text collate "C",
  listed boolean not null,
  name text not null,
  description text not null,
  icon text,
  category text,
  note text,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'withdrawn')),
  requested_by text collate "C" not null references users,
  decided_by text collate "C" references users,
  comment text,
  created_at timestamptz not null,
  decided_at timestamptz,
  constraint publish_requests_team check ((scope = 'team') = (team_id is not null)),
  constraint publish_requests_listed check (not listed or scope = 'org'),
  constraint publish_requests_decision check ((status = 'pending') = (decided_at is null))
);

create index publish_requests_list on publish_requests (org_id, id);

create unique index publish_requests_pending on publish_requests (subject_id, coalesce(team_id, '')) where status = 'pending';

create table publications (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  request_id text collate "C" not null unique references publish_requests,
  published_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by text collate "C" references users,
  -- Copied from the request, for the lists of shared agents and of the marketplace.
  subject_type text not null check (subject_type in ('agent', 'workflow')),
  subject_id text collate "C" not null,
  scope text not null check (scope in ('team', 'org')),
  team_id text collate "C",
  listed boolean not null
);

create index publications_list on publications (org_id, id);

create unique index publications_active on publications (subject_id, coalesce(team_id, '')) where revoked_at is null;

create index publications_listed on publications (id) where listed and revoked_at is null;

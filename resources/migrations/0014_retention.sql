-- Up to which request the bodies of a workspace that keeps them for a number of days were looked at.
create table retention_positions (
  org_id text collate "C" primary key references orgs,
  request_id text collate "C" not null
);

-- Requests behind that position that had not ended long enough ago: looked at again.
create table retention_later (
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  primary key (org_id, request_id)
);

-- Objects of workspaces: the rows. The bytes are in the store, under tmp/<org>/<object>/<upload> until they are verified,
-- then under o/<org>/<object>/<generation>.
create table storage_objects (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  -- The person who uploaded it, or the owner of the agent that did.
  user_id text collate "C" references users,
  agent_id text collate "C" references agents,
  -- The request of service `storage` that stored it: a repeat of the request finds it.
  request_id text collate "C" unique,
  key text collate "C" not null,
  content_type text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  declared_sha256 text,
  sha256 text,
  metadata text not null default '{}',
  status text not null check (status in ('pending', 'verifying', 'live', 'deleted', 'purging')),
  upload text,
  generation int not null default 0,
  claimed_until timestamptz,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  deleted_at timestamptz,
  -- When the sweep found that the bytes are gone.
  missing_at timestamptz,
  constraint storage_objects_confirmed check (status not in ('live', 'deleted') or (sha256 is not null and confirmed_at is not null)),
  constraint storage_objects_deleted check (status not in ('live', 'pending', 'verifying') or deleted_at is null),
  constraint storage_objects_claim check ((status = 'verifying') <= (claimed_until is not null))
);

create unique index storage_objects_key on storage_objects (org_id, key) where status = 'live';

create index storage_objects_newest on storage_objects (org_id, created_at, id) where status = 'live';

create index storage_objects_deleted on storage_objects (org_id, created_at, id) where status = 'deleted';

create index storage_objects_all on storage_objects (org_id, id);

create index storage_objects_unfinished on storage_objects (created_at) where status in ('pending', 'verifying', 'purging');

create index storage_objects_due on storage_objects (deleted_at) where status = 'deleted';

create index storage_objects_missing on storage_objects (org_id) where missing_at is not null;

-- The bytes that count against a workspace's limit: the sum over its objects, changed under the workspace's lock.
create table storage_totals (
  org_id text collate "C" primary key references orgs,
  used_bytes bigint not null check (used_bytes >= 0),
  deleted_bytes bigint not null check (deleted_bytes >= 0)
);

-- The sweep of all hubs that share this database: one at a time.
create table storage_sweep (
  one boolean primary key default true check (one),
  due_at timestamptz not null,
  claimed_until timestamptz
);

-- The id in objects/store-id of the directory that holds the objects.
alter table hub add column storage_id text;

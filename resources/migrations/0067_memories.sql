-- Memories of agents, each with its vector: a code of one bit per number that finds candidates, and the numbers as halves
-- that rank them.
create table memories (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  kind text not null check (kind in ('fact', 'preference', 'event', 'skill')),
  content text not null,
  tags text[] not null,
  importance double precision not null check (importance between 0 and 1),
  source_type text,
  source_id text,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The model of the vector; empty without a vector.
  embedding_model text collate "C" not null default '',
  code bit varying,
  emb bytea,
  -- When the background may next compute the vector: a lease, or the end of a pause after a failure.
  embed_at timestamptz not null,
  constraint memories_source check ((source_type is null) = (source_id is null)),
  constraint memories_vector check ((embedding_model = '') = (emb is null) and (emb is null) = (code is null))
);

create index memories_agent on memories (org_id, agent_id, id);

create index memories_expiry on memories (expires_at) where expires_at is not null;

create index memories_embedding on memories (embedding_model, embed_at);

create table memory_links (
  source_id text collate "C" not null references memories on delete cascade,
  target_id text collate "C" not null references memories on delete cascade,
  org_id text collate "C" not null references orgs,
  position smallint not null,
  primary key (source_id, target_id),
  constraint memory_links_other check (source_id <> target_id)
);

create index memory_links_target on memory_links (target_id);

-- The number of an agent's memories, changed under the workspace's lock.
create table memory_totals (
  agent_id text collate "C" primary key references agents,
  org_id text collate "C" not null references orgs,
  memories int not null check (memories >= 0)
);

-- The workspace that this database's hub made to be tried, and the agent whose key it printed.
create table demo (
  one boolean primary key default true check (one),
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  -- Its history is written and its key was told; until then a start goes on with it.
  finished boolean not null default false,
  created_at timestamptz not null default now()
);

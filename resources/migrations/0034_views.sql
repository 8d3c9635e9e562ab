-- Saved views: the query of a screen's address under a name, of one person or shared with the workspace.
create table views (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  user_id text collate "C" not null references users,
  screen text not null check (screen in ('inbox', 'requests', 'audit', 'agents')),
  name text not null,
  query text not null,
  shared boolean not null default false,
  position int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index views_person on views (org_id, user_id);

create index views_shared on views (org_id) where shared;

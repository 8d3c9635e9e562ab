-- Favorite models of a person in a workspace.
create table model_favorites (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  user_id text collate "C" not null references users,
  model_id text collate "C" not null,
  created_at timestamptz not null,
  unique (org_id, user_id, model_id)
);

-- The version of the hub; null: a hub from before this migration. A contract migration waits for the end of older ones.
alter table owners add column version text;

create table contract_migrations (
  migration_id int primary key,
  name text not null,
  -- The oldest hub that works without what the migration removed.
  min_version text not null,
  created_at timestamptz not null default now()
);

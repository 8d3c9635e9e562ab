-- Tokens of disconnected apps that the provider still has to revoke, sealed as in apps. A row is deleted once the
-- provider confirms, after the last attempt, and when the app is connected again.
create table app_revocations (
  -- The app may be deleted already.
  app_id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  provider text collate "C" not null,
  params text not null,
  access_token bytea not null,
  refresh_token bytea,
  -- Of the app, once the provider has confirmed.
  note text,
  attempt integer not null default 0,
  due_at timestamptz not null
);

create index app_revocations_due on app_revocations (due_at);

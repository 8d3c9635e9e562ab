-- OAuth clients of a workspace, and its own definitions of providers.
create table app_providers (
  org_id text collate "C" not null references orgs,
  name text collate "C" not null,
  client_id text not null,
  -- Sealed for workspace, provider, and "client_secret".
  secret bytea not null,
  -- JSON; null: the definition that the hub ships.
  definition text,
  updated_at timestamptz not null,
  primary key (org_id, name)
);

-- Connected apps. Tokens are sealed for workspace, app, and kind; only a connected app has any.
create table apps (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  user_id text collate "C" not null references users,
  provider text collate "C" not null,
  name text not null,
  status text not null default 'pending' check (status in ('pending', 'connected', 'needs_reauth', 'revoked')),
  visibility text not null check (visibility in ('private', 'workspace')),
  scopes text[] not null,
  -- JSON: what the connection sets beside the definition's defaults.
  params text not null,
  -- JSON: what was kept from the sign-in, such as instance_url.
  captured text not null default '{}',
  account text,
  access_token bytea,
  refresh_token bytea,
  expires_at timestamptz,
  -- When the tokens are renewed without a call; null: never.
  refresh_at timestamptz,
  -- Raised by every change of the tokens: a renewal stores only if it is unchanged.
  version integer not null default 1,
  -- Who renews the tokens at the moment, and until when.
  lease text,
  lease_until timestamptz,
  note text,
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint apps_tokens check ((status = 'connected') = (access_token is not null)),
  constraint apps_refresh check (refresh_token is null or access_token is not null),
  constraint apps_due check (refresh_at is null or refresh_token is not null),
  constraint apps_lease check ((lease is null) = (lease_until is null))
);

create index apps_org on apps (org_id, id);

create index apps_refresh_at on apps (refresh_at) where refresh_at is not null;

-- Sign-ins in progress, by the hash of their state. A row is deleted by its use.
create table app_states (
  hash bytea primary key,
  org_id text collate "C" not null references orgs,
  app_id text collate "C" not null references apps on delete cascade,
  user_id text collate "C" not null references users,
  -- Sealed PKCE verifier.
  verifier bytea not null,
  -- JSON.
  params text not null,
  scopes text[] not null,
  expires_at timestamptz not null
);

create index app_states_app on app_states (app_id);

create index app_states_expires on app_states (expires_at);

-- The app of a provider that an agent uses with a service, instead of its owner's.
alter table bindings add column app_id text collate "C";

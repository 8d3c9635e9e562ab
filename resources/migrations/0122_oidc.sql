-- Sign-in by OpenID Connect. A person at a provider is an issuer and a subject, whatever their address is.
create table identities (
  issuer text collate "C",
  subject text collate "C",
  user_id text collate "C" not null references users on delete cascade,
  -- As the provider last said it.
  email text,
  created_at timestamptz not null default clock_timestamp(),
  last_sign_in_at timestamptz not null default clock_timestamp(),
  primary key (issuer, subject)
);

create index identities_user on identities (user_id);

-- Sign-ins that are under way at the provider: each state is used once, by the browser that started it.
create table oidc_flows (
  hash bytea primary key,
  browser_hash bytea not null,
  -- The nonce and the PKCE verifier, sealed.
  secrets bytea not null,
  purpose text not null check (purpose in ('sign_in', 'step_up', 'link')),
  session_id text collate "C",
  return_to text not null,
  started_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);

create index oidc_flows_expiry on oidc_flows (expires_at);

-- Identities that wait for one sign-in by the password of the account with the same address.
create table oidc_links (
  hash bytea primary key,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  email text,
  user_id text collate "C" not null references users on delete cascade,
  expires_at timestamptz not null
);

create index oidc_links_expiry on oidc_links (expires_at);

-- Logout tokens that were used.
create table oidc_logouts (
  issuer text collate "C",
  jti text collate "C",
  expires_at timestamptz not null,
  primary key (issuer, jti)
);

create index oidc_logouts_expiry on oidc_logouts (expires_at);

-- Sign-in changes only the roles that it gave.
alter table memberships add column managed_by text not null default 'manual' check (managed_by in ('manual', 'oidc'));

alter table team_members add column managed_by text not null default 'manual' check (managed_by in ('manual', 'oidc'));

-- Of a session that began at a provider.
alter table sessions add column provider_issuer text collate "C";

alter table sessions add column provider_subject text collate "C";

alter table sessions add column provider_sid text collate "C";

-- Its end, whatever its use.
alter table sessions add column ends_at timestamptz;

create index sessions_provider on sessions (provider_issuer, provider_subject) where provider_issuer is not null;

-- Second factors of people, and sign-ins that wait for one.
alter table orgs add column second_factor text not null default 'off' check (second_factor in ('off', 'deciders', 'all'));

create table factors (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  kind text not null check (kind in ('passkey', 'totp')),
  name text not null,
  -- Of an authenticator app: sealed.
  secret bytea,
  -- The time step of the last accepted code: each step is accepted once.
  last_step bigint,
  -- Of a passkey.
  credential_id text collate "C" unique,
  public_key bytea,
  sign_count bigint,
  transports text[],
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz
);

create index factors_user on factors (user_id, id);

-- Secrets of authenticator apps that are not confirmed yet.
create table totp_enrollments (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  secret bytea not null,
  expires_at timestamptz not null
);

create index totp_enrollments_expiry on totp_enrollments (expires_at);

create table recovery_codes (
  user_id text collate "C" references users on delete cascade,
  code_hash bytea,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Challenges of WebAuthn calls: each is used once.
create table passkey_challenges (
  hash bytea primary key,
  user_id text collate "C" not null references users on delete cascade,
  purpose text not null check (purpose in ('register', 'login', 'step_up')),
  expires_at timestamptz not null
);

create index passkey_challenges_expiry on passkey_challenges (expires_at);

-- People whose password, or sign-in at the provider, was verified, and whose second factor was not.
create table sign_in_challenges (
  hash bytea primary key,
  user_id text collate "C" not null references users on delete cascade,
  method text not null check (method in ('password', 'oidc')),
  -- Of a sign-in at the provider: what its session keeps, as JSON.
  provider text,
  tries int not null default 0,
  expires_at timestamptz not null
);

create index sign_in_challenges_user on sign_in_challenges (user_id);

create index sign_in_challenges_expiry on sign_in_challenges (expires_at);

-- How a session began.
alter table sessions add column method text not null default 'password' check (method in ('password', 'oidc', 'setup'));

alter table sessions add column factor text check (factor in ('passkey', 'totp', 'recovery_code'));

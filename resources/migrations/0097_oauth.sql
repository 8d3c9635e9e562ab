-- Sign-in of MCP clients: clients register themselves, people choose the agent, tokens are for /mcp only.
create table oauth_clients (
  id text collate "C" primary key,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz not null default clock_timestamp()
);

create index oauth_clients_age on oauth_clients (created_at);

-- What a person allowed a client. All tokens of one grant are one family.
create table oauth_grants (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  user_id text collate "C" not null references users,
  agent_id text collate "C" not null references agents,
  client_id text collate "C" not null references oauth_clients,
  resource text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Of the newest refresh token.
  expires_at timestamptz not null,
  last_used_at timestamptz,
  last_used_ip text
);

create index oauth_grants_person on oauth_grants (org_id, user_id, id);

create index oauth_grants_client on oauth_grants (client_id);

create index oauth_grants_agent on oauth_grants (agent_id);

create index oauth_grants_expiry on oauth_grants (expires_at);

create table oauth_codes (
  hash bytea primary key,
  org_id text collate "C" not null references orgs,
  user_id text collate "C" not null references users,
  agent_id text collate "C" not null references agents,
  client_id text collate "C" not null references oauth_clients on delete cascade,
  redirect_uri text not null,
  -- PKCE S256.
  challenge text collate "C" not null,
  resource text not null,
  expires_at timestamptz not null,
  -- The grant that it was exchanged for: a second exchange ends it.
  grant_id text collate "C"
);

create index oauth_codes_expiry on oauth_codes (expires_at);

create table oauth_tokens (
  hash bytea primary key,
  grant_id text collate "C" not null references oauth_grants on delete cascade,
  org_id text collate "C" not null references orgs,
  kind text not null check (kind in ('access', 'refresh')),
  expires_at timestamptz not null,
  -- Of a refresh token that was exchanged: its second use ends the grant.
  used_at timestamptz
);

create index oauth_tokens_grant on oauth_tokens (grant_id);

create index oauth_tokens_expiry on oauth_tokens (expires_at);

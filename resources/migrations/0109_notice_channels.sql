-- Notice channels: channels in Slack and Discord, the messages there, and the accounts of people that may decide by them.
create table notice_channels (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  kind text not null check (kind in ('slack', 'discord')),
  app_id text collate "C",
  secret text collate "C",
  target text collate "C" not null,
  min_cents bigint,
  agent_ids text[],
  events text[] not null,
  -- The last entry of the audit log whose events are in notice_messages.
  seq bigint not null,
  -- Why the last message could not be sent.
  problem text,
  last_sent_at timestamptz,
  -- While a hub sends its messages, or until the provider accepts more.
  leased_until timestamptz,
  lease integer not null default 0,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint notice_channels_token check ((app_id is null) <> (secret is null))
);

create index notice_channels_org on notice_channels (org_id, id);

create table notice_messages (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  channel_id text collate "C" not null references notice_channels on delete cascade,
  subject_type text not null check (subject_type in ('approval', 'agent_request', 'budget_request')),
  subject_id text collate "C" not null,
  -- The request of an approval, whose outcome the message shows.
  request_id text collate "C",
  -- The digest that the buttons name.
  digest text collate "C" not null,
  -- The provider's names of the channel and the message; null before the message was sent.
  place text collate "C",
  message text collate "C",
  -- Changes of the subject so far, and the number of them that the message shows.
  wanted integer not null default 1,
  shown integer not null default 0,
  attempts integer not null default 0,
  -- When it is sent or updated next; null: it is up to date.
  due_at timestamptz,
  -- Its subject is decided, or it was never sent, or it cannot be updated.
  closed_at timestamptz,
  created_at timestamptz not null,
  unique (channel_id, subject_type, subject_id),
  constraint notice_messages_sent check ((place is null) = (message is null))
);

create index notice_messages_due on notice_messages (channel_id, due_at) where due_at is not null;

create index notice_messages_subject on notice_messages (subject_id);

create index notice_messages_request on notice_messages (org_id, request_id) where request_id is not null;

create index notice_messages_closed on notice_messages (closed_at) where closed_at is not null;

-- Accounts of people in Slack and Discord. A row begins as a code, gets its account where the code is entered, and counts once its
-- person confirmed it.
create table messenger_accounts (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  -- SHA-256 of the code until it is entered.
  code_hash bytea unique,
  provider text check (provider in ('slack', 'discord')),
  team text collate "C",
  team_name text,
  account text collate "C",
  account_name text,
  created_at timestamptz not null,
  -- Of the code, and of the account until it is confirmed.
  expires_at timestamptz not null,
  confirmed_at timestamptz,
  last_used_at timestamptz,
  constraint messenger_accounts_account check ((code_hash is null) = (account is not null)),
  constraint messenger_accounts_whole check ((account is null) = (provider is null) and (account is null) = (team is null)),
  constraint messenger_accounts_confirmed check (confirmed_at is null or account is not null)
);

create unique index messenger_accounts_linked on messenger_accounts (provider, team, account) where confirmed_at is not null;

create index messenger_accounts_person on messenger_accounts (user_id, id);

create index messenger_accounts_expiry on messenger_accounts (expires_at) where confirmed_at is null;

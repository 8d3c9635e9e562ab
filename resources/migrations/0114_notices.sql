-- Notices to people by e-mail and browser push, and their settings. Nothing here contains a payload.

-- What a person wants to be notified of in a workspace, and where. A missing row means the defaults.
create table notification_settings (
  org_id text collate "C",
  user_id text collate "C",
  -- JSON: by event, only the places that differ from the defaults.
  places text not null default '{}',
  digest_minutes integer not null check (digest_minutes between 1 and 1440),
  quiet_from text,
  quiet_to text,
  updated_at timestamptz not null,
  primary key (org_id, user_id),
  foreign key (org_id, user_id) references memberships on delete cascade,
  check ((quiet_from is null) = (quiet_to is null))
);

-- The last entry of each workspace's log whose notices are written. A workspace without a row is read from its start.
create table notice_cursors (
  org_id text collate "C" primary key references orgs,
  seq bigint not null
) with (fillfactor = 50);

-- Entries from before this version notify nobody.
insert into notice_cursors (org_id, seq) select org_id, seq from org_heads;

create table mails (
  id text collate "C" primary key,
  -- `invite`: sealed below. `notices`: composed from its notices whenever it is sent.
  kind text not null check (kind in ('invite', 'notices')),
  org_id text collate "C" not null references orgs,
  user_id text collate "C" references users on delete cascade,
  -- The object that the mail is about, so that it can be canceled.
  subject_id text collate "C",
  -- Recipient, subject, and texts, sealed with the master key; null once the mail has ended.
  sealed bytea,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed', 'cancelled')),
  attempt integer not null default 0,
  -- Of the next attempt. A claimed mail is due again after the pause of its attempt, if nobody ends it.
  due_at timestamptz not null,
  problem text,
  created_at timestamptz not null,
  ended_at timestamptz,
  check ((status = 'pending') = (ended_at is null)),
  check (status <> 'pending' or kind <> 'invite' or sealed is not null)
);

create index mails_due on mails (due_at) where status = 'pending';

create index mails_ended on mails (ended_at) where ended_at is not null;

create index mails_subject on mails (org_id, subject_id) where status = 'pending' and subject_id is not null;

-- One notice of one event for one person by one medium.
create table notices (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  user_id text collate "C" not null references users on delete cascade,
  event text not null,
  medium text not null check (medium in ('email', 'browser')),
  -- The entry of the log: its notices are written with the log's position, in one transaction.
  audit_id text collate "C" not null,
  subject_type text not null,
  subject_id text collate "C" not null,
  -- JSON: names and amounts that the notice shows.
  facts text not null,
  state text not null default 'pending' check (state in ('pending', 'sent', 'dropped')),
  -- When it is gathered into a mail, or sent to browsers.
  due_at timestamptz not null,
  mail_id text collate "C" references mails on delete cascade,
  created_at timestamptz not null,
  unique (org_id, audit_id, user_id, medium)
);

create index notices_due on notices (due_at) where state = 'pending';

create index notices_person on notices (org_id, user_id) where state = 'pending';

create index notices_mail on notices (mail_id) where mail_id is not null;

create index notices_age on notices (created_at);

-- When a person was last mailed a digest, by group of events.
create table notice_digests (
  org_id text collate "C",
  user_id text collate "C",
  digest text not null,
  mailed_at timestamptz,
  primary key (org_id, user_id, digest),
  foreign key (org_id, user_id) references memberships on delete cascade
);

-- The key pair with which push services recognize this hub (VAPID, RFC 8292).
create table push_key (
  one boolean primary key default true check (one),
  public_key text not null,
  -- The private key, sealed with the master key.
  sealed bytea not null,
  created_at timestamptz not null default hub_time_or_last()
);

-- Browsers that show notices. A subscription ends with the session that made it.
create table push_subscriptions (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  session_id text collate "C" not null references sessions on delete cascade,
  endpoint_hash bytea not null unique,
  -- The endpoint and the browser's keys, sealed with the master key.
  sealed bytea not null,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz
);

create index push_subscriptions_user on push_subscriptions (user_id);

create index push_subscriptions_session on push_subscriptions (session_id);

-- Notices on their way to a browser; deleted once the push service has accepted or refused them.
create table pushes (
  notice_id text collate "C" references notices on delete cascade,
  subscription_id text collate "C" references push_subscriptions on delete cascade,
  attempt integer not null default 0,
  due_at timestamptz not null,
  primary key (notice_id, subscription_id)
);

create index pushes_due on pushes (due_at);

create index pushes_subscription on pushes (subscription_id);

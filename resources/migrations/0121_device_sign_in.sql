-- Sign-ins of programs on another device (RFC 8628): pending until a person decides in the console, at most ten minutes.
create table device_sign_ins (
  user_code text collate "C" primary key,
  device_hash bytea not null unique,
  client_name text not null,
  scopes text[] not null,
  address text not null,
  user_agent text,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  -- Seconds between two polls; a client that polls faster has to wait longer.
  interval_seconds int not null,
  polled_at timestamptz,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'collected')),
  org_id text collate "C" references orgs,
  granted text[],
  -- Sealed, until the program fetched it.
  token bytea
);

create index device_sign_ins_expiry on device_sign_ins (expires_at);

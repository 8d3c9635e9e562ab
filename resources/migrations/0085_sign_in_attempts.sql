-- Sign-in attempts, counted over all hubs.

-- A token bucket of an address, a known device, or a session. A bucket that is full again equals a missing row.
create table sign_in_limits (
  key text collate "C" primary key,
  tokens double precision not null,
  -- Whether the last attempt got a token.
  allowed boolean not null,
  at timestamptz not null
);

create index sign_in_limits_at on sign_in_limits (at);

-- Attempts on an account since its last sign-in, whether the account exists or not. The key is a hash of the address.
create table sign_in_failures (
  account bytea primary key,
  attempts integer not null,
  at timestamptz not null,
  -- When the person was last mailed about them.
  mailed_at timestamptz
);

create index sign_in_failures_at on sign_in_failures (at);

-- Devices on which a person has signed in: attempts from them are not delayed. Several people may share a device.
create table known_devices (
  user_id text collate "C" references users on delete cascade,
  token_hash bytea,
  -- As limits count it: an IPv6 address by its /64.
  address text not null,
  used_at timestamptz not null default hub_time_or_last(),
  primary key (user_id, token_hash)
);

-- The money core's tables. Everything here that changes money, limits or audit of a workspace does so under its org_heads row.

-- kind: 1 wallet, 2 agent's month, 3 operation's month, 4 operation's day (counts), 5 task, 6 and 7 standing approval's total and uses
-- (counts), 8 revenue, 9 external. Months and days are counted in UTC (year * 12 + month; days since 1970); other kinds are for ever (0).
-- A wallet's cap is what was funded, its used what was debited. cap null: no cap. Rows are never deleted.
create table limits (
  org_id text collate "C" not null references orgs,
  id bigint generated always as identity primary key,
  kind smallint not null,
  mode text not null default 'live',
  agent_id text collate "C",
  service text,
  operation text,
  cap bigint,
  period int not null default 0,
  used bigint not null default 0 check (used >= 0 or kind = 9),
  held bigint not null default 0 check (held >= 0),
  -- what living children of an agent may spend; not reset by the month
  committed bigint not null default 0 check (committed >= 0),
  valid_until timestamptz,
  unique nulls not distinct (org_id, kind, mode, agent_id, service, operation)
) with (fillfactor = 30);

create table owners (
  num int generated always as identity primary key,
  hub_id text not null,
  alive_until timestamptz not null,
  -- taken over, or gone in good order: it owns nothing any more
  ended boolean not null default false,
  started_at timestamptz not null default now()
);

create table requests (
  org_id text collate "C" not null,
  id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null,
  service text not null,
  operation text not null,
  payload text not null,
  ceiling_cents bigint not null check (ceiling_cents >= 0),
  approval_id text collate "C",
  -- { user_id, replaces } when a person filed it by editing another
  origin text,
  -- the script of a test-mode request: x-test-outcome
  test_outcome text,
  created_at timestamptz not null,
  primary key (org_id, id)
) partition by range (id);

create table requests_default partition of requests default;

create index requests_agent on requests (org_id, agent_id, id);

-- Begun and not settled. phase 1: reserved by a hub, which may or may not have sent; 2: running at a provider, owned by nobody.
create table holds (
  request_id text collate "C" primary key,
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null,
  service text not null,
  operation text not null,
  owner int not null,
  phase smallint not null default 1,
  ceiling_cents bigint not null check (ceiling_cents >= 0),
  limits bigint[] not null,
  wallet bigint,
  month int not null,
  day int not null,
  created_at timestamptz not null,
  -- sends made that may have reached the provider, as far as a restart knows
  sends smallint not null default 0,
  provider_ref text,
  -- JSON of what the provider's first answer gave as the actual cost, if it did: it stands unless the last one has a cost
  started text,
  poll_attempt int not null default 0,
  due_at timestamptz,
  leased_until timestamptz,
  deadline_at timestamptz,
  -- why it runs on: async, or unknown fate held for a person
  running_because text
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);

create index holds_due on holds (due_at) where phase = 2;

create index holds_ref on holds (org_id, service, provider_ref) where provider_ref is not null;

create table settlements (
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  agent_id text collate "C" not null,
  mode text not null,
  service text not null,
  operation text not null,
  status text not null,
  ceiling_cents bigint not null,
  cost_cents bigint not null check (cost_cents between 0 and ceiling_cents),
  reason_code text,
  -- JSON texts, kept to the byte
  result text,
  block text,
  -- a true answer that came after the verdict; it changes neither status nor money
  late_result text,
  provider_ref text,
  completed_at timestamptz not null,
  primary key (org_id, request_id)
) partition by range (request_id);

create table settlements_default partition of settlements default;

create index settlements_ref on settlements (org_id, service, provider_ref) where provider_ref is not null;

-- Callbacks that came before the request was known to run; kept an hour.
create table early_callbacks (
  org_id text collate "C" not null,
  service text not null,
  ref text not null,
  body text not null,
  received_at timestamptz not null default now(),
  primary key (org_id, service, ref)
);

create index settlements_status on settlements (org_id, status, request_id);

-- Double entry in one row: what one account gives another takes, with the balance of both after it.
create table movements (
  org_id text collate "C" not null,
  id text collate "C" not null,
  debit_id bigint not null,
  credit_id bigint not null,
  amount_cents bigint not null check (amount_cents > 0),
  debit_balance_after bigint not null,
  credit_balance_after bigint not null,
  cause_type text not null,
  cause_id text not null,
  note text,
  created_at timestamptz not null,
  primary key (org_id, id)
) partition by range (id);

create table movements_default partition of movements default;

create table audit (
  org_id text collate "C" not null,
  seq bigint not null,
  id text collate "C" not null,
  action text not null,
  actor_type text not null,
  actor_id text not null,
  actor_name text not null,
  subject_type text,
  subject_id text,
  agent_id text collate "C",
  outcome text,
  reason_code text,
  cost_cents bigint,
  ip text,
  data text not null default '{}',
  created_at timestamptz not null,
  prev_hash bytea not null,
  hash bytea not null,
  primary key (org_id, seq, created_at)
) partition by range (created_at);

create table audit_default partition of audit default;

create index audit_subject on audit (org_id, subject_id, seq);

create table usage_days (
  org_id text collate "C" not null,
  day date not null,
  agent_id text collate "C" not null,
  service text not null,
  operation text not null,
  mode text not null,
  executed bigint not null default 0,
  failed bigint not null default 0,
  blocked bigint not null default 0,
  cost_cents bigint not null default 0,
  primary key (org_id, day, agent_id, service, operation, mode)
) with (fillfactor = 50);

-- Fractions of a cent not yet debited, in millionths.
create table accruals (
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  wallet bigint not null,
  micro_cents int not null check (micro_cents between 0 and 999999),
  primary key (org_id, agent_id, wallet)
) with (fillfactor = 50);

-- Of dispatch: request_id. Of other POSTs: the answer itself; status null while the first is in flight.
create table idempotency_keys (
  org_id text collate "C" not null,
  scope text not null,
  key text not null,
  hash bytea not null,
  request_id text collate "C",
  status int,
  body text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (org_id, scope, key)
);

create index idempotency_keys_expiry on idempotency_keys (expires_at);

create table approvals (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  request_id text collate "C" not null,
  agent_id text collate "C" not null,
  kind text not null default 'service_request',
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'expired', 'cancelled')),
  mode text not null,
  service text not null,
  operation text not null,
  cost_cents bigint not null,
  threshold_cents bigint not null,
  reason text not null,
  policy_id text collate "C",
  payload_digest text not null,
  required_approvals int not null default 1,
  -- { roles?, user_ids? }
  deciders text,
  -- who filed the request, if a person did
  filed_by text collate "C",
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by text collate "C",
  comment text,
  replaced_by text collate "C"
);

create index approvals_org on approvals (org_id, status, id);

create index approvals_due on approvals (expires_at) where status = 'pending';

create index approvals_recent on approvals (org_id, agent_id, service, operation, id);

create index approvals_request on approvals (org_id, request_id);

create table approval_decisions (
  org_id text collate "C" not null,
  approval_id text collate "C" not null references approvals,
  user_id text collate "C" not null references users,
  decision text not null check (decision in ('approve', 'reject')),
  comment text,
  created_at timestamptz not null,
  primary key (approval_id, user_id)
);

create table standing_approvals (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  service text not null,
  operation text not null,
  mode text not null,
  max_cost_cents bigint not null,
  max_total_cents bigint,
  max_uses bigint,
  total_limit bigint not null references limits,
  uses_limit bigint not null references limits,
  created_by text collate "C" not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  withdrawn_at timestamptz
);

create index standing_approvals_agent on standing_approvals (org_id, agent_id, service, operation, mode);

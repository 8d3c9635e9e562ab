-- The money core in named parts. From here on a function has one file below resources/functions, which a migration applies again after
-- each change; this migration replaces the functions of 0003 to 0052 there, and adds the types that the parts share.

set local check_function_bodies = off;

drop function tick;

drop function begin_one;

drop function settle_one;

drop function reserve_one;

drop function block_of;

drop function fits;

drop function share_of;

-- A workspace whose lock a batch has, with its time and the end of its audit chain.
create type locked_workspace as (
  org_id text,
  at timestamptz,
  month int,
  day int,
  rules_version int,
  seq bigint,
  head bytea
);

-- A begin of a batch. place: among the begins; workspace: among the locked workspaces. The payload is not part of it: it may be large, and
-- every part of the batch reads these rows.
create type pending_begin as (
  place int,
  workspace int,
  verdict int,
  ceiling_cents bigint,
  limits bigint[],
  checked_limit bigint,
  org_id text,
  at timestamptz,
  month int,
  day int,
  request_id text,
  agent_id text,
  agent_version int,
  rules_are_current boolean,
  mode text,
  service text,
  operation text,
  scope text,
  key text,
  key_hash bytea,
  wallet bigint,
  origin text,
  test_outcome text,
  reason_code text,
  result text,
  block text,
  approval json,
  grant_of json,
  audit_id text,
  actor text,
  ip text,
  data text
);

-- What a part of the batch decided about a begin. ref: the known request, the filed approval, or the reason of a block.
create type begin_decision as (
  place int,
  code int,
  ref text,
  at timestamptz,
  block text,
  reason_code text
);

-- A settle of a batch. Its result is not part of it, like a begin's payload.
create type pending_settle as (
  place int,
  workspace int,
  org_id text,
  at timestamptz,
  request_id text,
  status text,
  actual_cents bigint,
  actual_micro_cents int,
  reason_code text,
  provider_ref text,
  due_millis bigint,
  deadline_millis bigint,
  audit_id text,
  movement_id text,
  actor text,
  data text
);

-- A settle that ended its hold, or keeps it running at the provider. taken_cents: what the limits count; cost_cents: what the wallet is
-- charged, 0 in test mode; micro_cents: the fraction of a cent to add up.
create type settled_request as (
  place int,
  workspace int,
  org_id text,
  at timestamptz,
  request_id text,
  agent_id text,
  mode text,
  service text,
  operation text,
  status text,
  reason_code text,
  ceiling_cents bigint,
  taken_cents bigint,
  cost_cents bigint,
  micro_cents int,
  limits bigint[],
  wallet bigint,
  month int,
  day int,
  provider_ref text,
  audit_id text,
  movement_id text,
  actor text,
  data text
);

-- An entry of the audit log before it has its number and its hash.
create type audit_entry as (
  workspace int,
  audit_id text,
  action text,
  actor text,
  subject_type text,
  subject_id text,
  agent_id text,
  outcome text,
  reason_code text,
  cost_cents bigint,
  ip text,
  data text
);

\include ../functions;

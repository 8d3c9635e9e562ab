-- Promo codes of the hub. A deleted code keeps its row, so that its redemptions stay explained.
create table promo_codes (
  id text collate "C" primary key,
  code text not null,
  -- In upper case: codes compare without case.
  code_key text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  -- Null: without a limit.
  max_redemptions integer check (max_redemptions > 0),
  redemptions integer not null default 0 check (redemptions >= 0),
  expires_at timestamptz,
  created_by text collate "C" references users,
  created_at timestamptz not null,
  deleted_at timestamptz,
  check (redemptions <= max_redemptions)
);

create unique index promo_codes_key on promo_codes (code_key) where deleted_at is null;

-- A workspace redeems a code once, also after the code was deleted and created again.
create table promo_redemptions (
  org_id text collate "C" not null references orgs,
  code_key text collate "C" not null,
  promo_id text collate "C" not null references promo_codes,
  movement_id text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  redeemed_by text collate "C" references users,
  created_at timestamptz not null,
  primary key (org_id, code_key)
);

create index promo_redemptions_promo on promo_redemptions (promo_id);

-- Payments through a checkout session of the payment provider. The row is written before the session is created; its id is the provider's
-- idempotency key and the session's client_reference_id.
create table payments (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  amount_cents bigint not null check (amount_cents > 0),
  status text not null default 'open' check (status in ('open', 'paid', 'expired', 'failed', 'refunded', 'disputed')),
  success_url text not null,
  cancel_url text not null,
  -- The caller's idempotency key, its scope, and a hash of the request, for as long as a repeated call finds this payment by it.
  key_scope text,
  key text,
  key_hash bytea,
  session_id text collate "C",
  url text,
  -- The provider's id of the payment itself, which refunds and disputes name.
  intent_id text collate "C",
  -- Real money; null when the key and the session leave it open.
  live boolean,
  -- Why a reported payment was not credited.
  problem text,
  -- The transfer that credited the wallet: one for each payment.
  movement_id text collate "C",
  -- What refunds and disputes took back from the wallet.
  reversed_cents bigint not null default 0 check (reversed_cents between 0 and amount_cents),
  created_by text collate "C" references users,
  created_at timestamptz not null,
  paid_at timestamptz,
  poll_at timestamptz not null,
  check (reversed_cents = 0 or movement_id is not null)
);

create index payments_org on payments (org_id, id);

create unique index payments_key on payments (org_id, key_scope, key) where key is not null;

create index payments_due on payments (poll_at) where status = 'open';

create index payments_session on payments (session_id) where session_id is not null;

create index payments_intent on payments (intent_id) where intent_id is not null;

-- Refunds and disputes, each once by the provider's id, also those that are reported before their payment. kind charge: the total that the
-- provider reports as refunded of a charge.
create table payment_reversals (
  object_id text collate "C" primary key,
  intent_id text collate "C" not null,
  kind text not null check (kind in ('refund', 'charge', 'dispute')),
  amount_cents bigint not null check (amount_cents >= 0),
  state text not null check (state in ('pending', 'taken', 'returned')),
  live boolean,
  updated_at timestamptz not null
);

create index payment_reversals_intent on payment_reversals (intent_id);

-- Events of providers that were applied, inserted in the transaction that applies them.
create table provider_events (
  provider text collate "C" not null,
  event_id text collate "C" not null,
  type text not null,
  received_at timestamptz not null,
  primary key (provider, event_id)
);

create index provider_events_received on provider_events (received_at);

-- It takes one more parameter.
drop function if exists move_money(text, text, bigint, bigint, bigint, text, text, text);

set local check_function_bodies = off;

\include ../functions;

-- Chat: sessions with an agent, the tree of their messages, and turns that a hub drives step by step.
-- Spec: reference/chat.md "Turns".
create table chat_sessions (
  org_id text collate "C" not null references orgs,
  id text collate "C" primary key,
  agent_id text collate "C" not null references agents,
  -- The person who began it; null for an agent's own.
  user_id text collate "C" references users,
  title text not null,
  model text not null,
  mode text not null check (mode in ('live', 'test')),
  status text not null check (status in ('active', 'closed')),
  cost_cents bigint not null default 0,
  -- The newest message: the parent of the next one.
  head_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index chat_sessions_list on chat_sessions (org_id, id) where status = 'active';

create index chat_sessions_agent on chat_sessions (org_id, agent_id, id);

create table chat_messages (
  org_id text collate "C" not null references orgs,
  id text collate "C" primary key,
  session_id text collate "C" not null references chat_sessions,
  role text not null check (role in ('user', 'assistant')),
  -- JSON.
  parts text not null,
  parent_id text collate "C" references chat_messages,
  turn_id text collate "C",
  created_at timestamptz not null
);

create index chat_messages_session on chat_messages (org_id, session_id, id);

create table chat_turns (
  org_id text collate "C" not null references orgs,
  id text collate "C" primary key,
  session_id text collate "C" not null references chat_sessions,
  agent_id text collate "C" not null references agents,
  -- The person whose turn it is; null for an agent's own.
  user_id text collate "C" references users,
  mode text not null,
  model text not null,
  user_message_id text collate "C" not null references chat_messages,
  -- The id of the answer, which is stored when the turn ends.
  message_id text collate "C" not null,
  state text not null check (state in
    ('queued', 'running', 'waiting_approval', 'waiting_local', 'paused', 'done', 'failed', 'cancelled')),
  pause_reason text check (pause_reason in ('no_reader', 'budget', 'drain')),
  background boolean not null,
  force_approval boolean not null,
  -- JSON of the caller's tools.
  local_tools text not null default '[]',
  -- The hub that drives it; 0 while none does.
  owner int not null,
  -- Rises with each change of the owner, so that no earlier owner's write matches.
  attempt int not null default 0,
  -- Set by any hub: the turn is to stop.
  cancel_requested boolean not null default false,
  -- Raised by any hub when something that the turn waits for has changed; the owner clears it.
  woken boolean not null default false,
  -- When a stream of it was last open.
  read_at timestamptz not null,
  -- When it began to run without a pause, for its limit of time.
  resumed_at timestamptz not null,
  -- When the results of local tools are no longer awaited.
  local_until timestamptz,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  cost_cents bigint not null default 0,
  accrued_micro_cents bigint not null default 0,
  -- JSON.
  error text,
  -- Of the call that began it.
  key_scope text collate "C",
  key text collate "C",
  key_hash bytea,
  created_at timestamptz not null,
  ended_at timestamptz
);

create unique index chat_turns_open on chat_turns (session_id) where ended_at is null;

create unique index chat_turns_key on chat_turns (org_id, key_scope, key) where key is not null;

create index chat_turns_session on chat_turns (org_id, session_id, id);

create index chat_turns_moving on chat_turns (owner) where state in ('queued', 'running');

create index chat_turns_waiting on chat_turns (state) where state in ('waiting_approval', 'waiting_local', 'paused');

-- Each is written before its call is sent: a later owner finds the call by request_id.
create table chat_steps (
  org_id text collate "C" not null,
  turn_id text collate "C" not null references chat_turns,
  step int not null,
  kind text not null check (kind in ('model', 'tool', 'local', 'compact')),
  state text not null check (state in ('open', 'pending', 'done')),
  -- JSON: of a model call what it was sent; of a tool its call.
  call text not null,
  request_id text collate "C",
  approval_id text collate "C",
  -- JSON: of a model call its answer; of a tool its outcome.
  output text,
  cost_cents bigint not null default 0,
  primary key (turn_id, step)
);

create index chat_steps_request on chat_steps (request_id) where state <> 'done' and request_id is not null;

create table chat_events (
  org_id text collate "C" not null,
  turn_id text collate "C" not null references chat_turns,
  seq int not null,
  event text not null,
  data text not null,
  primary key (turn_id, seq)
);

create table chat_blobs (
  org_id text collate "C" not null references orgs,
  id text collate "C" primary key,
  session_id text collate "C" not null references chat_sessions,
  turn_id text collate "C" not null references chat_turns,
  name text not null,
  content_type text not null,
  body bytea not null,
  created_at timestamptz not null
);

create index chat_blobs_session on chat_blobs (org_id, session_id, id);

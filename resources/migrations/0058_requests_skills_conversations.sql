-- Questions of agents to people, and the answers.
create table agent_requests (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  kind text not null check (kind in ('question', 'approval', 'input', 'handoff')),
  title text not null,
  body text not null,
  options text[],
  status text not null default 'open' check (status in ('open', 'answered', 'dismissed', 'expired')),
  answer text,
  comment text,
  answered_by text collate "C" references users,
  created_at timestamptz not null,
  expires_at timestamptz,
  ended_at timestamptz,
  constraint agent_requests_end check ((status = 'open') = (ended_at is null))
);

create index agent_requests_list on agent_requests (org_id, id);

create index agent_requests_agent on agent_requests (org_id, agent_id, id);

create index agent_requests_open on agent_requests (org_id, agent_id) where status = 'open';

create index agent_requests_due on agent_requests (expires_at) where status = 'open' and expires_at is not null;

create index agent_requests_ended on agent_requests (org_id, ended_at) where status <> 'open';

-- Skills that agents propose; an accepted one that is not deleted is a custom skill.
create table skill_proposals (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  name text not null,
  description text not null,
  instructions text not null,
  operations text[] not null,
  rationale text not null,
  status text not null default 'proposed' check (status in ('proposed', 'accepted', 'rejected')),
  decided_by text collate "C" references users,
  comment text,
  created_at timestamptz not null,
  decided_at timestamptz,
  deleted_at timestamptz,
  constraint skill_proposals_decision check ((status = 'proposed') = (decided_at is null)),
  constraint skill_proposals_deletion check (deleted_at is null or status = 'accepted')
);

create index skill_proposals_agent on skill_proposals (org_id, agent_id, id);

create unique index skill_proposals_name on skill_proposals (agent_id, lower(name)) where status = 'accepted' and deleted_at is null;

-- Stored threads of messages of an agent.
create table conversations (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  agent_id text collate "C" not null references agents,
  title text not null,
  metadata text,
  message_count int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index conversations_agent on conversations (org_id, agent_id, id);

create index conversations_updated on conversations (org_id, updated_at);

create table conversation_messages (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  conversation_id text collate "C" not null references conversations on delete cascade,
  role text not null check (role in ('user', 'assistant', 'system', 'tool')),
  content text not null,
  metadata text,
  created_at timestamptz not null
);

create index conversation_messages_list on conversation_messages (org_id, conversation_id, id);

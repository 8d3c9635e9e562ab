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

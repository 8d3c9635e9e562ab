-- Prompts of model calls whose approval is pending; the request itself has only a digest.
create table model_prompts (
  org_id text collate "C" not null references orgs,
  id text collate "C" not null,
  agent_id text collate "C" not null references agents,
  body text not null,
  ends_at timestamptz not null,
  primary key (org_id, id)
);

create index model_prompts_ended on model_prompts (ends_at);

-- Lists of families, level by level, and of the delegated tasks of a workspace, newest first.
drop index agents_children;

create index agents_children on agents (org_id, parent_agent_id, id)
  where parent_agent_id is not null and deleted_at is null;

create index agents_roots on agents (org_id, id) where parent_agent_id is null and deleted_at is null;

create index delegated_tasks_org on delegated_tasks (org_id, id);

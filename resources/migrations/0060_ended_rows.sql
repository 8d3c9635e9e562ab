-- Retention of ended tasks, decided budget requests, and ended invites, each found by the time of its end.
alter table delegated_tasks add column removed_after_days integer;

create index delegated_tasks_ended on delegated_tasks (org_id, ended_at) where ended_at is not null and removed_after_days is null;

create index delegated_tasks_open on delegated_tasks (org_id, id) where ended_at is null;

create index budget_requests_decided on budget_requests (org_id, decided_at) where status <> 'pending';

create index invites_ended on invites (org_id, (coalesce(accepted_at, revoked_at, expires_at)));

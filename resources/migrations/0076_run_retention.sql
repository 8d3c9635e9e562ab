-- Runs whose values the retention has removed are not walked again.
alter table runs add column removed_after_days int;

drop index runs_ended;

create index runs_kept on runs (org_id, ended_at) where ended_at is not null and removed_after_days is null;

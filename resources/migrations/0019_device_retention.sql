-- Device commands keep inputs, plans, results and output for a number of days after they end.

alter table orgs add column device_output_days int not null default 90 check (device_output_days between 1 and 3650);

-- Set when the contents were removed: the number of days that the workspace kept them.
alter table device_commands add column removed_after_days int;

create index device_commands_kept on device_commands (org_id, done_at) where done_at is not null and removed_after_days is null;

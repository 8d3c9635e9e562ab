-- Approvals of what is no request of an agent: a device's command, bound to the plan of what would run.

alter table approvals
  alter column request_id drop not null,
  alter column agent_id drop not null,
  add column device_id text collate "C" references devices on delete cascade,
  add column command_id text collate "C" references device_commands on delete cascade,
  -- JSON text.
  add column plan text,
  add constraint approvals_kind check (case kind
    when 'service_request' then request_id is not null and agent_id is not null
    when 'device_command' then command_id is not null and device_id is not null and plan is not null
    else true end);

-- A command is asked about once.
create unique index approvals_command on approvals (command_id) where command_id is not null;

create index approvals_device on approvals (device_id, operation, id) where device_id is not null;

-- MCP servers as services: the tools as people accepted them, and when the server's list is read next.
create table mcp_servers (
  org_id text collate "C" not null,
  service text collate "C" not null,
  due_at timestamptz not null,
  -- The last read of the list that succeeded.
  refreshed_at timestamptz not null default clock_timestamp(),
  -- Why the last read failed; null when it succeeded.
  error text,
  primary key (org_id, service),
  foreign key (org_id, service) references services (org_id, name) on delete cascade
);

create index mcp_servers_due on mcp_servers (due_at);

create table mcp_tools (
  org_id text collate "C" not null,
  service text collate "C" not null,
  -- The server's name of the tool.
  tool text collate "C" not null,
  operation text collate "C" not null,
  state text not null check (state in ('pinned', 'new', 'changed', 'refused', 'removed')),
  -- Words and schemas that a person accepted, and their digest.
  pinned text,
  digest text collate "C",
  -- What the server describes now, where it differs.
  pending text,
  pending_digest text collate "C",
  refused_digest text collate "C",
  problem text,
  primary key (org_id, service, tool),
  foreign key (org_id, service) references mcp_servers on delete cascade,
  constraint mcp_tools_pinned check ((pinned is null) = (digest is null)),
  constraint mcp_tools_pending check ((pending is null) = (pending_digest is null)),
  constraint mcp_tools_state check ((state <> 'pinned' or pinned is not null) and (state <> 'changed' or pending is not null))
);

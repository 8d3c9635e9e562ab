-- Polls are claimed per workspace and operation: one index probe finds the next lane with open work, and its oldest due row.
create index holds_lanes on holds (org_id, service, operation, due_at) where phase = 2 and due_at is not null;

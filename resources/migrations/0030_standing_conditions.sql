-- Standing approvals with a condition, the requests that each let pass, and the pending approvals that a new one has still to decide.

-- CEL over the payload; null: every payload is covered.
alter table standing_approvals add column condition text;

create table standing_uses (
  org_id text collate "C" not null references orgs,
  standing_approval_id text collate "C" not null references standing_approvals,
  request_id text collate "C" not null,
  primary key (org_id, standing_approval_id, request_id)
);

-- A hold names the limits that it takes; only a standing approval adds to the four of every request. The join with standing approvals
-- keeps a hold from failing for the sake of this list.
create function note_standing_use() returns trigger language plpgsql as $$
begin
  insert into standing_uses (org_id, standing_approval_id, request_id)
    select new.org_id, s.id, new.request_id from limits x join standing_approvals s on s.org_id = x.org_id and s.id = x.operation
    where x.org_id = new.org_id and x.id = any (new.limits) and x.kind = 7
    on conflict do nothing;
  return null;
end
$$;

-- In test mode the wallet is not among a hold's limits.
create trigger holds_standing_use after insert on holds for each row
  when (cardinality(new.limits) > case new.mode when 'test' then 3 else 4 end) execute function note_standing_use();

create table standing_backlog (
  org_id text collate "C" not null references orgs,
  standing_approval_id text collate "C" not null references standing_approvals,
  approval_id text collate "C" not null references approvals,
  -- JSON of the person who created the standing approval, with the session or token that did it
  decider text not null,
  -- until then the hub that created it decides; after that any hub
  due_at timestamptz not null,
  primary key (org_id, standing_approval_id, approval_id)
);

create index standing_backlog_due on standing_backlog (due_at);

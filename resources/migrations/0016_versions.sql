-- Edit versions: raised in the transaction of each change a person makes to the object, and compared with `expected_version`. Policies have
-- theirs since 0001. An agent's is a column of its own because `agents.version` is raised by key rotation, bindings, and standing approvals
-- too, which would cause false conflicts in an edit of its name or budget.
alter table agents add column edit_version int not null default 1;

alter table orgs add column version int not null default 1;

alter table bindings add column version int not null default 1;

alter table services add column version int not null default 1;

-- A shipped service without a row here is at version 1.
alter table service_settings add column version int not null default 1;

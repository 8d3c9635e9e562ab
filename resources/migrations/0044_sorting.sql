-- Lists of approvals by amount and by expiry.
create index approvals_amount on approvals (org_id, cost_cents, id);

create index approvals_expiry on approvals (org_id, expires_at, id);

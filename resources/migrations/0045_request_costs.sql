-- Lists of requests by cost.
create index settlements_cost on settlements (org_id, cost_cents, request_id);

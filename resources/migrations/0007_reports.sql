-- Indexes of what is read for people: usage by the time of execution, an agent's part of the log, movements that are no debits of requests.

create index settlements_completed on settlements (org_id, completed_at, request_id);

create index audit_agent on audit (org_id, agent_id, seq) where agent_id is not null;

create index movements_transfers on movements (org_id, id) where cause_type <> 'service_request';

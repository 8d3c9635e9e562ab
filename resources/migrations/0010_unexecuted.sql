-- Most requests are executed, and a page of those is found in the order of their ids; only the others need an index to be found by status.

drop index settlements_status;

create index settlements_unexecuted on settlements (org_id, status, request_id) where status <> 'executed';

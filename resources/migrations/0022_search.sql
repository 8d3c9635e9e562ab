-- What requests are searched by: id, operation and the beginning of the payload. Written after the commit by a worker that follows the log
-- of a workspace, so that the tick does not pay for the index. Partitioned and removed like the requests themselves.
create table request_texts (
  org_id text collate "C" not null,
  request_id text collate "C" not null,
  text text not null,
  primary key (org_id, request_id)
) partition by range (request_id);

create table request_texts_default partition of request_texts default;

-- Up to which entry of a workspace's log its requests can be searched.
create table search_positions (
  org_id text collate "C" primary key references orgs,
  seq bigint not null
) with (fillfactor = 50);

-- A server may lack the extensions or the right to create them: then a search reads a bounded number of requests, and doctor says so.
do $$
begin
  create extension if not exists pg_trgm;
  create extension if not exists btree_gin;
  create index request_texts_search on request_texts using gin (org_id, text gin_trgm_ops);
exception when others then
  raise notice 'searches go without an index: %', sqlerrm;
end
$$;

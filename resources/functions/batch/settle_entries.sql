-- The audit entries of settlements, and of requests that run on at their provider.
create or replace function settle_entries(p_settled settled_request[]) returns audit_entry[] language plpgsql as $$
begin
  if p_settled = '{}' then return '{}'; end if;
  return array(
    select row(
        settled.workspace,
        settled.audit_id,
        'service_request.' || settled.status,
        settled.actor,
        'service_request',
        settled.request_id,
        settled.agent_id,
        settled.status,
        settled.reason_code,
        case when settled.status = 'executed' then settled.cost_cents end,
        null,
        settled.data
      )::audit_entry
      from unnest(p_settled) as settled
      order by settled.place
  );
end
$$;

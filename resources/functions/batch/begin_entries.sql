-- The audit entries of refused begins, and of those that require approval.
create or replace function begin_entries(p_begins pending_begin[], p_codes int[], p_refs text[], p_reasons text[])
  returns audit_entry[] language plpgsql as $$
begin
  if not p_codes && array[begin_code('approval_required'), begin_code('blocked'), begin_code('failed')] then return '{}'; end if;
  return array(
    select row(
        pending.workspace,
        pending.audit_id,
        'service_request.' || decided.outcome,
        pending.actor,
        'service_request',
        pending.request_id,
        pending.agent_id,
        decided.outcome,
        p_reasons[pending.place],
        null,
        pending.ip,
        case
          when decided.outcome = 'approval_required'
            then left(pending.data, -1) || ',"approval_id":"' || p_refs[pending.place] || '"}'
          else pending.data
        end
      )::audit_entry
      from unnest(p_begins) as pending
        cross join lateral (
          select case p_codes[pending.place]
            when begin_code('approval_required') then 'approval_required'
            else refused_status(p_codes[pending.place])
          end as outcome
        ) as decided
      where decided.outcome is not null
      order by pending.place
  );
end
$$;

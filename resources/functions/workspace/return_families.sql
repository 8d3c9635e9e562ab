-- A part of return_time: agents and tasks that were created or ended ahead of p_at. Returns the ids of those that ended in a later month.
create or replace function return_families(p_org text, p_at timestamptz, p_month int) returns text[] language plpgsql as $$
declare
  v_ended text[];
begin
  -- Agents and tasks that ended ahead of time ended in this month: their requests of this month count as those of their parents.
  select coalesce(array_agg(ended.id), '{}')
    into v_ended
    from (
      select id from agents where org_id = p_org and ended_month > p_month
      union all
      select id from delegated_tasks where org_id = p_org and ended_month > p_month
    ) as ended;
  update agents set ended_month = p_month where org_id = p_org and ended_month > p_month;
  update agents set ends_at = p_at + (ends_at - created_at) where org_id = p_org and ends_at is not null and created_at > p_at;
  update delegated_tasks set
      created_at = least(created_at, p_at),
      started_at = least(started_at, p_at),
      ended_at = least(ended_at, p_at),
      ended_month = least(ended_month, p_month)
    where org_id = p_org and (created_at > p_at or started_at > p_at or ended_at > p_at or ended_month > p_month);
  update holds as hold set limits = array_replace(hold.limits, own.id, heir.id)
    from limits as own
      join limits as heir
        on heir.org_id = own.org_id
        and heir.kind = limit_kind('agent_month')
        and heir.mode = own.mode
        and heir.agent_id = month_holder(
          p_org, case when own.kind = limit_kind('task_month') then own.operation else own.agent_id end, p_month
        )
    where hold.org_id = p_org
      and hold.month = p_month
      and own.org_id = p_org
      and own.id = any (hold.limits)
      and (
        own.kind = limit_kind('agent_month') and own.agent_id = any (v_ended)
        or own.kind = limit_kind('task_month') and own.operation = any (v_ended)
      );
  return v_ended;
end
$$;

-- The agent or task in whose month the requests of an agent or task of this month count: an ended one's count as those of its parent.
create or replace function month_holder(p_org text, p_holder text, p_month int) returns text language plpgsql stable as $$
declare
  v_holder text := p_holder;
  v_heir text;
begin
  loop
    v_heir := coalesce(
      (
        select own.parent_agent_id
          from agents as own
          where own.org_id = p_org and own.id = v_holder and own.ended_month = p_month
      ),
      (
        select task.from_agent_id
          from delegated_tasks as task
          where task.org_id = p_org and task.id = v_holder and task.ended_month = p_month
      )
    );
    if v_heir is null then return v_holder; end if;
    v_holder := v_heir;
  end loop;
end
$$;

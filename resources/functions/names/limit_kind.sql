-- The kinds of limits, as limits.kind stores them. An unknown name raises an error.
create or replace function limit_kind(p_name text) returns smallint language plpgsql immutable as $$
begin
  case p_name
    when 'wallet' then return 1;
    when 'agent_month' then return 2;
    when 'operation_month' then return 3;
    when 'operation_day_count' then return 4;
    when 'task_budget' then return 5;
    when 'standing_total' then return 6;
    when 'standing_uses' then return 7;
    when 'revenue' then return 8;
    when 'external' then return 9;
    -- what a delegated task uses and holds in a month; it has no cap
    when 'task_month' then return 10;
    -- what a pool or an allocation paid in a month
    when 'wallet_month' then return 12;
  end case;
end
$$;

-- The hub's decision about a begin, before the limits are checked. An unknown name raises an error.
create or replace function verdict_code(p_name text) returns int language plpgsql immutable as $$
begin
  case p_name
    when 'admit' then return 1;
    when 'wait' then return 2;
    when 'blocked' then return 3;
    when 'failed' then return 4;
  end case;
end
$$;

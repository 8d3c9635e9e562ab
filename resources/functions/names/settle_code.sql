-- Results of a settle. An unknown name raises an error.
create or replace function settle_code(p_name text) returns int language plpgsql immutable as $$
begin
  case p_name
    when 'done' then return 200;
    -- by an earlier call, whose reply was lost
    when 'done_before' then return 207;
    -- not open: the stored settlement is another's
    when 'not_open' then return 208;
    -- another transaction has the workspace's lock
    when 'locked' then return 423;
  end case;
end
$$;

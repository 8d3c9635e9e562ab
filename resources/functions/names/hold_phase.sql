-- Phases of a hold: reserved by a hub, which may or may not have sent the request; running at a provider. An unknown name raises an error.
create or replace function hold_phase(p_name text) returns smallint language plpgsql immutable as $$
begin
  case p_name
    when 'reserved' then return 1;
    when 'running' then return 2;
  end case;
end
$$;

-- Results of a begin. An unknown name raises an error.
create or replace function begin_code(p_name text) returns int language plpgsql immutable as $$
begin
  case p_name
    -- only inside of a batch, until a part decides
    when 'undecided' then return 0;
    when 'admitted' then return 200;
    when 'approval_required' then return 202;
    -- by an earlier call of the same owner, whose reply was lost
    when 'admitted_before' then return 207;
    -- by its key or its id; the reference is the stored request
    when 'known' then return 208;
    when 'failed' then return 400;
    when 'blocked' then return 402;
    -- the key belongs to another payload
    when 'conflict' then return 409;
    -- the approval that should admit it is not pending any more
    when 'not_pending' then return 410;
    -- decided on an old configuration
    when 'stale' then return 412;
    -- another transaction has the workspace's lock
    when 'locked' then return 423;
  end case;
end
$$;

-- Begins a turn with its first model call and its first events, in the transaction of one statement. The caller decided on rows that it read
-- before: the result is false, and nothing is written, unless they are still the same under the workspace's lock. p_member: the person who begins
-- it. p_message: a new message of the person; null if the turn answers an older one, p_answered.
create or replace function begin_turn(
  p_org text,
  p_member text,
  p_session text,
  p_seen_head text,
  p_seen_title text,
  p_seen_model text,
  p_seen_owner text,
  p_seen_team text,
  p_turn text,
  p_agent text,
  p_user text,
  p_mode text,
  p_model text,
  p_answered text,
  p_message text,
  p_parent text,
  p_parts text,
  p_title text,
  p_answer text,
  p_background boolean,
  p_force_approval boolean,
  p_local_tools text,
  p_owner integer,
  p_key_scope text,
  p_key text,
  p_key_hash bytea,
  p_step_kind text,
  p_step_call text,
  p_step_request text,
  p_events text[],
  p_event_data text[],
  p_audit text,
  p_action text,
  p_actor_type text,
  p_actor_id text,
  p_actor_name text,
  p_actor_ip text,
  p_audit_data text
) returns boolean language plpgsql set plan_cache_mode to 'force_generic_plan' as $$
declare
  v_at timestamptz;
begin
  -- Memberships are locked before the workspace, as everywhere.
  if p_member is not null then
    perform from memberships as member where member.org_id = p_org and member.user_id = p_member for share;
    if not found then return false; end if;
  end if;
  v_at := lock_org(p_org);
  perform
    from chat_sessions as session
    where session.org_id = p_org
      and session.id = p_session
      and session.status = 'active'
      and session.head_id is not distinct from p_seen_head
      and session.title = p_seen_title
      and session.model = p_seen_model
    for no key update;
  if not found then return false; end if;
  perform
    from agents as agent
    where agent.org_id = p_org
      and agent.id = p_agent
      and agent.owner_user_id is not distinct from p_seen_owner
      and agent.team_id is not distinct from p_seen_team;
  if not found then return false; end if;
  if exists (select from chat_turns as turn where turn.session_id = p_session and turn.ended_at is null) then return false; end if;
  if p_key is not null and exists (
    select from chat_turns as turn where turn.org_id = p_org and turn.key_scope = p_key_scope and turn.key = p_key
  ) then
    return false;
  end if;
  if p_message is not null then
    insert into chat_messages (org_id, id, session_id, role, parts, parent_id, turn_id, created_at)
      values (p_org, p_message, p_session, 'user', p_parts, p_parent, p_turn, v_at);
    update chat_sessions as session
      set head_id = p_message, title = coalesce(p_title, session.title), updated_at = v_at
      where session.org_id = p_org
        and session.id = p_session;
  end if;
  insert into chat_turns (
      org_id, id, session_id, agent_id, user_id, mode, model, user_message_id, message_id, state, background, force_approval, local_tools,
      owner, attempt, read_at, resumed_at, key_scope, key, key_hash, created_at
    )
    values (
      p_org, p_turn, p_session, p_agent, p_user, p_mode, p_model, p_answered, p_answer, 'running', p_background, p_force_approval,
      p_local_tools, p_owner, 1, v_at, v_at, p_key_scope, p_key, p_key_hash, v_at
    );
  insert into chat_steps (org_id, turn_id, step, kind, state, call, request_id)
    values (p_org, p_turn, 0, p_step_kind, 'open', p_step_call, p_step_request);
  insert into chat_events (org_id, turn_id, seq, event, data)
    select p_org, p_turn, event.seq, event.name, event.data
      from unnest(p_events, p_event_data) with ordinality as event(name, data, seq);
  perform append_audit(
    p_org, p_audit, p_action, p_actor_type, p_actor_id, p_actor_name, 'chat_session', p_session, p_agent, null, null, null,
    p_actor_ip, p_audit_data
  );
  return true;
end
$$;

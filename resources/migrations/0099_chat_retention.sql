-- Sessions by their last change, for retention.
create index chat_sessions_updated on chat_sessions (org_id, updated_at);

create index chat_messages_parent on chat_messages (parent_id) where parent_id is not null;

create index chat_turns_user_message on chat_turns (user_message_id);

create index chat_blobs_turn on chat_blobs (turn_id);

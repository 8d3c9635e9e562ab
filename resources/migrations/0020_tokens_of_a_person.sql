-- Tokens are limited in number by person, in all workspaces together.
create index tokens_person on tokens (user_id, expires_at);

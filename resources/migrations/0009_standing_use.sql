-- When a standing approval last let a request pass: told to people, decided on by nobody, so it is written beside the tick.
alter table standing_approvals add column last_used_at timestamptz;

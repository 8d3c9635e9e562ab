-- Tries of a pending approval that failed for no known reason: after a bound it is left to a person.
alter table standing_backlog add column tries integer not null default 0;

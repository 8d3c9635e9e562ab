-- The oldest version of a hub that works with this schema although it does not know all migrations; null: none does. A
-- start that runs migrations resets it, and a migration that older hubs tolerate sets it again.
alter table hub add column min_version text;

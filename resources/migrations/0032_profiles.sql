-- What people set for themselves: the IANA time zone and the language tag that clients show times by. Null: the client's own.
alter table users add column time_zone text;

alter table users add column locale text;

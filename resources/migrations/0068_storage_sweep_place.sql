-- How far the sweep's check of all objects came: it continues after this name in the next hour, at the start if it is empty.
alter table storage_sweep add column place text collate "C" not null default '';

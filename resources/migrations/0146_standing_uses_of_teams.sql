-- A standing approval adds two limits to the four of every request (three in test mode, without the wallet). The trigger also ran for every
-- request that a team pays for, which has one more: the month of the pool or allocation.
create or replace trigger holds_standing_use after insert on holds for each row
  when (cardinality(new.limits) > case new.mode when 'test' then 4 else 5 end) execute function note_standing_use();

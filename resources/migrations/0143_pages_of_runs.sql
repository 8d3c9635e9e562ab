-- A run and its steps change several times soon after they were inserted: with room in the page, a change writes no index.
do $$
declare
  v_partition regclass;
begin
  for v_partition in
    select inhrelid::regclass from pg_inherits where inhparent in ('runs'::regclass, 'run_steps'::regclass)
  loop
    execute format('alter table %s set (fillfactor = 50)', v_partition);
  end loop;
end
$$;

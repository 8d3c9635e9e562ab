-- A batch answers how long it waited for its workspaces' locks, in milliseconds (o_waited): its hub gathers as long before the next one.
-- One more answer changes the type of its row, so the function is dropped and created from the text that earlier migrations left.
do $$
declare
  v_tick text := pg_get_functiondef('tick'::regproc);
  v_out text := 'OUT o_s_cents double precision[])';
  v_before text := '  if v_alone then
    if p_wait then perform 1 from org_heads';
  v_after text := '  -- Who waited for a lock and did not get it';
begin
  if position(v_out in v_tick) = 0 or position(v_before in v_tick) = 0 or position(v_after in v_tick) = 0 then
    raise exception 'tick does not take its locks as expected';
  end if;
  v_tick := replace(v_tick, v_out, 'OUT o_s_cents double precision[], OUT o_waited double precision)');
  v_tick := replace(v_tick, v_before, '  o_waited := extract(epoch from clock_timestamp());
' || v_before);
  v_tick := replace(v_tick, v_after, '  o_waited := 1000 * (extract(epoch from clock_timestamp()) - o_waited);
' || v_after);
  execute format('drop function tick(%s)', pg_get_function_identity_arguments('tick'::regproc));
  execute v_tick;
end
$$;

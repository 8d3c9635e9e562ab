-- Saves the changed steps and the replaced attempts of these runs. See save_runs. No step starts or ends before p_from, which the time of the hub
-- that decided it may be.
create or replace function save_run_steps(p_steps json, p_past json, p_from timestamptz, p_texts text[], p_run_ids text[])
  returns void language plpgsql as $$
begin
  insert into run_steps as step (
      org_id, run_id, label, rev, status, attempt, tries, phase, ref, due_at, timeout_at, stopping, left_open, cost_cents, input, output, error,
      started_at, ended_at
    )
    select
        save.org_id,
        save.run_id,
        save.label,
        save.rev,
        save.status,
        save.attempt,
        save.tries,
        save.phase,
        save.ref,
        to_timestamp(save.due_at / 1000),
        to_timestamp(save.timeout_at / 1000),
        save.stopping,
        save.left_open,
        save.cost_cents,
        p_texts[save.input],
        p_texts[save.output],
        p_texts[save.error],
        case when save.started_at is not null then greatest(to_timestamp(save.started_at / 1000), p_from) end,
        case when save.ended_at is not null then greatest(to_timestamp(save.ended_at / 1000), p_from) end
      from json_to_recordset(p_steps) as save(
        org_id text, run_id text, label text, rev int, status text, attempt int, tries int, phase text, ref text, due_at float8,
        timeout_at float8, stopping text, left_open boolean, cost_cents bigint, input int, output int, error int, started_at float8,
        ended_at float8
      )
      where save.run_id = any (p_run_ids)
    on conflict (run_id, label) do update set
      rev = excluded.rev,
      status = excluded.status,
      attempt = excluded.attempt,
      tries = excluded.tries,
      phase = excluded.phase,
      ref = excluded.ref,
      due_at = excluded.due_at,
      timeout_at = excluded.timeout_at,
      stopping = excluded.stopping,
      left_open = excluded.left_open,
      cost_cents = excluded.cost_cents,
      input = excluded.input,
      output = excluded.output,
      error = excluded.error,
      started_at = excluded.started_at,
      ended_at = excluded.ended_at;
  if json_array_length(p_past) > 0 then
    insert into run_attempts (org_id, run_id, label, attempt, status, ref, error, started_at, ended_at)
      select
          past.org_id,
          past.run_id,
          past.label,
          past.attempt,
          past.status,
          past.ref,
          p_texts[past.error],
          to_timestamp(past.started_at / 1000),
          to_timestamp(past.ended_at / 1000)
        from json_to_recordset(p_past) as past(
          org_id text, run_id text, label text, attempt int, status text, ref text, error int, started_at float8, ended_at float8
        )
        where past.run_id = any (p_run_ids)
      on conflict do nothing;
  end if;
end
$$;

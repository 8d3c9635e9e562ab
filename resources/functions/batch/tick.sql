-- One batch: decides and writes begins and settles of any number of workspaces in one transaction.
--
-- A column of begins or settles is an array; '{}' is a column without values. begin_limits, in the order in which an exceeded one is
-- reported: operation's day, operation's month, agent's month, wallet, standing approval's. begin_checked_limit: one of them that is
-- checked and never taken (the wallet in test mode). begin_approval: JSON of the approval to file; begin_grant: JSON of the approval that
-- admits an existing request, with its decider. settle_cents and settle_micro_cents: the actual cost, clamped to 0 … ceiling.
--
-- p_wait: wait for the workspaces' locks; p_again: an earlier call of some entries may have been committed. Results are those of begin_code
-- and settle_code; times are milliseconds since 1970.
create or replace function tick(
  p_owner int,
  p_wait boolean,
  p_again boolean,
  begin_request_id text[],
  begin_org_id text[],
  begin_agent_id text[],
  begin_agent_version int[],
  begin_rules_version int[],
  begin_mode text[],
  begin_service text[],
  begin_operation text[],
  begin_scope text[],
  begin_key text[],
  begin_key_hash text[],
  begin_verdict int[],
  begin_ceiling_cents bigint[],
  begin_limits text[],
  begin_wallet bigint[],
  begin_checked_limit bigint[],
  begin_payload text[],
  begin_reason_code text[],
  begin_result text[],
  begin_block text[],
  begin_approval text[],
  begin_origin text[],
  begin_test_outcome text[],
  begin_grant text[],
  begin_audit_id text[],
  begin_actor text[],
  begin_ip text[],
  begin_data text[],
  settle_request_id text[],
  settle_org_id text[],
  settle_status text[],
  settle_cents bigint[],
  settle_micro_cents int[],
  settle_reason_code text[],
  settle_result text[],
  settle_provider_ref text[],
  settle_due_millis bigint[],
  settle_deadline_millis bigint[],
  settle_audit_id text[],
  settle_movement_id text[],
  settle_actor text[],
  settle_data text[],
  out begin_codes int[],
  out begin_refs text[],
  out begin_times float8[],
  out begin_blocks text[],
  out settle_codes int[],
  out settle_times float8[],
  out settle_costs float8[]
) language plpgsql as $$
declare
  v_begin_count int := cardinality(begin_request_id);
  v_settle_count int := cardinality(settle_request_id);
  v_workspaces locked_workspace[];
  v_begins pending_begin[] := '{}';
  v_settles pending_settle[] := '{}';
  v_settled settled_request[] := '{}';
  v_entries audit_entry[];
  v_reasons text[] := begin_reason_code;
begin
  v_workspaces := lock_workspaces(begin_org_id || settle_org_id, p_wait);
  -- These results stay for entries whose workspace is locked by another transaction, or does not exist.
  begin_codes := array_fill(case when p_wait then begin_code('stale') else begin_code('locked') end, array[v_begin_count]);
  begin_refs := array_fill(null::text, array[v_begin_count]);
  begin_times := array_fill(null::float8, array[v_begin_count]);
  begin_blocks := array_fill(null::text, array[v_begin_count]);
  settle_codes := array_fill(case when p_wait then settle_code('not_open') else settle_code('locked') end, array[v_settle_count]);
  settle_times := array_fill(null::float8, array[v_settle_count]);
  settle_costs := array_fill(null::float8, array[v_settle_count]);
  if v_workspaces is null then return; end if;

  -- Settles come first: begins may take what they give back.
  if v_settle_count > 0 then
    v_settles := array(
      select row(
          n, workspace.place, workspace.org_id, workspace.at, settle_request_id[n], settle_status[n], settle_cents[n],
          settle_micro_cents[n], settle_reason_code[n], settle_provider_ref[n], settle_due_millis[n], settle_deadline_millis[n],
          settle_audit_id[n], settle_movement_id[n], settle_actor[n], settle_data[n]
        )::pending_settle
        from generate_series(1, v_settle_count) as n
          join unnest(v_workspaces) with ordinality as workspace(org_id, at, month, day, rules_version, seq, head, place)
            on workspace.org_id = settle_org_id[n]
        order by n
    );
    if 'running' = any (settle_status) then
      v_settled := continue_running(v_settles, settle_result);
    end if;
    v_settled := v_settled || settle_holds(v_settles, settle_result);
    select answered.*
      into settle_codes, settle_times, settle_costs
      from answer_settles(p_again, v_settles, v_settled, settle_codes, settle_times, settle_costs) as answered;
  end if;

  if v_begin_count > 0 then
    v_begins := array(
      select row(
          n, workspace.place, begin_verdict[n], begin_ceiling_cents[n], begin_limits[n], begin_checked_limit[n], workspace.org_id,
          workspace.at, workspace.month, workspace.day, begin_request_id[n], begin_agent_id[n], begin_agent_version[n],
          begin_rules_version[n] = workspace.rules_version, begin_mode[n], begin_service[n], begin_operation[n], begin_scope[n],
          begin_key[n], decode(begin_key_hash[n], 'hex'), begin_wallet[n], begin_origin[n], begin_test_outcome[n], begin_reason_code[n],
          begin_result[n], begin_block[n], begin_approval[n], begin_grant[n], begin_audit_id[n], begin_actor[n], begin_ip[n],
          begin_data[n]
        )::pending_begin
        from generate_series(1, v_begin_count) as n
          join unnest(v_workspaces) with ordinality as workspace(org_id, at, month, day, rules_version, seq, head, place)
            on workspace.org_id = begin_org_id[n]
        order by n
    );
    select decided.*
      into begin_codes, begin_refs, begin_times, begin_blocks, v_reasons
      from decide_begins(p_owner, p_again, v_begins, begin_codes, begin_refs, begin_times, begin_blocks, v_reasons) as decided;
    perform record_begins(p_owner, v_begins, begin_codes, v_reasons, begin_blocks, begin_payload);
  end if;

  perform count_usage(v_settled, v_begins, begin_codes);
  -- Grants first, then settlements, then refused and pending requests, each in the order of the batch.
  v_entries := settle_entries(v_settled) || begin_entries(v_begins, begin_codes, begin_refs, v_reasons);
  if cardinality(begin_grant) > 0 then
    v_entries := grant_entries(v_begins, begin_codes) || v_entries;
  end if;
  perform record_entries(v_workspaces, v_entries);
end
$$;

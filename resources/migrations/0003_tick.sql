-- The money core: one call decides and writes everything that waits, under the locks of its workspaces. Rules of speed and of stable
-- plans: a big table is touched once, by primary key; all else is arrays against small tables. Variables carry a prefix (v_, l_ for
-- locked workspaces, x_ for limits), so that none is named like a column.

create function period_of(p_kind smallint, p_month int, p_day int) returns int language sql immutable as $$
  select case when p_kind in (2, 3) then p_month when p_kind = 4 then p_day else 0 end
$$;

create function month_of(t timestamptz) returns int language sql immutable as $$
  select extract(year from t at time zone 'utc')::int * 12 + extract(month from t at time zone 'utc')::int
$$;

create function day_of(t timestamptz) returns int language sql immutable as $$ select floor(extract(epoch from t) / 86400)::int $$;

create function wire_time(t timestamptz) returns text language sql immutable as $$
  select to_char(t at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The leaf of an audit entry: sha256 over its fields, absent ones empty, parted by U+001F (README, "Audit chain").
create function audit_leaf(p_seq bigint, p_at text, p_id text, p_action text, p_actor_type text, p_actor_id text, p_actor_name text,
  p_subject_type text, p_subject_id text, p_agent text, p_outcome text, p_reason text, p_cost bigint, p_ip text, p_data text)
  returns bytea language plpgsql immutable as $$
begin
  return sha256(convert_to(p_seq || e'\x1f' || p_at || e'\x1f' || p_id || e'\x1f' || p_action || e'\x1f' || p_actor_type || e'\x1f' ||
    p_actor_id || e'\x1f' || p_actor_name || e'\x1f' || coalesce(p_subject_type, '') || e'\x1f' || coalesce(p_subject_id, '') || e'\x1f' ||
    coalesce(p_agent, '') || e'\x1f' || coalesce(p_outcome, '') || e'\x1f' || coalesce(p_reason, '') || e'\x1f' ||
    coalesce(p_cost::text, '') || e'\x1f' || coalesce(p_ip, '') || e'\x1f' || p_data, 'UTF8'));
end
$$;

-- Locks a workspace and answers its time: never before what it has seen. Every change of money, limits or audit outside the tick begins so.
create function lock_org(p_org text) returns timestamptz language plpgsql as $$
declare v_at timestamptz;
begin
  perform 1 from org_heads where org_id = p_org for update;
  update org_heads set last_at = greatest(date_trunc('milliseconds', clock_timestamp()), last_at) where org_id = p_org returning last_at into v_at;
  if v_at is null then raise exception 'no workspace %', p_org; end if;
  return v_at;
end
$$;

-- Appends one entry to a workspace's chain; the caller's transaction holds its lock from here on.
create function append_audit(p_org text, p_id text, p_action text, p_actor_type text, p_actor_id text, p_actor_name text,
  p_subject_type text, p_subject_id text, p_agent text, p_outcome text, p_reason text, p_cost bigint, p_ip text, p_data text)
  returns bigint language plpgsql as $$
declare v_at timestamptz := lock_org(p_org); v_seq bigint; v_head bytea; v_hash bytea;
begin
  select seq + 1, head into v_seq, v_head from org_heads where org_id = p_org;
  v_hash := sha256(v_head || audit_leaf(v_seq, wire_time(v_at), p_id, p_action, p_actor_type, p_actor_id, p_actor_name, p_subject_type,
    p_subject_id, p_agent, p_outcome, p_reason, p_cost, p_ip, p_data));
  insert into audit (org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code,
    cost_cents, ip, data, created_at, prev_hash, hash) values (p_org, v_seq, p_id, p_action, p_actor_type, p_actor_id, p_actor_name,
    p_subject_type, p_subject_id, p_agent, p_outcome, p_reason, p_cost, p_ip, p_data, v_at, v_head, v_hash);
  update org_heads set seq = v_seq, head = v_hash where org_id = p_org;
  return v_seq;
end
$$;

-- Moves money between two accounts of a workspace (rows of limits), under its lock. A wallet's balance is cap - used, revenue's is used,
-- external's is -used. Answers false when the debited wallet has not that much free.
create function move_money(p_org text, p_id text, p_debit bigint, p_credit bigint, p_amount bigint, p_cause_type text, p_cause_id text,
  p_note text) returns boolean language plpgsql as $$
declare v_at timestamptz := lock_org(p_org); v_debit bigint; v_credit bigint;
begin
  update limits set cap = case when kind = 1 then cap - p_amount else cap end, used = case when kind = 1 then used when kind = 9 then used + p_amount else used - p_amount end
    where org_id = p_org and id = p_debit and (kind <> 1 or cap - used - held >= p_amount)
    returning case kind when 1 then cap - used when 9 then -used else used end into v_debit;
  if v_debit is null then return false; end if;
  update limits set cap = case when kind = 1 then cap + p_amount else cap end, used = case when kind = 1 then used when kind = 9 then used - p_amount else used + p_amount end
    where org_id = p_org and id = p_credit returning case kind when 1 then cap - used when 9 then -used else used end into v_credit;
  if v_credit is null then raise exception 'no account % in workspace %', p_credit, p_org; end if;
  insert into movements (org_id, id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after, cause_type, cause_id, note,
    created_at) values (p_org, p_id, p_debit, p_credit, p_amount, v_debit, v_credit, p_cause_type, p_cause_id, p_note, v_at);
  return true;
end
$$;

-- Why a limit stopped a request, as the answer's block tells it.
create function block_of(x limits, p_org text, p_month int, p_day int) returns text language plpgsql stable as $$
declare v_used bigint := case when x.period = period_of(x.kind, p_month, p_day) then x.used else 0 end;
  v_held bigint := case when x.period = period_of(x.kind, p_month, p_day) then x.held else 0 end;
  v_limit text := case x.kind when 1 then 'wallet' when 2 then 'agent_month' when 3 then 'operation_month' when 4 then 'operation_day_count' when 5 then 'task_budget' else 'standing_approval' end;
  v_resets text := case x.kind when 4 then wire_time(to_timestamp((p_day + 1) * 86400::bigint))
    when 2 then wire_time(make_timestamptz((p_month) / 12, p_month % 12 + 1, 1, 0, 0, 0, 'UTC'))
    when 3 then wire_time(make_timestamptz((p_month) / 12, p_month % 12 + 1, 1, 0, 0, 0, 'UTC')) end;
begin
  return json_strip_nulls(json_build_object('limit', v_limit,
    'scope', case x.kind when 1 then json_build_object('type', coalesce(x.service, 'org'), 'id', coalesce(x.operation, p_org))
      when 2 then json_build_object('type', 'agent', 'id', x.agent_id) else json_build_object('type', 'operation', 'id', x.service || '.' || x.operation) end,
    'limit_cents', case when x.kind <> 4 then x.cap end, 'spent_cents', case when x.kind <> 4 then v_used end, 'held_cents', case when x.kind <> 4 then v_held end,
    'limit_count', case when x.kind = 4 then x.cap end, 'used_count', case when x.kind = 4 then v_used + v_held end,
    'resets_at', v_resets,
    'next_action', json_build_object('kind', case x.kind when 1 then 'top_up' when 4 then 'wait' else 'budget_request' end)))::text;
end
$$;

-- Takes a set of limits for one request, or tells the first that is too tight, in the order given. p_take false only looks; p_skip is looked at, never taken.
create function reserve_one(p_limits bigint[], p_skip bigint, p_ceiling bigint, p_month int, p_day int, p_at timestamptz, p_take boolean)
  returns bigint language plpgsql as $$
declare v_bad bigint;
begin
  -- A period never goes back: a clock that was set back must not open a cap that is used up.
  if exists (select 1 from limits x where x.id = any (p_limits) and x.period > period_of(x.kind, p_month, p_day)) then
    raise exception 'limits % count a later period than that of %', p_limits, p_at;
  end if;
  select k.id into v_bad from unnest(p_limits) with ordinality k(id, n) left join limits x on x.id = k.id
    where x.id is null or x.valid_until <= p_at or (x.cap is not null and (x.kind in (4, 7) or p_ceiling > 0) and
      case when x.period = period_of(x.kind, p_month, p_day) then x.used + x.held else 0 end + x.committed +
      case when x.kind in (4, 7) then 1 else p_ceiling end > x.cap) order by k.n limit 1;
  if v_bad is not null or not p_take then return v_bad; end if;
  update limits x set used = case when x.period = period_of(x.kind, p_month, p_day) then x.used else 0 end,
    held = case when x.period = period_of(x.kind, p_month, p_day) then x.held else 0 end + case when x.kind in (4, 7) then 1 else p_ceiling end,
    period = period_of(x.kind, p_month, p_day) where x.id = any (p_limits) and x.id is distinct from p_skip;
  return null;
end
$$;

-- One tick.
--
-- Begins (b_): verdict 1 admit, 2 wait for approval, 3 blocked, 4 failed. The hub decided it on the agent's and the rules' version that it
-- names. b_limits, in the order of telling: day, operation's month, agent's month, wallet, standing approval's. b_check: one of them that
-- is looked at and never taken (a test key's wallet). b_wait: JSON of the approval to file { id, threshold_cents, reason, policy_id,
-- required, deciders, life_seconds, digest, filed_by }. b_granted: the approval that lets an existing request begin, with its decider.
-- Settles (s_): status executed | failed | blocked | running. s_cents and s_micro: the actual, already clamped to 0..ceiling.
--
-- Answers per begin (o_b): 200 admitted, 202 waits, 402 blocked, 400 failed, 207 admitted by an earlier call whose reply was lost, 208 known
-- by its key or its id (o_b_ref), 409 key of another payload, 410 approval not pending, 412 decided on an old configuration, 423 workspace
-- locked by another; per settle (o_s): 200 done, 207 done by an earlier call whose reply was lost, 208 not open any more (the settlement
-- that stands is another's), 423. Times are milliseconds since 1970.
create function tick(p_owner int, p_wait boolean, p_again boolean,
  b_id text[], b_org text[], b_agent text[], b_version int[], b_rules int[], b_mode text[], b_service text[], b_operation text[],
  b_scope text[], b_key text[], b_hash text[], b_verdict int[], b_ceiling bigint[], b_limits text[], b_wallet bigint[], b_check bigint[],
  b_payload text[], b_reason text[], b_result text[], b_block text[], b_wait text[], b_origin text[], b_script text[], b_granted text[],
  b_audit text[], b_actor text[], b_ip text[], b_data text[],
  s_id text[], s_org text[], s_status text[], s_cents bigint[], s_micro int[], s_reason text[], s_result text[], s_ref text[],
  s_due bigint[], s_deadline bigint[], s_audit text[], s_move text[], s_actor text[], s_data text[],
  out o_b int[], out o_b_ref text[], out o_b_at float8[], out o_b_block text[], out o_s int[], out o_s_at float8[], out o_s_cents float8[])
  language plpgsql as $$
declare
  nb int := coalesce(cardinality(b_id), 0);
  ns int := coalesce(cardinality(s_id), 0);
  v_orgs text[]; v_one text := coalesce(b_org[1], s_org[1]);
  -- Mostly all is of one workspace: no sets are made of one row.
  v_alone boolean := coalesce(v_one = all (coalesce(b_org, '{}')) and v_one = all (coalesce(s_org, '{}')), false);
  l_org text[]; l_at timestamptz[]; l_mo int[]; l_dy int[]; l_rules int[]; l_seq bigint[]; l_head bytea[];
  k_b int[]; k_s int[]; v_won int[];
  v_b_at timestamptz[]; v_b_mo int[]; v_b_dy int[];
  i int; v_bad bigint; v_kind smallint; v_row limits; v_lims bigint[];
  rec record; v_any boolean := false; v_new boolean; v_keyed boolean; v_refused boolean;
  -- entries of the log
  j int; v_n int := 0; v_k int; v_k_known int; v_json json; v_aud text; v_action text; v_actor text; v_actor_known text; v_actor_type text; v_actor_id text; v_actor_name text; v_subject text;
  v_agent text; v_outcome text; v_reason text; v_cost bigint; v_ip text; v_data text; v_time text; v_prev bytea; v_hash bytea; e_agent text[]; e_cost bigint[];
  w_k int[]; w_seq bigint[]; w_aud text[]; w_action text[]; w_type text[]; w_id text[]; w_name text[]; w_subject text[]; w_agent text[]; w_outcome text[]; w_reason text[]; w_cost bigint[]; w_ip text[];
  w_data text[]; w_prev bytea[]; w_hash bytea[];
  -- settled
  z_o int[]; z_org text[]; z_id text[]; z_agent text[]; z_mode text[]; z_service text[]; z_op text[]; z_ceiling bigint[]; z_cost bigint[];
  z_take bigint[]; z_status text[]; z_limits text[]; z_wallet bigint[]; z_mo int[]; z_dy int[]; z_micro int[]; z_at timestamptz[]; z_ref text[];
  x_tight bigint[];
begin
  -- Time is read after the locks, in whole milliseconds as the wire tells it.
  if v_alone then
    if p_wait then perform 1 from org_heads h where h.org_id = v_one for update;
    else perform 1 from org_heads h where h.org_id = v_one for update skip locked;
    end if;
    if found then
      select array[h.org_id], array[greatest(date_trunc('milliseconds', clock_timestamp()), h.last_at)], array[h.rules_version], array[h.seq], array[h.head]
        into l_org, l_at, l_rules, l_seq, l_head from org_heads h where h.org_id = v_one;
      l_mo := array[month_of(l_at[1])]; l_dy := array[day_of(l_at[1])];
    end if;
  else
    select array_agg(distinct o order by o) into v_orgs from unnest(coalesce(b_org, '{}') || coalesce(s_org, '{}')) o;
    if p_wait then
      perform 1 from org_heads h where h.org_id = any (v_orgs) order by h.org_id for update;
      l_org := v_orgs;
    else
      select array_agg(q.org_id) into l_org from (select h.org_id from org_heads h where h.org_id = any (v_orgs) order by h.org_id for update skip locked) q;
    end if;
    select array_agg(q.org_id), array_agg(q.at), array_agg(month_of(q.at)), array_agg(day_of(q.at)), array_agg(q.rules_version), array_agg(q.seq), array_agg(q.head)
      into l_org, l_at, l_mo, l_dy, l_rules, l_seq, l_head
      from (select h.org_id, greatest(date_trunc('milliseconds', clock_timestamp()), h.last_at) at, h.rules_version, h.seq, h.head
        from org_heads h where h.org_id = any (l_org) order by h.org_id) q;
  end if;
  -- Who waited for a lock and did not get it names a workspace that is not there.
  o_b := array_fill(case when p_wait then 412 else 423 end, array[nb]); o_b_ref := array_fill(null::text, array[nb]); o_b_at := array_fill(null::float8, array[nb]);
  o_b_block := array_fill(null::text, array[nb]);
  o_s := array_fill(case when p_wait then 208 else 423 end, array[ns]); o_s_at := array_fill(null::float8, array[ns]); o_s_cents := array_fill(null::float8, array[ns]);
  if l_org is null then return; end if;
  if v_alone then k_b := array_fill(1, array[nb]); k_s := array_fill(1, array[ns]); end if;
  if nb > 0 and not v_alone then select array_agg(l.k order by b.o) into k_b from unnest(b_org) with ordinality b(org, o) left join unnest(l_org) with ordinality l(org, k) on l.org = b.org; end if;
  if ns > 0 and not v_alone then select array_agg(l.k order by s.o) into k_s from unnest(s_org) with ordinality s(org, o) left join unnest(l_org) with ordinality l(org, k) on l.org = s.org; end if;

  -- 1. Settles. The row in holds is the right to settle: who deletes it has settled, everyone after finds it gone.
  if ns > 0 then
    -- A settlement's agent and cost, by its place among the settles.
    e_agent := array_fill(null::text, array[ns]); e_cost := array_fill(null::bigint, array[ns]);
    for i in 1..ns loop if k_s[i] is not null then o_s[i] := 208; o_s_at[i] := extract(epoch from l_at[k_s[i]]) * 1000; end if; end loop;
    if 'running' = any (s_status) then
      with p as (update holds h set phase = 2, owner = 0, provider_ref = coalesce(u.ref, h.provider_ref), running_because = coalesce(u.reason, h.running_because), started = coalesce(u.result, h.started),
          due_at = case when u.due is null then null else l_at[u.k] + u.due * interval '1 millisecond' end,
          deadline_at = coalesce(h.deadline_at, case when u.deadline is null then null else l_at[u.k] + u.deadline * interval '1 millisecond' end), leased_until = null
        from unnest(s_id, s_status, s_ref, s_reason, s_result, s_due, s_deadline, k_s) with ordinality u(id, status, ref, reason, result, due, deadline, k, o)
        where h.request_id = u.id and u.status = 'running' and u.k is not null and h.phase = 1 returning u.o, h.agent_id)
        select array_agg(p.o), array_agg(p.agent_id) into z_o, z_agent from p;
      if z_o is not null then for i in 1..cardinality(z_o) loop o_s[z_o[i]] := 200; o_s_cents[z_o[i]] := 0; e_agent[z_o[i]] := z_agent[i]; end loop; end if;
      z_o := null;
    end if;
    with u as (select u.* from unnest(s_id, s_status, s_cents, s_micro, k_s) with ordinality u(id, status, cents, micro, k, o) where u.k is not null and u.status <> 'running'),
      x as (delete from holds h where h.request_id = any (s_id) and h.request_id in (select u.id from u) returning h.*),
      d as (select distinct on (h.request_id) u.o, u.k, h.org_id, h.request_id, h.agent_id, h.mode, h.service, h.operation, h.ceiling_cents,
          case when u.status = 'executed' then least(u.cents, h.ceiling_cents) else 0 end take,
          case when u.status = 'executed' and h.mode = 'live' and u.cents < h.ceiling_cents then u.micro else 0 end micro, u.status, h.limits::text limits, h.wallet, h.month, h.day, h.provider_ref from x h join u on u.id = h.request_id order by h.request_id, u.o)
      select array_agg(d.o), array_agg(d.org_id), array_agg(d.request_id), array_agg(d.agent_id), array_agg(d.mode), array_agg(d.service), array_agg(d.operation),
        array_agg(d.ceiling_cents), array_agg(case when d.mode = 'live' then d.take else 0 end), array_agg(d.take), array_agg(d.micro), array_agg(d.status),
        array_agg(d.limits), array_agg(d.wallet), array_agg(d.month), array_agg(d.day), array_agg(l_at[d.k]), array_agg(d.provider_ref)
        into z_o, z_org, z_id, z_agent, z_mode, z_service, z_op, z_ceiling, z_cost, z_take, z_micro, z_status, z_limits, z_wallet, z_mo, z_dy, z_at, z_ref
        from (select * from d order by d.o) d;
  end if;
  if z_o is not null then
    -- Fractions of a cent: a request's whole cents are floor(sum so far) - floor(sum before); the fraction stays with agent and wallet.
    if 0 < any (z_micro) then
      with f as (select u.n, u.org, u.agent, u.wallet, u.micro, coalesce(a.micro_cents, 0) + sum(u.micro) over (partition by u.org, u.agent, u.wallet order by u.n) s
          from unnest(z_org, z_agent, z_wallet, z_micro) with ordinality u(org, agent, wallet, micro, n)
          left join accruals a on a.org_id = u.org and a.agent_id = u.agent and a.wallet = u.wallet where u.micro > 0),
        w as (insert into accruals as a (org_id, agent_id, wallet, micro_cents) select f.org, f.agent, f.wallet, max(f.s) % 1000000 from f group by 1, 2, 3 order by 1, 2, 3
          on conflict (org_id, agent_id, wallet) do update set micro_cents = excluded.micro_cents)
        select array_agg(c.cost order by c.n), array_agg(c.take order by c.n) into z_cost, z_take
          from (select u.n, u.cost + coalesce(f.s / 1000000 - (f.s - f.micro) / 1000000, 0) cost, u.take + coalesce(f.s / 1000000 - (f.s - f.micro) / 1000000, 0) take
            from unnest(z_cost, z_take) with ordinality u(cost, take, n) left join f on f.n = u.n) c;
    end if;
    if 0 < any (z_cost) then
      insert into movements (org_id, id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after, cause_type, cause_id, created_at)
        select y.org, s_move[y.o], y.wallet, r.id, y.cost, w.cap - w.used - y.s, r.used + y.sr, 'service_request', y.id, y.at
          from (select u.*, sum(u.cost) over (partition by u.org, u.wallet order by u.n) s, sum(u.cost) over (partition by u.org order by u.n) sr
            from unnest(z_o, z_org, z_id, z_wallet, z_cost, z_at) with ordinality u(o, org, id, wallet, cost, at, n) where u.cost > 0) y
          join limits w on w.id = y.wallet join limits r on r.org_id = y.org and r.kind = 8;
    end if;
    update limits x set held = x.held - d.h, used = x.used + d.c
      from (select y.id, sum(case when y.kind in (4, 7) then u.n else u.h end) h, sum(case when not u.done then 0 when y.kind in (4, 7) then u.n else u.c end) c
        from (select k.lim, e.mo, e.dy, e.done, sum(e.h) h, sum(e.c) c, count(*) n
          from (select u.lims, u.mo, u.dy, u.status = 'executed' done, u.h, u.c from unnest(z_limits, z_mo, z_dy, z_status, z_ceiling, z_take) u(lims, mo, dy, status, h, c)) e
          cross join lateral unnest(e.lims::bigint[]) k(lim) group by 1, 2, 3, 4) u
        join limits y on y.id = u.lim and y.period = period_of(y.kind, u.mo, u.dy) group by 1
        union all select r.id, 0, u.c from (select e.org, sum(e.cost) c from unnest(z_org, z_cost) e(org, cost) group by 1) u
          join limits r on r.org_id = u.org and r.kind = 8 where u.c > 0) d
      where x.id = d.id;
    insert into settlements (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, reason_code, result, provider_ref, completed_at)
      select u.org, u.id, u.agent, u.mode, u.service, u.op, u.status, u.ceiling, u.cost, s_reason[u.o], s_result[u.o], u.ref, u.at
        from unnest(z_o, z_org, z_id, z_agent, z_mode, z_service, z_op, z_status, z_ceiling, z_cost, z_ref, z_at) u(o, org, id, agent, mode, service, op, status, ceiling, cost, ref, at);
    for i in 1..cardinality(z_o) loop o_s[z_o[i]] := 200; o_s_cents[z_o[i]] := z_cost[i]; end loop;
  end if;

  -- Sent again after a lost reply: a settlement is its sender's own when the entry that it left in the log is.
  if p_again and 208 = any (o_s) then
    for rec in select u.o, a.created_at, s.cost_cents from unnest(s_id, s_org, s_audit, o_s) with ordinality u(id, org, audit, state, o)
        cross join lateral (select a.created_at from audit a where a.org_id = u.org and a.subject_id = u.id and a.id = u.audit offset 0) a
        left join settlements s on s.org_id = u.org and s.request_id = u.id where u.state = 208 loop
      o_s[rec.o] := 207; o_s_at[rec.o] := extract(epoch from rec.created_at) * 1000; o_s_cents[rec.o] := coalesce(rec.cost_cents, 0);
    end loop;
  end if;

  -- 2. Begins. 0 in o_b: still open.
  if nb > 0 then
    v_b_at := array_fill(null::timestamptz, array[nb]); v_b_mo := array_fill(0, array[nb]); v_b_dy := v_b_mo;
    v_any := false;
    for i in 1..nb loop
      if k_b[i] is not null then
        o_b[i] := 0; v_b_at[i] := l_at[k_b[i]]; v_b_mo[i] := l_mo[k_b[i]]; v_b_dy[i] := l_dy[k_b[i]];
        o_b_at[i] := extract(epoch from l_at[k_b[i]]) * 1000;
        if b_granted[i] is not null then v_any := true; end if;
      end if;
    end loop;
    -- Sent again after a lost reply: what was written under the same id stands. A hold that is still its sender's is admitted once more; any
    -- other is another's to end. A grant is recognised by the entry that it left in the log, for others may have granted the same.
    if p_again then
      for rec in select u.o, u.id, coalesce(h.owner = p_owner and h.phase = 1, false) mine, r.created_at
          from unnest(b_id, b_org, b_granted) with ordinality u(id, org, granted, o) join requests r on r.org_id = u.org and r.id = u.id left join holds h on h.request_id = u.id
          where u.granted is null or exists (select 1 from audit a where a.org_id = u.org and a.subject_id = (u.granted::json)->>'id' and a.action = 'approval.approved' and a.id = (u.granted::json)->>'audit') loop
        if o_b[rec.o] = 0 then
          o_b[rec.o] := case when rec.mine then 207 else 208 end; o_b_ref[rec.o] := rec.id;
          if rec.mine then o_b_at[rec.o] := extract(epoch from rec.created_at) * 1000; end if;
        end if;
      end loop;
    end if;
    -- The key is looked up before anything is refused.
    if cardinality(b_key) > 0 then
    for rec in select u.o, q.request_id, q.hash <> decode(u.hash, 'hex') differs, q.expires_at <= v_b_at[u.o] expired, q.org_id, q.scope, q.key
        from unnest(b_org, b_scope, b_key, b_hash) with ordinality u(org, scope, key, hash, o)
        cross join lateral (select * from idempotency_keys k where k.org_id = u.org and k.scope = u.scope and k.key = u.key offset 0) q where u.key is not null loop
      if o_b[rec.o] = 0 then
        if rec.expired then delete from idempotency_keys q where q.org_id = rec.org_id and q.scope = rec.scope and q.key = rec.key;
        else o_b[rec.o] := case when rec.differs then 409 else 208 end; o_b_ref[rec.o] := rec.request_id; end if;
      end if;
    end loop;
    end if;
    if nb > 1 and cardinality(b_key) > 0 then
    for rec in select u.o, u.hash <> first_value(u.hash) over w differs, first_value(u.id) over w first_id, row_number() over w n
        from unnest(b_id, b_org, b_scope, b_key, b_hash, o_b) with ordinality u(id, org, scope, key, hash, state, o) where u.key is not null and u.state = 0
        window w as (partition by u.org, u.scope, u.key order by u.o) loop
      if rec.n > 1 then o_b[rec.o] := case when rec.differs then 409 else 208 end; o_b_ref[rec.o] := rec.first_id; end if;
    end loop;
    end if;
    -- Decided on the configuration of this moment, or not at all.
    for rec in select u.o from unnest(b_org, b_agent, b_version, b_rules, k_b) with ordinality u(org, agent, version, rules, k, o)
        left join lateral (select g.version from agents g where g.id = u.agent and g.org_id = u.org offset 0) a on true
        where u.k is not null and (a.version is distinct from u.version or l_rules[u.k] <> u.rules) loop
      if o_b[rec.o] = 0 then
        o_b[rec.o] := 412;
        -- those of the same key that lean on this one are decided again with it
        for i in 1..nb loop if o_b_ref[i] = b_id[rec.o] and o_b[i] in (208, 409) and b_id[i] <> b_id[rec.o] then o_b[i] := 412; o_b_ref[i] := null; end if; end loop;
      end if;
    end loop;
    if v_any then
      -- The approval is consumed in the transaction that starts the execution, and serves once.
      with g as (update approvals a set status = 'approved', decided_at = v_b_at[u.o], decided_by = (u.granted::json)->>'by', comment = (u.granted::json)->>'comment'
          from unnest(b_id, b_org, b_granted, o_b) with ordinality u(id, org, granted, state, o)
          where u.granted is not null and u.state = 0 and a.id = (u.granted::json)->>'id' and a.org_id = u.org and a.request_id = u.id and a.status = 'pending' and a.expires_at > v_b_at[u.o] returning u.o)
        select array_agg(g.o) into v_won from g;
      insert into approval_decisions (org_id, approval_id, user_id, decision, comment, created_at)
        select u.org, u.granted->>'id', u.granted->>'by', 'approve', u.granted->>'comment', u.at
          from (select g.org, g.g::json granted, g.at, g.o from unnest(b_org, b_granted, v_b_at) with ordinality g(org, g, at, o) where g.o = any (v_won)) u
        on conflict (approval_id, user_id) do nothing;
      for i in 1..nb loop if b_granted[i] is not null and o_b[i] = 0 and not coalesce(i = any (v_won), false) then o_b[i] := 410; end if; end loop;
    end if;
    for i in 1..nb loop if o_b[i] = 0 and b_verdict[i] = 3 then o_b[i] := 402; o_b_block[i] := b_block[i]; elsif o_b[i] = 0 and b_verdict[i] = 4 then o_b[i] := 400; end if; end loop;
    -- Which limits are too tight for all that wants them? Who touches none of those goes as a set; the rest one by one, in order of arrival.
    if nb > 1 then
    with q as (select k.lim, u.mo, u.dy, sum(u.ceiling) c, count(*) n
        from unnest(b_limits, b_ceiling, v_b_mo, v_b_dy, v_b_at, o_b, b_verdict, b_check) u(lims, ceiling, mo, dy, at, state, verdict, chk)
        cross join lateral unnest(u.lims::bigint[]) k(lim) where u.state = 0 and u.verdict = 1 and u.chk is null group by 1, 2, 3)
      select array_agg(q.lim) into x_tight from q left join limits x on x.id = q.lim
        where x.id is null or x.valid_until is not null or x.period > period_of(x.kind, q.mo, q.dy) or (x.cap is not null and (x.kind in (4, 7) or q.c > 0) and
          case when x.period = period_of(x.kind, q.mo, q.dy) then x.used + x.held else 0 end + x.committed + case when x.kind in (4, 7) then q.n else q.c end > x.cap);
    for i in 1..nb loop
      if o_b[i] = 0 and b_verdict[i] = 1 and b_check[i] is null and (x_tight is null or not b_limits[i]::bigint[] && x_tight) then o_b[i] := 200; end if;
    end loop;
    if 200 = any (o_b) then
      update limits x set used = case when x.period = d.p then x.used else 0 end, period = d.p,
          held = case when x.period = d.p then x.held else 0 end + case when x.kind in (4, 7) then d.n else d.c end
        from (select y.id, period_of(y.kind, u.mo, u.dy) p, u.c, u.n from (select k.lim, e.mo, e.dy, sum(e.ceiling) c, count(*) n
            from unnest(b_limits, b_ceiling, v_b_mo, v_b_dy, o_b) e(lims, ceiling, mo, dy, state) cross join lateral unnest(e.lims::bigint[]) k(lim) where e.state = 200 group by 1, 2, 3) u
          join limits y on y.id = u.lim) d where x.id = d.id;
    end if;
    end if;
    if 0 = any (o_b) then
      for i in 1..nb loop
        if o_b[i] = 0 then
          v_lims := b_limits[i]::bigint[];
          v_bad := reserve_one(v_lims, b_check[i], b_ceiling[i], v_b_mo[i], v_b_dy[i], v_b_at[i], b_verdict[i] = 1);
          if v_bad is null then o_b[i] := case b_verdict[i] when 1 then 200 else 202 end;
          else
            select * into v_row from limits x where x.id = v_bad;
            if v_row.id is null then o_b[i] := 412;
            -- A standing approval that is used up does not block: a person is asked.
            elsif v_row.kind in (6, 7) then o_b[i] := 202;
            else
              o_b[i] := 402; o_b_block[i] := block_of(v_row, b_org[i], v_b_mo[i], v_b_dy[i]);
              b_reason[i] := case v_row.kind when 1 then 'insufficient_balance' when 2 then 'agent_budget_exceeded' when 3 then 'monthly_budget_exceeded' when 4 then 'daily_limit_exceeded' else 'task_budget_exceeded' end;
            end if;
          end if;
        end if;
      end loop;
    end if;
    v_new := false; v_keyed := false;
    for i in 1..nb loop
      if o_b[i] in (200, 202, 402, 400) and b_granted[i] is null then
        v_new := true;
        if b_key[i] is not null then v_keyed := true; end if;
      end if;
      if o_b[i] = 202 then o_b_ref[i] := (b_wait[i]::json)->>'id'; b_reason[i] := coalesce(b_reason[i], 'approval_threshold'); elsif o_b[i] = 402 then o_b_ref[i] := b_reason[i]; end if;
    end loop;
    if v_new then
    insert into requests (org_id, id, agent_id, mode, service, operation, payload, ceiling_cents, approval_id, origin, test_outcome, created_at)
      select u.org, u.id, u.agent, u.mode, u.service, u.op, u.payload, u.ceiling, case when u.state = 202 then (u.wait::json)->>'id' end, u.origin, u.script, v_b_at[u.o]
        from unnest(b_id, b_org, b_agent, b_mode, b_service, b_operation, b_payload, b_ceiling, b_wait, b_origin, b_script, b_granted, o_b)
          with ordinality u(id, org, agent, mode, service, op, payload, ceiling, wait, origin, script, granted, state, o)
        where u.state in (200, 202, 402, 400) and u.granted is null;
    end if;
    if v_keyed then
    insert into idempotency_keys (org_id, scope, key, hash, request_id, created_at, expires_at)
      select u.org, u.scope, u.key, decode(u.hash, 'hex'), u.id, v_b_at[u.o], v_b_at[u.o] + interval '30 days'
        from unnest(b_id, b_org, b_scope, b_key, b_hash, b_granted, o_b) with ordinality u(id, org, scope, key, hash, granted, state, o)
        where u.key is not null and u.granted is null and u.state in (200, 202, 402, 400);
    end if;
    if 200 = any (o_b) then
    insert into holds (request_id, org_id, agent_id, mode, service, operation, owner, ceiling_cents, limits, wallet, month, day, created_at)
      select u.id, u.org, u.agent, u.mode, u.service, u.op, p_owner, u.ceiling, case when u.chk is null then u.lims::bigint[] else array_remove(u.lims::bigint[], u.chk) end,
          u.wallet, u.mo, u.dy, u.at
        from unnest(b_id, b_org, b_agent, b_mode, b_service, b_operation, b_ceiling, b_limits, b_wallet, b_check, v_b_mo, v_b_dy, v_b_at, o_b)
          u(id, org, agent, mode, service, op, ceiling, lims, wallet, chk, mo, dy, at, state) where u.state = 200;
    end if;
    if 202 = any (o_b) then
      insert into approvals (id, org_id, request_id, agent_id, mode, service, operation, cost_cents, threshold_cents, reason, policy_id, payload_digest, required_approvals,
          deciders, filed_by, requested_at, expires_at)
        select u.wait->>'id', u.org, u.id, u.agent, u.mode, u.service, u.op, u.ceiling, (u.wait->>'threshold_cents')::bigint, u.wait->>'reason', u.wait->>'policy_id', u.wait->>'digest',
            (u.wait->>'required')::int, u.wait->>'deciders', u.wait->>'filed_by', v_b_at[u.o], v_b_at[u.o] + (u.wait->>'life_seconds')::int * interval '1 second'
          from (select b.id, b.org, b.agent, b.mode, b.service, b.op, b.ceiling, b.w::json wait, b.o
            from unnest(b_id, b_org, b_agent, b_mode, b_service, b_operation, b_ceiling, b_wait, o_b) with ordinality b(id, org, agent, mode, service, op, ceiling, w, state, o) where b.state = 202) u;
    end if;
    if 402 = any (o_b) or 400 = any (o_b) then
      insert into settlements (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, reason_code, result, block, completed_at)
        select u.org, u.id, u.agent, u.mode, u.service, u.op, case u.state when 402 then 'blocked' else 'failed' end, u.ceiling, 0, u.reason, u.result, u.block, u.at
          from unnest(b_id, b_org, b_agent, b_mode, b_service, b_operation, b_ceiling, b_reason, b_result, o_b_block, v_b_at, o_b)
            u(id, org, agent, mode, service, op, ceiling, reason, result, block, at, state) where u.state in (402, 400);
    end if;
  end if;

  -- 3. What happened is counted and told, in one order.
  v_refused := 402 = any (o_b) or 400 = any (o_b);
  if z_o is not null or v_refused then
    insert into usage_days as g (org_id, day, agent_id, service, operation, mode, executed, failed, blocked, cost_cents)
      select e.org, (e.at at time zone 'utc')::date, e.agent, e.service, e.op, e.mode, count(*) filter (where e.state = 'executed'), count(*) filter (where e.state = 'failed'),
          count(*) filter (where e.state = 'blocked'), sum(e.cost)
        from (select z.org, z.at, z.agent, z.service, z.op, z.mode, z.status state, z.cost from unnest(z_org, z_at, z_agent, z_service, z_op, z_mode, z_status, z_cost) z(org, at, agent, service, op, mode, status, cost)
          union all select u.org, u.at, u.agent, u.service, u.op, u.mode, case u.state when 402 then 'blocked' else 'failed' end, 0
            from unnest(b_org, v_b_at, b_agent, b_service, b_operation, b_mode, o_b) u(org, at, agent, service, op, mode, state) where v_refused and u.state in (402, 400)) e
        group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
      on conflict (org_id, day, agent_id, service, operation, mode) do update set executed = g.executed + excluded.executed, failed = g.failed + excluded.failed,
        blocked = g.blocked + excluded.blocked, cost_cents = g.cost_cents + excluded.cost_cents;
  end if;
  -- Entries: what was granted, then settled, then refused or waits; each in the order it came. b_ entries lie behind s_ entries in e_at.
  if z_o is not null or v_refused or v_any or 202 = any (o_b) or 200 = any (o_s) then
    if z_o is not null then
      for i in 1..cardinality(z_o) loop
        e_agent[z_o[i]] := z_agent[i];
        if z_status[i] = 'executed' then e_cost[z_o[i]] := z_cost[i]; end if;
      end loop;
    end if;
    for j in 1..3 loop
      for i in 1..case j when 2 then ns else nb end loop
        v_k := null;
        if j = 1 and b_granted[i] is not null and o_b[i] in (200, 402, 400) then
          v_k := k_b[i]; v_json := b_granted[i]::json;
          v_aud := v_json->>'audit'; v_action := 'approval.approved'; v_actor := v_json->>'actor'; v_subject := v_json->>'id'; v_agent := b_agent[i]; v_outcome := 'approved';
          v_reason := null; v_cost := b_ceiling[i]; v_ip := v_json->>'ip'; v_data := v_json->>'data';
        elsif j = 2 and o_s[i] = 200 then
          v_k := k_s[i];
          v_aud := s_audit[i]; v_action := 'service_request.' || s_status[i]; v_actor := s_actor[i]; v_subject := s_id[i]; v_agent := e_agent[i]; v_outcome := s_status[i];
          v_reason := s_reason[i]; v_cost := e_cost[i]; v_ip := null; v_data := s_data[i];
        elsif j = 3 and o_b[i] in (202, 402, 400) then
          v_k := k_b[i];
          v_outcome := case o_b[i] when 202 then 'approval_required' when 402 then 'blocked' else 'failed' end;
          v_aud := b_audit[i]; v_action := 'service_request.' || v_outcome; v_actor := b_actor[i]; v_subject := b_id[i]; v_agent := b_agent[i];
          v_reason := b_reason[i]; v_cost := null; v_ip := b_ip[i];
          v_data := case when o_b[i] = 202 then left(b_data[i], -1) || ',"approval_id":"' || o_b_ref[i] || '"}' else b_data[i] end;
        end if;
        if v_k is not null then
          if v_actor is distinct from v_actor_known then
            v_actor_known := v_actor; v_actor_type := split_part(v_actor, ' ', 1); v_actor_id := split_part(v_actor, ' ', 2);
            v_actor_name := substr(v_actor, length(v_actor_type) + length(v_actor_id) + 3);
          end if;
          if v_k is distinct from v_k_known then v_k_known := v_k; v_time := wire_time(l_at[v_k]); end if;
          l_seq[v_k] := l_seq[v_k] + 1;
          v_prev := l_head[v_k];
          v_hash := sha256(v_prev || sha256(convert_to(l_seq[v_k] || e'\x1f' || v_time || e'\x1f' || v_aud || e'\x1f' || v_action || e'\x1f' || v_actor_type || e'\x1f' || v_actor_id || e'\x1f' ||
            v_actor_name || e'\x1f' || case j when 1 then 'approval' else 'service_request' end || e'\x1f' || v_subject || e'\x1f' || v_agent || e'\x1f' || v_outcome || e'\x1f' || coalesce(v_reason, '') ||
            e'\x1f' || coalesce(v_cost::text, '') || e'\x1f' || coalesce(v_ip, '') || e'\x1f' || v_data, 'UTF8')));
          l_head[v_k] := v_hash;
          v_n := v_n + 1;
          w_k[v_n] := v_k; w_seq[v_n] := l_seq[v_k]; w_aud[v_n] := v_aud; w_action[v_n] := v_action; w_type[v_n] := v_actor_type; w_id[v_n] := v_actor_id; w_name[v_n] := v_actor_name;
          w_subject[v_n] := v_subject; w_agent[v_n] := v_agent; w_outcome[v_n] := v_outcome; w_reason[v_n] := v_reason; w_cost[v_n] := v_cost; w_ip[v_n] := v_ip; w_data[v_n] := v_data;
          w_prev[v_n] := v_prev; w_hash[v_n] := v_hash;
        end if;
      end loop;
    end loop;
    insert into audit (org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code, cost_cents, ip, data, created_at, prev_hash, hash)
      select l_org[w.k], w.seq, w.aud, w.action, w.type, w.id, w.name, case when w.action like 'approval.%' then 'approval' else 'service_request' end, w.subject, w.agent, w.outcome, w.reason, w.cost, w.ip,
          w.data, l_at[w.k], w.prev, w.hash
        from unnest(w_k, w_seq, w_aud, w_action, w_type, w_id, w_name, w_subject, w_agent, w_outcome, w_reason, w_cost, w_ip, w_data, w_prev, w_hash)
          w(k, seq, aud, action, type, id, name, subject, agent, outcome, reason, cost, ip, data, prev, hash);
  end if;
  update org_heads o set last_at = l.at, seq = l.seq, head = l.head from unnest(l_org, l_at, l_seq, l_head) l(org, at, seq, head) where o.org_id = l.org;
end
$$;

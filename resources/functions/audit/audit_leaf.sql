-- The leaf of an audit entry: SHA-256 over its fields, absent ones empty, separated by U+001F. Stable, not immutable, so that it is inlined.
-- Spec: reference/audit-and-events.md "Hash chain".
create or replace function audit_leaf(
  p_seq bigint,
  p_at text,
  p_id text,
  p_action text,
  p_actor_type text,
  p_actor_id text,
  p_actor_name text,
  p_subject_type text,
  p_subject_id text,
  p_agent text,
  p_outcome text,
  p_reason text,
  p_cost bigint,
  p_ip text,
  p_data text
) returns bytea language sql stable as $$
  select sha256(convert_to(
    concat_ws(
      e'\x1f',
      p_seq,
      p_at,
      p_id,
      p_action,
      p_actor_type,
      p_actor_id,
      p_actor_name,
      coalesce(p_subject_type, ''),
      coalesce(p_subject_id, ''),
      coalesce(p_agent, ''),
      coalesce(p_outcome, ''),
      coalesce(p_reason, ''),
      coalesce(p_cost::text, ''),
      coalesce(p_ip, ''),
      p_data
    ),
    'UTF8'
  ))
$$;

-- The hash of an audit entry after p_previous; p_first is the hash before the first entry of a group.
create or replace function link_audit_entry(p_previous bytea, p_first bytea, p_leaf bytea) returns bytea language plpgsql immutable as $$
begin
  return sha256(coalesce(p_previous, p_first) || p_leaf);
end
$$;

-- The hashes of consecutive entries: audit_chain(head, leaf) over (order by seq).
create or replace aggregate audit_chain(p_first bytea, p_leaf bytea) (
  sfunc = link_audit_entry,
  stype = bytea
);

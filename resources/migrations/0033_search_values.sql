-- Texts for search now hold folded values without the names of fields; the search worker writes them again from the log.
truncate request_texts;

delete from search_positions;

-- Approvals are found by the beginning of their digest, as the seal shows it.
create index approvals_digest on approvals (org_id, payload_digest text_pattern_ops);

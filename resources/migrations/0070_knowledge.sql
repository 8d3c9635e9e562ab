-- Dictionaries that ignore accents, where the role may create the extension; otherwise they are those of the server.
create text search configuration cs_english (copy = pg_catalog.english);

create text search configuration cs_simple (copy = pg_catalog.simple);

do $$
begin
  create extension if not exists unaccent;
  alter text search configuration cs_english alter mapping for hword, hword_part, word with unaccent, english_stem;
  alter text search configuration cs_simple alter mapping for hword, hword_part, word with unaccent, simple;
exception when others then
  raise notice 'search in documents distinguishes accents: %', sqlerrm;
end
$$;

create table knowledge_collections (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  user_id text collate "C" references users,
  name text collate "C" not null,
  description text not null,
  -- The vectors of this generation answer; they are of this model.
  generation int not null default 1,
  embedding_model text not null,
  dimensions int not null check (dimensions > 0),
  -- A reindex: vectors of the next generation are made up to this passage.
  next_generation int,
  next_model text,
  next_dimensions int,
  reindexed_to bigint not null default 0,
  reindexed int not null default 0,
  attempt int not null default 0,
  lease_until timestamptz,
  due_at timestamptz,
  -- Vectors of earlier generations are left.
  cleaning boolean not null default false,
  -- Rises when passages that answer are added or removed.
  version bigint not null default 0,
  -- Documents that are not deleted, and the passages of those that are ready.
  documents int not null default 0 check (documents >= 0),
  chunks bigint not null default 0 check (chunks >= 0),
  created_at timestamptz not null,
  deleted_at timestamptz,
  constraint knowledge_collections_next check (
    (next_generation is null) = (next_model is null) and (next_model is null) = (next_dimensions is null)
  )
);

create index knowledge_collections_newest on knowledge_collections (org_id, created_at, id) where deleted_at is null;

create index knowledge_collections_names on knowledge_collections (org_id, name, id) where deleted_at is null;

create index knowledge_collections_work on knowledge_collections (id)
  where deleted_at is not null or next_model is not null or cleaning;

create table knowledge_documents (
  id text collate "C" primary key,
  org_id text collate "C" not null references orgs,
  collection_id text collate "C" not null references knowledge_collections,
  title text collate "C" not null,
  -- The person chose the title: it is not replaced by the document's own.
  titled boolean not null,
  content_type text not null,
  -- As it was sent, with its parameters.
  declared_type text,
  file_name text,
  size_bytes int not null check (size_bytes >= 0),
  source text not null check (source in ('text', 'upload', 'object')),
  object_id text,
  status text not null check (status in ('queued', 'processing', 'ready', 'failed')),
  parsed_at timestamptz,
  chunks int not null default 0,
  embedded int not null default 0,
  pages int,
  error_code text,
  error_message text,
  -- Rises with each claim: a hub that lost its claim cannot write any more.
  attempt int not null default 0,
  -- Claims since the last progress.
  tries int not null default 0,
  lease_until timestamptz,
  -- Its turn among the documents of the workspace; in the future after a failure that may pass.
  turn_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint knowledge_documents_error check ((status = 'failed') = (error_code is not null)),
  constraint knowledge_documents_lease check (lease_until is null or status = 'processing'),
  constraint knowledge_documents_embedded check (embedded between 0 and chunks)
);

create index knowledge_documents_newest on knowledge_documents (org_id, collection_id, created_at, id)
  where deleted_at is null;

create index knowledge_documents_titles on knowledge_documents (org_id, collection_id, title, id) where deleted_at is null;

create index knowledge_documents_all on knowledge_documents (collection_id);

create index knowledge_documents_due on knowledge_documents (org_id, turn_at, id)
  where status in ('queued', 'processing') and deleted_at is null;

create index knowledge_documents_failed on knowledge_documents (updated_at) where status = 'failed';

create index knowledge_documents_deleted on knowledge_documents (deleted_at) where deleted_at is not null;

-- The bytes of a document until it is parsed.
create table knowledge_sources (
  document_id text collate "C" primary key references knowledge_documents,
  org_id text collate "C" not null references orgs,
  size_bytes int not null,
  bytes bytea not null
);

alter table knowledge_sources alter column bytes set storage external;

create index knowledge_sources_sizes on knowledge_sources (org_id) include (size_bytes);

-- Workspaces take turns: the one that was served longest ago is next.
create table knowledge_turns (
  org_id text collate "C" primary key references orgs,
  turn_at timestamptz not null
) with (fillfactor = 50);

create table knowledge_chunks (
  chunk_id bigint generated always as identity primary key,
  org_id text collate "C" not null,
  collection_id text collate "C" not null,
  document_id text collate "C" not null references knowledge_documents,
  number int not null,
  start_at int not null,
  end_at int not null,
  page int,
  -- JSON: the headings above it, the outermost first.
  headings text not null,
  language text not null check (language in ('english', 'simple')),
  body text not null,
  tsv tsvector not null
);

create unique index knowledge_chunks_numbers on knowledge_chunks (document_id, number);

create index knowledge_chunks_all on knowledge_chunks (org_id, collection_id, chunk_id);

-- A server may lack the extension or the right to create it: then the words of all workspaces share one index.
do $$
begin
  create extension if not exists btree_gin;
  create index knowledge_chunks_words on knowledge_chunks using gin (org_id, collection_id, tsv);
exception when others then
  raise notice 'passages are indexed without their collection: %', sqlerrm;
  create index knowledge_chunks_words on knowledge_chunks using gin (tsv);
end
$$;

-- code: one bit for each number. emb: the numbers as halves. A reindex writes the next generation beside the present one.
create table knowledge_vectors (
  chunk_id bigint not null references knowledge_chunks on delete cascade,
  generation int not null,
  org_id text collate "C" not null,
  collection_id text collate "C" not null,
  code bit varying not null,
  emb bytea not null,
  primary key (chunk_id, generation)
);

create index knowledge_vectors_codes on knowledge_vectors (org_id, collection_id, generation, chunk_id) include (code);

/**
 * The queue of documents and reindexes. A hub claims one for some seconds, and its `attempt` rises: a hub that lost the
 * claim writes nothing any more.
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { byteaArray, int4Array, int8Array, textArray } from "../platform/db.ts"
import type { Chunk } from "./parsing/chunking.ts"

export interface ClaimedDocument {
  readonly id: string
  readonly org_id: OrgId
  readonly collection_id: string
  readonly title: string
  readonly titled: boolean
  readonly declared_type: string | null
  readonly file_name: string | null
  readonly is_parsed: boolean
  readonly chunks: number
  readonly attempt: number
  readonly tries: number
  /** Of the collection. */
  readonly generation: number
}

export interface ClaimedReindex {
  readonly id: string
  readonly org_id: OrgId
  readonly next_generation: number
  readonly reindexed_to: number
  readonly attempt: number
}

export interface UnembeddedRow {
  readonly chunk_id: number
  readonly title: string
  readonly headings: string
  readonly body: string
}

/** Some passages in the order of their ids, of one document or of the ready ones of a collection. */
export interface PassageRange {
  readonly org: OrgId
  readonly collection: string
  readonly document: string | undefined
  readonly generation: number
  readonly from: number
  readonly to: number
}

export interface StoredVector {
  readonly chunk_id: number
  readonly code: string
  readonly emb: Uint8Array
}

/** Where a document or a collection is, with the claim that is checked. */
export interface Claim {
  readonly org_id: OrgId
  readonly id: string
  readonly attempt: number
}

export interface StateCount {
  readonly status: string
  readonly count: number
}

const json = (headings: ReadonlyArray<string>): string => JSON.stringify(headings)

/** Of a document `d` in a collection `c`. */
const isDocumentDue = `d.status in ('queued', 'processing') and d.deleted_at is null and d.turn_at <= hub_time_or_last()
          and (d.lease_until is null or d.lease_until < hub_time_or_last()) and c.deleted_at is null`
/** Of a collection `c`. */
const isReindexDue = `c.deleted_at is null
                and (c.lease_until is null or c.lease_until < hub_time_or_last())
                and (c.due_at is null or c.due_at <= hub_time_or_last())`
export const dueIngest = [
  `select from knowledge_documents d join knowledge_collections c on c.id = d.collection_id where ${isDocumentDue}`,
  `select from knowledge_collections c where c.next_model is not null and ${isReindexDue}`
]

export class IngestRepository extends Context.Service<IngestRepository, {
  /**
   * The next document of the workspace that was served longest ago, and has the fewest documents in progress; only of
   * collections with this model that are not being reindexed.
   */
  readonly claim: (model: string, seconds: number) => Effect.Effect<Option.Option<ClaimedDocument>>
  readonly renew: (claim: Claim, seconds: number) => Effect.Effect<boolean>
  /** Ends a turn without an end; the document is due again at its turn, or after some seconds. */
  readonly release: (claim: Claim, delaySeconds: number) => Effect.Effect<void>
  readonly source: (org: OrgId, id: string) => Effect.Effect<Uint8Array<ArrayBuffer> | undefined>
  /** Whether the claim holds; it holds until the end of the transaction. */
  readonly hold: (claim: Claim) => Effect.Effect<boolean>
  /** The passages of a document, in its order. Call it with the claim held. */
  readonly insertChunks: (
    document: ClaimedDocument,
    chunks: ReadonlyArray<Chunk & { readonly searched: string }>
  ) => Effect.Effect<void>
  /** Removes the bytes; the passages are complete. Call it with the claim held. */
  readonly markParsed: (
    claim: Claim,
    parsed: { readonly title: string; readonly chunks: number; readonly pages: number | null }
  ) => Effect.Effect<void>
  /** The next passages without a vector of the generation. */
  readonly unembedded: (
    document: ClaimedDocument,
    limit: number
  ) => Effect.Effect<ReadonlyArray<UnembeddedRow>>
  /** The passages of a range without a vector of its generation. */
  readonly unembeddedIn: (range: PassageRange, limit: number) => Effect.Effect<ReadonlyArray<UnembeddedRow>>
  /** The number of vectors that a document has. */
  readonly countEmbedded: (document: ClaimedDocument) => Effect.Effect<void>
  /** False if the collection has another generation or model meanwhile. Call it with the claim held. */
  readonly isCurrent: (org: OrgId, collection: string, generation: number, model: string) => Effect.Effect<boolean>
  /** Whether the collection has the generation, or is being reindexed for it, with this model. */
  readonly isWanted: (org: OrgId, collection: string, generation: number, model: string) => Effect.Effect<boolean>
  readonly insertVectors: (
    org: OrgId,
    collection: string,
    generation: number,
    vectors: ReadonlyArray<StoredVector>
  ) => Effect.Effect<void>
  readonly progress: (claim: Claim, embedded: number, seconds: number) => Effect.Effect<void>
  readonly finish: (document: ClaimedDocument) => Effect.Effect<void>
  readonly fail: (claim: Claim, error: { readonly code: string; readonly message: string }) => Effect.Effect<void>
  readonly claimReindex: (model: string, seconds: number) => Effect.Effect<Option.Option<ClaimedReindex>>
  readonly releaseReindex: (claim: Claim, delaySeconds: number) => Effect.Effect<void>
  readonly holdReindex: (claim: Claim) => Effect.Effect<boolean>
  /** The next passages of ready documents without a vector of the next generation. */
  readonly toReindex: (reindex: ClaimedReindex, after: number, limit: number) => Effect.Effect<
    ReadonlyArray<UnembeddedRow>
  >
  readonly reindexProgress: (claim: Claim, to: number, count: number, seconds: number) => Effect.Effect<void>
  /** The next generation answers from now on. */
  readonly finishReindex: (claim: Claim) => Effect.Effect<void>
  /** Removes some rows of deleted documents; the number of removed rows. */
  readonly removeDocuments: (org: OrgId | undefined, limit: number) => Effect.Effect<number>
  readonly removeCollections: (limit: number) => Effect.Effect<{
    readonly removed: number
    readonly collections: ReadonlyArray<string>
  }>
  /** Removes vectors of earlier generations. */
  readonly removeStaleVectors: (limit: number) => Effect.Effect<number>
  /** Removes the bytes of documents that failed this many days ago. */
  readonly removeSources: (days: number, limit: number) => Effect.Effect<number>
  /** Documents by status, of all workspaces. */
  readonly states: Effect.Effect<ReadonlyArray<StateCount>>
}>()("@countersign/hub/knowledge/IngestRepository") {
  static readonly layer = Layer.effect(
    IngestRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const one = <A>(rows: ReadonlyArray<A>) => Option.fromNullishOr(rows[0]) as Option.Option<A>
      const some = (rows: ReadonlyArray<unknown>) => rows.length > 0
      const leaseOf = (seconds: number) => sql`hub_time_or_last() + ${seconds}::int * interval '1 second'`
      const dueDocument = (model: string): Statement.Fragment =>
        sql`${sql.literal(isDocumentDue)} and c.next_model is null and c.embedding_model = ${model}`

      return IngestRepository.of({
        claim: (model, seconds) =>
          Effect.gen(function*() {
            const [turn] = yield* sql<{ org_id: OrgId }>`select t.org_id from knowledge_turns t
              where exists (select 1 from knowledge_documents d join knowledge_collections c on c.id = d.collection_id
                where d.org_id = t.org_id and ${dueDocument(model)})
              order by (select count(*) from knowledge_documents b where b.org_id = t.org_id
                and b.status = 'processing' and b.deleted_at is null and b.lease_until > hub_time_or_last()), t.turn_at
              limit 1 for update of t skip locked`
            if (turn === undefined) return Option.none<ClaimedDocument>()
            yield* sql`update knowledge_turns set turn_at = hub_time_or_last() where org_id = ${turn.org_id}`
            return one(
              // Materialized: a repeated scan would claim another document each time.
              yield* sql<ClaimedDocument>`with n as materialized (
                  select d.id, c.generation from knowledge_documents d
                  join knowledge_collections c on c.id = d.collection_id
                  where d.org_id = ${turn.org_id} and ${dueDocument(model)}
                  order by d.turn_at, d.id limit 1 for update of d skip locked)
                update knowledge_documents u set status = 'processing', attempt = u.attempt + 1, tries = u.tries + 1,
                  lease_until = ${leaseOf(seconds)}, turn_at = hub_time_or_last(),
                  updated_at = case when u.status = 'queued' then hub_time_or_last() else u.updated_at end
                from n where u.org_id = ${turn.org_id} and u.id = n.id
                returning u.id, u.org_id, u.collection_id, u.title, u.titled, u.declared_type, u.file_name,
                  u.parsed_at is not null as is_parsed, u.chunks, u.attempt, u.tries, n.generation`
            )
          }).pipe(Effect.orDie),
        renew: ({ attempt, id, org_id }, seconds) =>
          sql`update knowledge_documents set lease_until = ${leaseOf(seconds)} where org_id = ${org_id} and id = ${id}
            and attempt = ${attempt} and status = 'processing' and deleted_at is null returning id`.pipe(
            Effect.map(some),
            Effect.orDie
          ),
        release: ({ attempt, id, org_id }, delay) =>
          sql`update knowledge_documents set lease_until = null,
              turn_at = hub_time_or_last() + ${delay}::int * interval '1 second'
            where org_id = ${org_id} and id = ${id} and attempt = ${attempt} and status = 'processing'`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        source: (org, id) =>
          sql<{ bytes: Uint8Array }>`select bytes from knowledge_sources where org_id = ${org} and document_id = ${id}`
            .pipe(
              Effect.map(([row]) => row === undefined ? undefined : new Uint8Array(row.bytes)),
              Effect.orDie
            ),
        hold: ({ attempt, id, org_id }) =>
          sql`select 1 from knowledge_documents where org_id = ${org_id} and id = ${id} and attempt = ${attempt}
            and status = 'processing' and deleted_at is null for update`.pipe(Effect.map(some), Effect.orDie),
        insertChunks: ({ collection_id, id, org_id }, chunks) =>
          sql`insert into knowledge_chunks
              (org_id, collection_id, document_id, number, start_at, end_at, page, headings, language, body, tsv)
            select ${org_id}, ${collection_id}, ${id}, u.number, u.start_at, u.end_at, nullif(u.page, 0), u.headings,
              u.language, u.body, to_tsvector(case u.language when 'english' then 'cs_english'::regconfig
                else 'cs_simple'::regconfig end, u.searched)
            from unnest(${int4Array(chunks.map(({ chunk }) => chunk))}, ${int4Array(chunks.map(({ start }) => start))},
              ${int4Array(chunks.map(({ end }) => end))}, ${int4Array(chunks.map(({ page = 0 }) => page))},
              ${textArray(chunks.map(({ headings }) => json(headings)))},
              ${textArray(chunks.map(({ language }) => language))}, ${textArray(chunks.map(({ text }) => text))},
              ${textArray(chunks.map(({ searched }) => searched))})
              as u (number, start_at, end_at, page, headings, language, body, searched)
            order by u.number`.pipe(Effect.asVoid, Effect.orDie),
        markParsed: ({ id, org_id }, { chunks, pages, title }) =>
          Effect.andThen(
            sql`update knowledge_documents set parsed_at = hub_time_or_last(), title = ${title},
              chunks = ${chunks}::int, pages = ${pages}::int, tries = 0 where org_id = ${org_id} and id = ${id}`,
            sql`delete from knowledge_sources where org_id = ${org_id} and document_id = ${id}`
          ).pipe(Effect.asVoid, Effect.orDie),
        unembedded: ({ generation, id, org_id }, limit) =>
          sql<UnembeddedRow>`select c.chunk_id, d.title, c.headings, c.body
            from knowledge_chunks c join knowledge_documents d on d.id = c.document_id
            where c.org_id = ${org_id} and c.document_id = ${id} and not exists (select 1 from knowledge_vectors v
              where v.chunk_id = c.chunk_id and v.generation = ${generation}::int)
            order by c.number limit ${limit}`.pipe(Effect.orDie),
        unembeddedIn: ({ collection, document, from, generation, org, to }, limit) =>
          sql<UnembeddedRow>`select c.chunk_id, d.title, c.headings, c.body
            from knowledge_chunks c join knowledge_documents d on d.id = c.document_id
            where c.org_id = ${org} and c.collection_id = ${collection} and d.deleted_at is null
              and c.chunk_id between ${BigInt(from)}::bigint and ${BigInt(to)}::bigint
              ${document === undefined ? sql`and d.status = 'ready'` : sql`and c.document_id = ${document}`}
              and not exists (select 1 from knowledge_vectors v
                where v.chunk_id = c.chunk_id and v.generation = ${generation}::int)
            order by c.chunk_id limit ${limit}`.pipe(Effect.orDie),
        countEmbedded: ({ attempt, generation, id, org_id }) =>
          sql`update knowledge_documents d set embedded = (select count(*)::int from knowledge_chunks c
              join knowledge_vectors v on v.chunk_id = c.chunk_id and v.generation = ${generation}::int
              where c.document_id = d.id)
            where d.org_id = ${org_id} and d.id = ${id} and d.attempt = ${attempt}`.pipe(Effect.asVoid, Effect.orDie),
        isCurrent: (org, collection, generation, model) =>
          sql`select 1 from knowledge_collections where org_id = ${org} and id = ${collection} and deleted_at is null
            and generation = ${generation}::int and embedding_model = ${model} for share`.pipe(
            Effect.map(some),
            Effect.orDie
          ),
        isWanted: (org, collection, generation, model) =>
          sql`select 1 from knowledge_collections where org_id = ${org} and id = ${collection} and deleted_at is null
            and (generation = ${generation}::int and embedding_model = ${model}
              or next_generation = ${generation}::int and next_model = ${model}) for share`.pipe(
            Effect.map(some),
            Effect.orDie
          ),
        insertVectors: (org, collection, generation, vectors) =>
          sql`insert into knowledge_vectors (chunk_id, generation, org_id, collection_id, code, emb)
            select c.chunk_id, ${generation}::int, ${org}, ${collection}, u.code::bit varying, u.emb
            from unnest(${int8Array(vectors.map(({ chunk_id }) => chunk_id))},
              ${textArray(vectors.map(({ code }) => code))}, ${byteaArray(vectors.map(({ emb }) => emb))})
              as u (chunk_id, code, emb)
            join knowledge_chunks c on c.org_id = ${org} and c.collection_id = ${collection} and c.chunk_id = u.chunk_id
            on conflict do nothing`.pipe(Effect.asVoid, Effect.orDie),
        progress: ({ id, org_id }, embedded, seconds) =>
          sql`update knowledge_documents set embedded = least(chunks, embedded + ${embedded}::int), tries = 0,
            lease_until = ${leaseOf(seconds)} where org_id = ${org_id} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        finish: ({ chunks, collection_id, id, org_id }) =>
          Effect.andThen(
            sql`update knowledge_documents set status = 'ready', embedded = chunks, lease_until = null, tries = 0,
              updated_at = hub_time_or_last() where org_id = ${org_id} and id = ${id}`,
            sql`update knowledge_collections set chunks = chunks + ${chunks}::int, version = version + 1
              where org_id = ${org_id} and id = ${collection_id}`
          ).pipe(Effect.asVoid, Effect.orDie),
        fail: ({ id, org_id }, { code, message }) =>
          sql`update knowledge_documents set status = 'failed', error_code = ${code}, error_message = ${message},
            lease_until = null, updated_at = hub_time_or_last() where org_id = ${org_id} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        claimReindex: (model, seconds) =>
          sql<ClaimedReindex>`with n as materialized (
              select c.id from knowledge_collections c
              where c.next_model = ${model} and ${sql.literal(isReindexDue)}
              order by c.due_at nulls first, c.id limit 1 for update skip locked)
            update knowledge_collections u set attempt = u.attempt + 1, lease_until = ${leaseOf(seconds)}
            from n where u.id = n.id
            returning u.id, u.org_id, u.next_generation, u.reindexed_to, u.attempt`.pipe(Effect.map(one), Effect.orDie),
        releaseReindex: ({ attempt, id, org_id }, delay) =>
          sql`update knowledge_collections set lease_until = null,
              due_at = hub_time_or_last() + ${delay}::int * interval '1 second'
            where org_id = ${org_id} and id = ${id} and attempt = ${attempt}`.pipe(Effect.asVoid, Effect.orDie),
        holdReindex: ({ attempt, id, org_id }) =>
          sql`select 1 from knowledge_collections where org_id = ${org_id} and id = ${id} and attempt = ${attempt}
            and next_model is not null and deleted_at is null for update`.pipe(Effect.map(some), Effect.orDie),
        toReindex: ({ id, next_generation, org_id }, after, limit) =>
          sql<UnembeddedRow>`select c.chunk_id, d.title, c.headings, c.body
            from knowledge_chunks c join knowledge_documents d on d.id = c.document_id
            where c.org_id = ${org_id} and c.collection_id = ${id} and c.chunk_id > ${BigInt(after)}::bigint
              and d.status = 'ready' and d.deleted_at is null and not exists (select 1 from knowledge_vectors v
                where v.chunk_id = c.chunk_id and v.generation = ${next_generation}::int)
            order by c.chunk_id limit ${limit}`.pipe(Effect.orDie),
        reindexProgress: ({ id, org_id }, to, count, seconds) =>
          sql`update knowledge_collections set reindexed_to = ${BigInt(to)}::bigint,
            reindexed = least(chunks, reindexed + ${count}::int), lease_until = ${leaseOf(seconds)}
            where org_id = ${org_id} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        finishReindex: ({ id, org_id }) =>
          sql`update knowledge_collections set generation = next_generation, embedding_model = next_model,
            dimensions = next_dimensions, next_generation = null, next_model = null, next_dimensions = null,
            lease_until = null, due_at = null, cleaning = true, version = version + 1
            where org_id = ${org_id} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        removeDocuments: (org, limit) =>
          Effect.gen(function*() {
            const ofOrg = org === undefined ? sql`` : sql`and d.org_id = ${org}`
            const chunks = yield* sql`delete from knowledge_chunks c using (
                select x.chunk_id from knowledge_documents d join knowledge_chunks x on x.document_id = d.id
                where d.deleted_at is not null ${ofOrg} limit ${limit}) n
              where c.chunk_id = n.chunk_id returning c.chunk_id`
            if (chunks.length > 0) return chunks.length
            const gone = yield* sql<{ id: string }>`select d.id from knowledge_documents d
              where d.deleted_at is not null ${ofOrg} limit ${limit} for update skip locked`
            if (gone.length === 0) return 0
            const ids = textArray(gone.map(({ id }) => id))
            // Another hub may insert the last passages of a document that was deleted meanwhile: then they go first.
            yield* sql`delete from knowledge_sources where document_id = any(${ids})`
            const removed = yield* sql`delete from knowledge_documents d where d.id = any(${ids})
              and not exists (select 1 from knowledge_chunks c where c.document_id = d.id) returning d.id`
            return removed.length
          }).pipe(Effect.orDie),
        removeCollections: (limit) =>
          Effect.gen(function*() {
            const marked = yield* sql`update knowledge_documents d set deleted_at = hub_time_or_last()
              from (select x.id from knowledge_collections c join knowledge_documents x on x.collection_id = c.id
                where c.deleted_at is not null and x.deleted_at is null limit ${limit}) n
              where d.id = n.id returning d.id`
            if (marked.length > 0) return { removed: marked.length, collections: [] }
            const rows = yield* sql<{ id: string }>`delete from knowledge_collections c where c.deleted_at is not null
              and not exists (select 1 from knowledge_documents d where d.collection_id = c.id) returning c.id`
            return { removed: rows.length, collections: rows.map(({ id }) => id) }
          }).pipe(Effect.orDie),
        removeStaleVectors: (limit) =>
          Effect.gen(function*() {
            const stale = sql`(x.generation < c.generation
              or x.generation > c.generation and x.generation is distinct from c.next_generation)`
            const removed = yield* sql`delete from knowledge_vectors v using (
                select x.chunk_id, x.generation from knowledge_collections c join knowledge_vectors x
                  on x.org_id = c.org_id and x.collection_id = c.id and ${stale}
                where c.cleaning limit ${limit}) n
              where v.chunk_id = n.chunk_id and v.generation = n.generation returning v.chunk_id`
            if (removed.length === 0) {
              yield* sql`update knowledge_collections c set cleaning = false where c.cleaning and not exists (
                select 1 from knowledge_vectors x
                where x.org_id = c.org_id and x.collection_id = c.id and ${stale})`
            }
            return removed.length
          }).pipe(Effect.orDie),
        removeSources: (days, limit) =>
          sql`delete from knowledge_sources s using (select x.document_id from knowledge_documents d
              join knowledge_sources x on x.document_id = d.id
              where d.status = 'failed' and d.updated_at < hub_time_or_last() - ${days}::int * interval '1 day'
              limit ${limit}) n
            where s.document_id = n.document_id returning s.document_id`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          ),
        states: sql<StateCount>`select status, count(*)::int as count from knowledge_documents
          where deleted_at is null group by status`.pipe(Effect.orDie)
      })
    })
  )
}

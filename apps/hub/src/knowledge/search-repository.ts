/** Candidates of a query, by the codes of vectors and by words. Spec: reference/knowledge.md "Query". */
import type { OrgId } from "@countersign/domain/ids"
import type { QueryFilter } from "@countersign/domain/knowledge"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { int8Array, likePattern, textArray } from "../platform/db.ts"
import { coverMin } from "./ranking.ts"
import { someOf } from "./words.ts"

/** Fewer candidates are enough while a collection is small. */
const candidatesMax = 200
const candidatesOfLargeMax = 500
const largeChunksMin = 300_000
/** By words. */
const wordCandidatesMax = 200
/** When more passages have enough of the words, some of them compete: words that are so frequent tell little. */
const wordMatchesMax = 1_000

/** Whether a collection of so many chunks needs more candidates. */
export const isLarge = (chunks: number): boolean => chunks >= largeChunksMin

export const candidatesOf = (chunks: number): number => isLarge(chunks) ? candidatesOfLargeMax : candidatesMax

/** The collection whose vectors of one generation are searched. */
export interface SearchedCollection {
  readonly org: OrgId
  readonly id: string
  readonly generation: number
}

export interface CandidateRow {
  readonly chunk_id: number
  readonly emb: Uint8Array
  /** The part of the query's words that the passage has; null when it is not searched by words. */
  readonly cover: number | null
}

export interface FoundRow {
  readonly chunk_id: number
  readonly document_id: string
  readonly title: string
  readonly number: number
  readonly start_at: number
  readonly end_at: number
  readonly page: number | null
  readonly headings: string
  readonly body: string
}

/** The words of a query in both dictionaries, the longest first. */
export interface QueryWords {
  readonly english: ReadonlyArray<string>
  readonly simple: ReadonlyArray<string>
}

export interface Search {
  /** The query's code, or the ids of the nearest passages by code. */
  readonly near: { readonly code: string; readonly count: number } | ReadonlyArray<bigint>
  /** The query is compared by words too; the passages with enough of them. */
  readonly words: { readonly of: QueryWords; readonly found: ReadonlyArray<number> } | undefined
  readonly filter: QueryFilter | undefined
}

/** The keys of a filter that restrict nothing are absent. */
const many = <A>(value: A | ReadonlyArray<A>): ReadonlyArray<A> => Array.isArray(value) ? value : [value as A]

export class KnowledgeSearchRepository extends Context.Service<KnowledgeSearchRepository, {
  readonly words: (query: string) => Effect.Effect<QueryWords>
  /** Those with enough of the words, in no order. */
  readonly byWords: (
    collection: SearchedCollection,
    words: QueryWords,
    filter: QueryFilter | undefined
  ) => Effect.Effect<ReadonlyArray<number>>
  /** The nearest passages and those found by words, in no order. */
  readonly candidates: (
    collection: SearchedCollection,
    search: Search
  ) => Effect.Effect<ReadonlyArray<CandidateRow>>
  /** Passages of documents that are ready, in no order. */
  readonly found: (
    collection: SearchedCollection,
    ids: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<FoundRow>>
  /** The codes after a passage, in the form that `CodeCache` reads. */
  readonly codePage: (collection: SearchedCollection, after: bigint) => Effect.Effect<Uint8Array>
}>()("@countersign/hub/knowledge/KnowledgeSearchRepository") {
  static readonly layer = Layer.effect(
    KnowledgeSearchRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient

      const documentsOf = (filter: QueryFilter | undefined): ReadonlyArray<Statement.Fragment> =>
        filter === undefined ? [] : [
          ...filter.document_id === undefined
            ? []
            : [sql`d.id = any(${textArray(many<string>(filter.document_id))})`],
          ...filter.content_type === undefined
            ? []
            : [sql`d.content_type = any(${textArray(many<string>(filter.content_type))})`],
          ...filter.title === undefined ? [] : [sql`d.title ilike ${likePattern(filter.title)}`]
        ]

      /** A condition on a passage, empty without a filter. */
      const ofDocuments = (
        { org }: SearchedCollection,
        filter: QueryFilter | undefined,
        chunk: Statement.Fragment
      ): Statement.Fragment => {
        const conditions = documentsOf(filter)
        return conditions.length === 0
          ? sql``
          : sql`and exists (select 1 from knowledge_chunks x join knowledge_documents d on d.id = x.document_id
              where x.chunk_id = ${chunk} and d.org_id = ${org} and ${sql.and(conditions)})`
      }

      /** Of the dictionary of the passage `c`. */
      const lexemesOf = (words: QueryWords): Statement.Fragment =>
        sql`case c.language when 'english' then ${textArray(words.english)} else ${textArray(words.simple)} end`

      /** The part of the words `q` that the passage `c` has. */
      const cover = sql`(length(c.tsv) - length(ts_delete(c.tsv, q.lexemes)))::real / nullif(cardinality(q.lexemes), 0)`

      return KnowledgeSearchRepository.of({
        words: (query) =>
          sql<QueryWords>`select
              array(select lexeme from unnest(to_tsvector('cs_english', ${query})) order by length(lexeme) desc, lexeme)
                as english,
              array(select lexeme from unnest(to_tsvector('cs_simple', ${query})) order by length(lexeme) desc, lexeme)
                as simple`.pipe(Effect.map(([words]) => words!), Effect.orDie),
        byWords: (collection, words, filter) => {
          const some = someOf(words.english, words.simple)
          if (some === undefined) return Effect.succeed([])
          return sql<{ chunk_id: number }>`select k.chunk_id from (
              select c.chunk_id, ${cover} as cover
              from knowledge_chunks c cross join lateral (select ${lexemesOf(words)} as lexemes) q
              where c.org_id = ${collection.org} and c.collection_id = ${collection.id}
                and c.tsv @@ ${some}::text::tsquery and ${cover} >= ${coverMin}::float8::real
                ${ofDocuments(collection, filter, sql`c.chunk_id`)}
              limit ${wordMatchesMax}) k
            order by k.cover desc, k.chunk_id limit ${wordCandidatesMax}`.pipe(
            Effect.map((rows) => rows.map(({ chunk_id }) => chunk_id)),
            Effect.orDie
          )
        },
        candidates: (collection, { filter, near, words }) => {
          const { generation, id, org } = collection
          const conditions = documentsOf(filter)
          const vec = "code" in near
            ? sql`select v.chunk_id from knowledge_vectors v
                where v.org_id = ${org} and v.collection_id = ${id} and v.generation = ${generation}::int
                  ${ofDocuments(collection, filter, sql`v.chunk_id`)}
                order by bit_count(v.code # ${near.code}::text::bit varying) limit ${near.count}`
            : sql`select unnest(${int8Array(near)}) as chunk_id`
          return sql<CandidateRow>`with vec as materialized (${vec})
            select c.chunk_id, v.emb, ${words === undefined ? sql`null::real` : cover} as cover
            from (select chunk_id from vec union select unnest(${int8Array(words?.found ?? [])})) f
            join knowledge_chunks c on c.chunk_id = f.chunk_id
            join knowledge_documents d on d.id = c.document_id
            join knowledge_vectors v on v.chunk_id = c.chunk_id and v.generation = ${generation}::int
            ${words === undefined ? sql`` : sql`cross join lateral (select ${lexemesOf(words.of)} as lexemes) q`}
            where c.org_id = ${org} and c.collection_id = ${id} and d.status = 'ready' and d.deleted_at is null
              ${conditions.length === 0 ? sql`` : sql`and ${sql.and(conditions)}`}`.pipe(Effect.orDie)
        },
        found: ({ id, org }, ids) =>
          sql<FoundRow>`select c.chunk_id, c.document_id, d.title, c.number, c.start_at, c.end_at, c.page, c.headings,
              c.body
            from knowledge_chunks c join knowledge_documents d on d.id = c.document_id
            where c.org_id = ${org} and c.collection_id = ${id} and c.chunk_id = any(${int8Array(ids)})
              and d.status = 'ready' and d.deleted_at is null`.pipe(Effect.orDie),
        codePage: ({ generation, id, org }, after) =>
          sql<
            { page: Uint8Array | null }
          >`select string_agg(int8send(p.chunk_id) || substring(varbit_send(p.code) from 5),
              ''::bytea order by p.chunk_id) as page
            from (select v.chunk_id, v.code from knowledge_vectors v
              where v.org_id = ${org} and v.collection_id = ${id} and v.generation = ${generation}::int
                and v.chunk_id > ${after}::bigint
              order by v.chunk_id limit 50000) p`.pipe(
            Effect.map(([row]) => row?.page ?? new Uint8Array()),
            Effect.orDie
          )
      })
    })
  )
}

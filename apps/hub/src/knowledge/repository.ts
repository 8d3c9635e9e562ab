/** Collections, their documents, and the passages of these. */
import type { AgentId, OrgId } from "@countersign/domain/ids"
import type { DocumentStatus } from "@countersign/domain/knowledge"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { likePattern } from "../platform/db.ts"
import { type KeyColumn, keysetOf, type Place, type Sorted } from "../platform/keyset.ts"

export interface CollectionRow {
  readonly id: string
  readonly org_id: OrgId
  readonly name: string
  readonly description: string
  readonly generation: number
  readonly embedding_model: string
  readonly dimensions: number
  readonly next_generation: number | null
  readonly next_model: string | null
  readonly reindexed: number
  readonly version: number
  readonly documents: number
  readonly chunks: number
  readonly created_at: Date
}

export interface NewCollection {
  readonly id: string
  readonly org_id: OrgId
  readonly user_id: string
  readonly name: string
  readonly description: string
  readonly embedding_model: string
  readonly dimensions: number
  readonly created_at: Date
}

export interface DocumentRow {
  readonly id: string
  readonly org_id: OrgId
  readonly collection_id: string
  readonly title: string
  readonly content_type: string
  readonly size_bytes: number
  readonly source: "text" | "upload" | "object"
  readonly object_id: string | null
  readonly status: DocumentStatus
  readonly chunks: number
  readonly embedded: number
  readonly pages: number | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

export interface NewDocument {
  readonly id: string
  readonly org_id: OrgId
  readonly collection_id: string
  readonly title: string
  readonly titled: boolean
  readonly content_type: string
  readonly declared_type: string | null
  readonly file_name: string | null
  readonly source: DocumentRow["source"]
  readonly object_id: string | null
  readonly bytes: Uint8Array
}

export interface PassageRow {
  readonly number: number
  readonly start_at: number
  readonly end_at: number
  readonly page: number | null
  readonly headings: string
  readonly body: string
}

/** Whose collections a caller reaches: those of the workspace, or of one person. */
export interface Reach {
  readonly org: OrgId
  readonly owner: string | undefined
}

export type CollectionSort = "created_at" | "name"
export type DocumentSort = "created_at" | "title"

export interface AgentReach {
  /** By an enabled binding of `knowledge.query`. */
  readonly bound: boolean
  readonly owner_user_id: string | null
  readonly role: string | null
}

export class KnowledgeRepository extends Context.Service<KnowledgeRepository, {
  readonly listCollections: (
    reach: Reach,
    q: string,
    sort: CollectionSort | `-${CollectionSort}`,
    after: Place | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<CollectionRow & Sorted>>
  readonly findCollection: (reach: Reach, id: string) => Effect.Effect<Option.Option<CollectionRow>>
  readonly countCollections: (org: OrgId) => Effect.Effect<number>
  readonly insertCollection: (collection: NewCollection) => Effect.Effect<void>
  /** From now on nobody finds it; the sweep removes its rows. */
  readonly deleteCollection: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
  /** Starts a reindex, or starts it again for another model. */
  readonly startReindex: (
    org: OrgId,
    id: string,
    to: { readonly model: string; readonly dimensions: number }
  ) => Effect.Effect<void>
  /** Adds to the number of documents of a collection that is not deleted; false if it is. */
  readonly countDocuments: (org: OrgId, id: string, by: number) => Effect.Effect<boolean>
  /** Removes a document's passages from those that answer. */
  readonly uncount: (org: OrgId, id: string, chunks: number) => Effect.Effect<void>
  readonly listDocuments: (
    org: OrgId,
    collection: string,
    filter: { readonly q: string; readonly status: DocumentStatus | undefined },
    sort: DocumentSort | `-${DocumentSort}`,
    after: Place | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<DocumentRow & Sorted>>
  readonly findDocument: (org: OrgId, collection: string, id: string) => Effect.Effect<Option.Option<DocumentRow>>
  /** The same, locked until the end of the transaction. */
  readonly lockDocument: (org: OrgId, collection: string, id: string) => Effect.Effect<Option.Option<DocumentRow>>
  /** The document with its bytes, queued. */
  readonly insertDocument: (document: NewDocument) => Effect.Effect<void>
  /** Makes sure that the workspace gets its turns. */
  readonly takeTurns: (org: OrgId) => Effect.Effect<void>
  /** The bytes of the workspace's documents that are not parsed. */
  readonly unparsedBytes: (org: OrgId) => Effect.Effect<number>
  readonly hasSource: (org: OrgId, id: string) => Effect.Effect<boolean>
  readonly isParsed: (org: OrgId, id: string) => Effect.Effect<boolean>
  readonly requeue: (org: OrgId, id: string) => Effect.Effect<void>
  /** From now on nobody finds it, and no passage of it answers. */
  readonly deleteDocument: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
  /** In the order of the document, from a number on. */
  readonly passages: (
    org: OrgId,
    document: string,
    from: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<PassageRow>>
  readonly agentReach: (org: OrgId, agent: AgentId) => Effect.Effect<AgentReach>
}>()("@countersign/hub/knowledge/KnowledgeRepository") {
  static readonly layer = Layer.effect(
    KnowledgeRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const collectionFields = sql.literal(
        `c.id, c.org_id, c.name, c.description, c.generation, c.embedding_model, c.dimensions, c.next_generation,
          c.next_model, c.reindexed, c.version, c.documents, c.chunks, c.created_at`
      )
      const documentFields = sql.literal(
        `d.id, d.org_id, d.collection_id, d.title, d.content_type, d.size_bytes, d.source, d.object_id, d.status,
          d.chunks, d.embedded, d.pages, d.error_code, d.error_message, d.created_at, d.updated_at`
      )
      const within = ({ org, owner }: Reach): Statement.Fragment =>
        owner === undefined
          ? sql`c.org_id = ${org} and c.deleted_at is null`
          : sql`c.org_id = ${org} and c.user_id = ${owner} and c.deleted_at is null`
      const collectionKeys: Readonly<Record<CollectionSort, KeyColumn>> = {
        created_at: { type: "time", column: sql`c.created_at` },
        name: { type: "text", column: sql`c.name` }
      }
      const documentKeys: Readonly<Record<DocumentSort, KeyColumn>> = {
        created_at: { type: "time", column: sql`d.created_at` },
        title: { type: "text", column: sql`d.title` }
      }
      const one = <A>(rows: ReadonlyArray<A>) => Option.fromNullishOr(rows[0]) as Option.Option<A>
      const containing = (column: Statement.Fragment, q: string): Statement.Fragment =>
        q === "" ? sql`` : sql`and ${column} ilike ${likePattern(q)}`

      return KnowledgeRepository.of({
        listCollections: (reach, q, sort, after, limit) => {
          const keyset = keysetOf(sql, sort, collectionKeys[sort.replace("-", "") as CollectionSort], sql`c.id`)
          return sql<CollectionRow & Sorted>`select ${collectionFields}, ${keyset.key} as sort_key
            from knowledge_collections c where ${within(reach)} ${containing(sql`c.name`, q)}
            ${after === undefined ? sql`` : sql`and ${keyset.after(after)}`}
            ${keyset.order} limit ${limit}`.pipe(Effect.orDie)
        },
        findCollection: (reach, id) =>
          sql<CollectionRow>`select ${collectionFields} from knowledge_collections c
            where ${within(reach)} and c.id = ${id}`.pipe(Effect.map(one), Effect.orDie),
        countCollections: (org) =>
          sql<{ count: number }>`select count(*)::int as count from knowledge_collections
            where org_id = ${org} and deleted_at is null`.pipe(
            Effect.map(([row]) => row?.count ?? 0),
            Effect.orDie
          ),
        insertCollection: ({ org_id, ...collection }) =>
          sql`insert into knowledge_collections ${sql.insert({ ...collection, org_id })}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        deleteCollection: (org, id, at) =>
          sql`update knowledge_collections set deleted_at = ${at} where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        startReindex: (org, id, { dimensions, model }) =>
          sql`update knowledge_collections set next_generation = coalesce(next_generation, generation) + 1,
            next_model = ${model}, next_dimensions = ${dimensions}, reindexed_to = 0, reindexed = 0, due_at = null,
            lease_until = null, attempt = attempt + 1, cleaning = cleaning or next_generation is not null
            where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        countDocuments: (org, id, by) =>
          sql`update knowledge_collections set documents = documents + ${by}::int
            where org_id = ${org} and id = ${id} and deleted_at is null returning id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        uncount: (org, id, chunks) =>
          sql`update knowledge_collections set chunks = chunks - ${chunks}::int, version = version + 1
            where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        listDocuments: (org, collection, { q, status }, sort, after, limit) => {
          const keyset = keysetOf(sql, sort, documentKeys[sort.replace("-", "") as DocumentSort], sql`d.id`)
          return sql<DocumentRow & Sorted>`select ${documentFields}, ${keyset.key} as sort_key
            from knowledge_documents d where d.org_id = ${org} and d.collection_id = ${collection}
            and d.deleted_at is null ${containing(sql`d.title`, q)}
            ${status === undefined ? sql`` : sql`and d.status = ${status}`}
            ${after === undefined ? sql`` : sql`and ${keyset.after(after)}`}
            ${keyset.order} limit ${limit}`.pipe(Effect.orDie)
        },
        findDocument: (org, collection, id) =>
          sql<DocumentRow>`select ${documentFields} from knowledge_documents d
            where d.org_id = ${org} and d.collection_id = ${collection} and d.id = ${id} and d.deleted_at is null`.pipe(
            Effect.map(one),
            Effect.orDie
          ),
        lockDocument: (org, collection, id) =>
          sql<DocumentRow>`select ${documentFields} from knowledge_documents d
            where d.org_id = ${org} and d.collection_id = ${collection} and d.id = ${id} and d.deleted_at is null
            for update`.pipe(Effect.map(one), Effect.orDie),
        insertDocument: ({ bytes, ...document }) =>
          Effect.andThen(
            sql`insert into knowledge_documents (id, org_id, collection_id, title, titled, content_type, declared_type,
                file_name, size_bytes, source, object_id, status, turn_at, created_at, updated_at)
              select ${document.id}, ${document.org_id}, ${document.collection_id}, ${document.title},
                ${document.titled}, ${document.content_type}, ${document.declared_type}, ${document.file_name},
                ${bytes.byteLength}::int, ${document.source}, ${document.object_id}, 'queued', now.at, now.at, now.at
              from (select hub_time_or_last() as at) now`,
            sql`insert into knowledge_sources (document_id, org_id, size_bytes, bytes)
              values (${document.id}, ${document.org_id}, ${bytes.byteLength}::int, ${bytes})`
          ).pipe(Effect.asVoid, Effect.orDie),
        takeTurns: (org) =>
          sql`insert into knowledge_turns (org_id, turn_at) values (${org}, hub_time_or_last())
            on conflict (org_id) do nothing`.pipe(Effect.asVoid, Effect.orDie),
        unparsedBytes: (org) =>
          sql<{ bytes: number }>`select coalesce(sum(size_bytes), 0)::bigint as bytes from knowledge_sources
            where org_id = ${org}`.pipe(
            Effect.map(([row]) => row?.bytes ?? 0),
            Effect.orDie
          ),
        hasSource: (org, id) =>
          sql`select 1 from knowledge_sources where org_id = ${org} and document_id = ${id}`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        isParsed: (org, id) =>
          sql`select 1 from knowledge_documents where org_id = ${org} and id = ${id} and parsed_at is not null`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        requeue: (org, id) =>
          sql`update knowledge_documents set status = 'queued', error_code = null, error_message = null, tries = 0,
            turn_at = hub_time_or_last(), updated_at = hub_time_or_last()
            where org_id = ${org} and id = ${id} and status = 'failed'`.pipe(Effect.asVoid, Effect.orDie),
        deleteDocument: (org, id, at) =>
          sql`update knowledge_documents set deleted_at = ${at} where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        passages: (org, document, from, limit) =>
          sql<PassageRow>`select number, start_at, end_at, page, headings, body from knowledge_chunks
            where org_id = ${org} and document_id = ${document} and number >= ${from}::int
            order by number limit ${limit}`.pipe(Effect.orDie),
        agentReach: (org, agent) =>
          sql<AgentReach>`select a.owner_user_id, m.role, exists (select 1 from bindings b
              where b.org_id = ${org} and b.agent_id = a.id and b.service = 'knowledge' and b.enabled
                and b.operations && array['*', 'query']) as bound
          from agents a left join memberships m on m.org_id = a.org_id and m.user_id = a.owner_user_id
          where a.org_id = ${org} and a.id = ${agent}`.pipe(
            Effect.map(([row]) => row ?? { bound: false, owner_user_id: null, role: null }),
            Effect.orDie
          )
      })
    })
  )
}

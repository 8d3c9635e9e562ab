/** Collections and documents of people. Spec: reference/knowledge.md "Endpoints". */
import type { UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  conflict,
  gone,
  invalidField,
  notFound,
  payloadTooLarge,
  unsupportedMediaType
} from "@countersign/domain/errors"
import { idPattern, newId } from "@countersign/domain/ids"
import {
  type AddDocumentInput,
  type Collection,
  collectionsMax,
  type CreateCollectionInput,
  documentBytesMax,
  documentsMax,
  type DocumentStatus,
  type KnowledgeDocument,
  type Passage,
  type QueryAnswer,
  type QueryInput,
  retryDays,
  unparsedBytesMax
} from "@countersign/domain/knowledge"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer, Option } from "effect"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { decodePlace, toSortedPage } from "../platform/keyset.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Storage } from "../storage/service.ts"
import { Embedder } from "./embedder/embedder.ts"
import { DocumentParser } from "./parsing/parser.ts"
import { KnowledgeQueries, modelChanged } from "./queries.ts"
import {
  type CollectionRow,
  type CollectionSort,
  type DocumentRow,
  type DocumentSort,
  KnowledgeRepository,
  type NewDocument
} from "./repository.ts"
import { asTitle, isDocumentType, nameOf, reachOf, toCollection, toDocument, toPassage, untitled } from "./rules.ts"
import { KnowledgeSweeper } from "./sweeper.ts"

export interface CollectionQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly q?: string
  readonly sort?: CollectionSort | `-${CollectionSort}`
}

export interface DocumentQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly q?: string
  readonly status?: DocumentStatus
  readonly sort?: DocumentSort | `-${DocumentSort}`
}

export interface PassageQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly from?: number
}

/** A document whose bytes have arrived. */
export interface ReceivedDocument {
  readonly title?: string
  readonly contentType?: string
  readonly fileName?: string
  readonly source: NewDocument["source"]
  readonly objectId?: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

interface PageOf<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string | null
  readonly as_of: string
}

const ofCollection = (id: string) => ({ type: "knowledge_collection", id })
const ofDocument = (id: string) => ({ type: "knowledge_document", id })

export class Knowledge extends Context.Service<Knowledge, {
  readonly listCollections: (
    user: UserPrincipal,
    query: CollectionQuery
  ) => Effect.Effect<PageOf<Collection>, ApiError>
  readonly createCollection: (user: UserPrincipal, input: CreateCollectionInput) => Effect.Effect<Collection, ApiError>
  readonly getCollection: (user: UserPrincipal, id: string) => Effect.Effect<Collection, ApiError>
  readonly removeCollection: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
  readonly reindex: (user: UserPrincipal, id: string) => Effect.Effect<Collection, ApiError>
  readonly listDocuments: (
    user: UserPrincipal,
    collection: string,
    query: DocumentQuery
  ) => Effect.Effect<PageOf<KnowledgeDocument>, ApiError>
  /** The text or the object of a JSON body, as a document. */
  readonly receive: (user: UserPrincipal, input: AddDocumentInput) => Effect.Effect<ReceivedDocument, ApiError>
  /** Queues it. 415 for another type, or for bytes of another type than declared. */
  readonly addDocument: (
    user: UserPrincipal,
    collection: string,
    document: ReceivedDocument
  ) => Effect.Effect<KnowledgeDocument, ApiError>
  readonly getDocument: (
    user: UserPrincipal,
    collection: string,
    id: string
  ) => Effect.Effect<KnowledgeDocument, ApiError>
  readonly removeDocument: (user: UserPrincipal, collection: string, id: string) => Effect.Effect<void, ApiError>
  readonly retryDocument: (
    user: UserPrincipal,
    collection: string,
    id: string
  ) => Effect.Effect<KnowledgeDocument, ApiError>
  readonly listPassages: (
    user: UserPrincipal,
    collection: string,
    document: string,
    query: PassageQuery
  ) => Effect.Effect<PageOf<Passage>, ApiError>
  readonly query: (user: UserPrincipal, collection: string, input: QueryInput) => Effect.Effect<QueryAnswer, ApiError>
}>()("@countersign/hub/knowledge/Knowledge") {
  static readonly layer = Layer.effect(
    Knowledge,
    Effect.gen(function*() {
      const repository = yield* KnowledgeRepository
      const queries = yield* KnowledgeQueries
      const sweeper = yield* KnowledgeSweeper
      const embedder = yield* Embedder
      const parser = yield* DocumentParser
      const storage = yield* Storage
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const shown = (row: CollectionRow) => toCollection(row, embedder.model)

      const collectionOf = (user: UserPrincipal, id: string): Effect.Effect<CollectionRow, ApiError> =>
        Effect.flatMap(
          repository.findCollection(reachOf(user), id),
          Option.match({ onNone: () => Effect.fail(notFound("collection")), onSome: Effect.succeed })
        )

      /** A document of a collection that the person reaches. */
      const documentOf = Effect.fnUntraced(function*(user: UserPrincipal, collection: string, id: string) {
        yield* collectionOf(user, collection)
        const found = Option.getOrUndefined(yield* repository.findDocument(user.org_id, collection, id))
        return found === undefined ? yield* Effect.fail(notFound("document")) : found
      })

      /** The same, locked, under the workspace's lock. */
      const locked = Effect.fnUntraced(function*(user: UserPrincipal, collection: string, id: string) {
        const at = yield* heads.lock(user.org_id)
        yield* collectionOf(user, collection)
        const found = Option.getOrUndefined(yield* repository.lockDocument(user.org_id, collection, id))
        return found === undefined ? yield* Effect.fail(notFound("document")) : { at, row: found }
      })

      const createCollection = Effect.fn("Knowledge.createCollection")(function*(
        user: UserPrincipal,
        { description = "", name }: CreateCollectionInput
      ) {
        const id = newId("col")
        const org = user.org_id
        const at = yield* heads.lock(org)
        if ((yield* repository.countCollections(org)) >= collectionsMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A workspace can have ${collectionsMax} collections; delete one first.`, {
              max: collectionsMax
            })
          )
        }
        const { dimensions, model } = embedder
        yield* repository.insertCollection({
          id,
          org_id: org,
          user_id: user.user_id,
          name,
          description,
          embedding_model: model,
          dimensions,
          created_at: at
        })
        const row = yield* collectionOf(user, id)
        yield* audit.record(org, actorOf(user), {
          action: "knowledge_collection.created",
          subject: ofCollection(id),
          data: { name, embedding_model: model, dimensions }
        })
        return shown(row)
      }, db.transaction)

      const markCollectionRemoved = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        const at = yield* heads.lock(user.org_id)
        const row = yield* collectionOf(user, id)
        yield* repository.deleteCollection(user.org_id, id, at)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "knowledge_collection.deleted",
          subject: ofCollection(id),
          data: { name: row.name, documents: row.documents }
        })
      }, db.transaction)

      const reindex = Effect.fn("Knowledge.reindex")(function*(user: UserPrincipal, id: string) {
        yield* heads.lock(user.org_id)
        const row = yield* collectionOf(user, id)
        const { dimensions, model } = embedder
        if (row.embedding_model === model || row.next_model === model) return shown(row)
        yield* repository.startReindex(user.org_id, id, { model, dimensions })
        const changed = yield* collectionOf(user, id)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "knowledge_collection.reindex_started",
          subject: ofCollection(id),
          data: { embedding_model: { from: row.embedding_model, to: model } }
        })
        return shown(changed)
      }, db.transaction)

      const receive = Effect.fn("Knowledge.receive")(function*(
        user: UserPrincipal,
        { content_type = "text/plain", object_id, text = "", title }: AddDocumentInput
      ): Effect.fn.Return<ReceivedDocument, ApiError> {
        const named = title === undefined ? {} : { title }
        if (object_id === undefined) {
          const bytes = new TextEncoder().encode(text)
          if (bytes.byteLength > documentBytesMax) {
            return yield* Effect.fail(payloadTooLarge(`A document has at most ${documentBytesMax} bytes.`))
          }
          return { ...named, contentType: `${content_type}; charset=utf-8`, source: "text", bytes }
        }
        if (!user.permissions.has("storage:read")) {
          return yield* Effect.fail(invalidField("object_id", "no such object"))
        }
        const { bytes, object } = yield* storage.read(user, object_id, documentBytesMax).pipe(
          Effect.mapError((error) =>
            error.error.code === "not_found" ? invalidField("object_id", "no such object") : error
          )
        )
        return {
          ...named,
          contentType: object.content_type,
          fileName: object.key,
          source: "object",
          objectId: object_id,
          bytes
        }
      })

      const insert = Effect.fnUntraced(function*(
        user: UserPrincipal,
        collection: string,
        document: Omit<NewDocument, "id" | "org_id" | "collection_id">
      ) {
        const id = newId("doc")
        const org = user.org_id
        // The bytes are written before the workspace's lock is taken.
        yield* repository.insertDocument({ ...document, id, org_id: org, collection_id: collection })
        yield* heads.lock(org)
        const { documents, embedding_model, next_model } = yield* collectionOf(user, collection)
        if (embedding_model !== embedder.model && next_model !== embedder.model) {
          return yield* Effect.fail(modelChanged({ embedding_model, next_model }, embedder.model))
        }
        if (documents >= documentsMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A collection can have ${documentsMax} documents; delete some first.`, {
              max: documentsMax
            })
          )
        }
        if ((yield* repository.unparsedBytes(org)) > unparsedBytesMax) {
          return yield* Effect.fail(
            conflict("limit_reached", "Too many documents wait to be parsed, or failed. Retry later, or delete some.", {
              max_bytes: unparsedBytesMax
            })
          )
        }
        yield* repository.countDocuments(org, collection, 1)
        yield* repository.takeTurns(org)
        const row = yield* documentOf(user, collection, id)
        yield* audit.record(org, actorOf(user), {
          action: "knowledge_document.created",
          subject: ofDocument(id),
          data: {
            collection_id: collection,
            title: row.title,
            content_type: row.content_type,
            size_bytes: row.size_bytes,
            ...document.object_id === null ? {} : { object_id: document.object_id }
          }
        })
        return toDocument(row)
      }, db.transaction)

      const addDocument = Effect.fn("Knowledge.addDocument")(function*(
        user: UserPrincipal,
        collection: string,
        { bytes, contentType, fileName, objectId, source, title }: ReceivedDocument
      ) {
        yield* collectionOf(user, collection)
        if (bytes.byteLength > documentBytesMax) {
          return yield* Effect.fail(payloadTooLarge(`A document has at most ${documentBytesMax} bytes.`))
        }
        const declared = {
          ...contentType === undefined ? {} : { contentType },
          ...fileName === undefined ? {} : { fileName }
        }
        const type = yield* Effect.mapError(
          parser.typeOf({ bytes, ...declared }),
          ({ detail }) => unsupportedMediaType(detail)
        )
        if (!isDocumentType(type)) return yield* Effect.fail(unsupportedMediaType("The type is not supported."))
        return yield* insert(user, collection, {
          title: title ?? nameOf(fileName ?? "") ?? untitled,
          titled: title !== undefined,
          content_type: type,
          declared_type: contentType ?? null,
          file_name: fileName === undefined ? null : asTitle(fileName) ?? null,
          source,
          object_id: objectId ?? null,
          bytes
        })
      })

      const markDocumentRemoved = Effect.fnUntraced(function*(user: UserPrincipal, collection: string, id: string) {
        const { at, row } = yield* locked(user, collection, id)
        yield* repository.deleteDocument(user.org_id, id, at)
        yield* repository.countDocuments(user.org_id, collection, -1)
        if (row.status === "ready") yield* repository.uncount(user.org_id, collection, row.chunks)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "knowledge_document.deleted",
          subject: ofDocument(id),
          data: { collection_id: collection, title: row.title }
        })
      }, db.transaction)

      const retryDocument = Effect.fn("Knowledge.retryDocument")(function*(
        user: UserPrincipal,
        collection: string,
        id: string
      ) {
        const { row } = yield* locked(user, collection, id)
        if (row.status !== "failed") {
          return yield* Effect.fail(
            conflict("conflict", `The document is ${row.status}; only a failed one is retried.`, { status: row.status })
          )
        }
        const isThere = (yield* repository.isParsed(user.org_id, id)) || (yield* repository.hasSource(user.org_id, id))
        if (!isThere) {
          return yield* Effect.fail(
            gone(`The document failed over ${retryDays} days ago. Delete it, and add it again.`)
          )
        }
        yield* repository.requeue(user.org_id, id)
        yield* repository.takeTurns(user.org_id)
        const queued = yield* documentOf(user, collection, id)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "knowledge_document.retried",
          subject: ofDocument(id),
          data: { collection_id: collection, title: row.title }
        })
        return toDocument(queued)
      }, db.transaction)

      return Knowledge.of({
        listCollections: Effect.fn("Knowledge.listCollections")(function*(
          user,
          { cursor, limit, q = "", sort = "-created_at" }
        ) {
          const after = yield* decodePlace(cursor, sort, sort.endsWith("name") ? "text" : "time", idPattern("col"))
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.listCollections(
            reachOf(user),
            q,
            sort,
            after,
            (limit ?? pageLimitDefault) + 1
          )
          const { data, next_cursor } = toSortedPage(rows, limit, sort)
          return { data: data.map(shown), next_cursor, as_of }
        }),
        createCollection,
        getCollection: (user, id) => Effect.map(collectionOf(user, id), shown),
        removeCollection: Effect.fn("Knowledge.removeCollection")(function*(user, id) {
          yield* markCollectionRemoved(user, id)
          yield* sweeper.soon
        }),
        reindex,
        listDocuments: Effect.fn("Knowledge.listDocuments")(function*(
          user,
          collection,
          { cursor, limit, q = "", sort = "-created_at", status }
        ) {
          yield* collectionOf(user, collection)
          const after = yield* decodePlace(cursor, sort, sort.endsWith("title") ? "text" : "time", idPattern("doc"))
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.listDocuments(
            user.org_id,
            collection,
            { q, status },
            sort,
            after,
            (limit ?? pageLimitDefault) + 1
          )
          const { data, next_cursor } = toSortedPage<DocumentRow & typeof rows[number]>(rows, limit, sort)
          return { data: data.map(toDocument), next_cursor, as_of }
        }),
        receive,
        addDocument,
        getDocument: (user, collection, id) => Effect.map(documentOf(user, collection, id), toDocument),
        removeDocument: Effect.fn("Knowledge.removeDocument")(function*(user, collection, id) {
          yield* markDocumentRemoved(user, collection, id)
          // The sweep repeats it if this hub stops.
          yield* sweeper.removeDocuments(user.org_id)
        }),
        retryDocument,
        listPassages: Effect.fn("Knowledge.listPassages")(function*(user, collection, id, { cursor, from, limit }) {
          yield* documentOf(user, collection, id)
          const [place] = (yield* decodeCursor(cursor, [/^\d{1,9}$/])) ?? []
          const first = place === undefined ? from ?? 0 : Number(place) + 1
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.passages(user.org_id, id, first, (limit ?? pageLimitDefault) + 1)
          const { data, next_cursor } = toPage(rows, limit, ({ number }) => [number])
          return { data: data.map(toPassage), next_cursor, as_of }
        }),
        query: (user, collection, input) => queries.run(reachOf(user), collection, input)
      })
    })
  )
}

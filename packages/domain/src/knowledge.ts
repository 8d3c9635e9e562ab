/**
 * Knowledge: documents in collections, split into passages that a question finds by meaning and by words. Spec:
 * reference/knowledge.md "Endpoints".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnyAccess, ReadsBody, RefusesTokens, Requires, SessionAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { CollectionId, DocumentId, StorageObjectId } from "./ids.ts"
import { IntegerInQuery, Page, PageQuery, sortBy } from "./pagination.ts"
import { Label, Prose } from "./text.ts"

/** The largest document, in bytes: as text, as an upload, or as a storage object. */
export const documentBytesMax = 10 * 1024 * 1024
export const collectionsMax = 1_000
/** For each collection. */
export const documentsMax = 100_000
/** For each document. */
export const passagesMax = 20_000
/** Bytes of a workspace's documents that are not yet parsed. */
export const unparsedBytesMax = 1024 * 1024 * 1024
export const collectionNameMax = 100
export const collectionDescriptionMax = 1_000
export const documentTitleMax = 300
export const queryLengthMax = 2_000
export const topKMax = 50
export const topKDefault = 10
export const filterDocumentsMax = 200
/** How long the bytes of a failed document are kept for a retry. */
export const retryDays = 7

export const documentTypes = [
  "text/plain",
  "text/markdown",
  "text/html",
  "application/pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
] as const
export const DocumentType = Schema.Literals(documentTypes)
export type DocumentType = typeof DocumentType.Type

export const DocumentStatus = Schema.Literals(["queued", "processing", "ready", "failed"])
export type DocumentStatus = typeof DocumentStatus.Type

/** Why a document has no passages. Readers should accept further codes. */
export const documentErrors = [
  "unsupported_type",
  "encrypted",
  "too_large",
  "too_many_pages",
  "unreadable",
  "timed_out",
  "out_of_memory",
  "empty",
  "embedding_failed",
  "embedding_blocked",
  "approval_required",
  "interrupted"
] as const

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A whole percentage. */
const Progress = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })).annotate({
  description: "0 to 100"
})

export const Collection = Schema.Struct({
  id: CollectionId,
  name: Schema.String,
  description: Schema.String,
  /** The model that made the vectors of the collection; only a reindex changes it. */
  embedding_model: Schema.String,
  /** The numbers of a vector. */
  dimensions: Schema.Int,
  /** `reindexing`: passages get vectors of another model, and the earlier ones still answer where possible. */
  status: Schema.Literals(["ready", "reindexing"]),
  /** Of the reindex; 100 while `ready`. */
  progress: Progress,
  /** The hub embeds with another model now: queries are 409 until the collection is reindexed. */
  needs_reindex: Schema.Boolean,
  documents: count,
  /** Passages of documents that are `ready`. */
  chunks: count,
  created_at: Schema.String
}).annotate({ identifier: "KnowledgeCollection" })
export type Collection = typeof Collection.Type

export const CreateCollectionInput = Schema.Struct({
  name: Label(collectionNameMax),
  description: Schema.optionalKey(Prose(collectionDescriptionMax))
}).annotate({ identifier: "CreateKnowledgeCollectionInput" })
export type CreateCollectionInput = typeof CreateCollectionInput.Type

export const KnowledgeDocument = Schema.Struct({
  id: DocumentId,
  collection_id: CollectionId,
  title: Schema.String,
  content_type: DocumentType,
  size_bytes: count,
  source: Schema.Literals(["text", "upload", "object"]),
  /** The storage object that the document was copied from; it may be deleted by now. */
  object_id: Schema.optionalKey(StorageObjectId),
  status: DocumentStatus,
  progress: Progress,
  /** Passages, known once the document is parsed. */
  chunks: count,
  /** Of a PDF. */
  pages: Schema.optionalKey(count),
  /** Present while `failed`. */
  error: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String })),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "KnowledgeDocument" })
export type KnowledgeDocument = typeof KnowledgeDocument.Type

const DocumentTitle = Label(documentTitleMax)

export const AddDocumentInput = Schema.Struct({
  /** Default: the name of the file or object, or the first heading or line of a text. */
  title: Schema.optionalKey(DocumentTitle),
  /** Of `text`; default `text/plain`. */
  content_type: Schema.optionalKey(Schema.Literals(["text/plain", "text/markdown", "text/html"])),
  text: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((text: string) => {
        if (!text.isWellFormed()) return "expected well-formed text"
        return text.trim() === "" ? "expected text that is not blank" : undefined
      })
    )
  ),
  /** A live storage object; its bytes are copied. */
  object_id: Schema.optionalKey(StorageObjectId)
}).check(
  Schema.makeFilter(({ content_type, object_id, text }: {
    readonly text?: string
    readonly object_id?: string
    readonly content_type?: string
  }) => {
    if ((text === undefined) === (object_id === undefined)) {
      return { path: ["text"], issue: "send either text or object_id" }
    }
    return object_id !== undefined && content_type !== undefined
      ? { path: ["content_type"], issue: "an object has its own content type" }
      : undefined
  })
).annotate({ identifier: "AddKnowledgeDocumentInput" })
export type AddDocumentInput = typeof AddDocumentInput.Type

export const Position = Schema.Struct({
  /** The number of the passage in its document, from 0. */
  chunk: count,
  /** Where the passage begins and ends in the document's text, in UTF-16 units. */
  start: count,
  end: count,
  /** From 1, of documents with pages. */
  page: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "KnowledgePosition" })
export type Position = typeof Position.Type

export const Passage = Schema.Struct({
  text: Schema.String,
  /** The headings above the passage, the outermost first. */
  headings: Schema.Array(Schema.String),
  position: Position
}).annotate({ identifier: "KnowledgePassage" })
export type Passage = typeof Passage.Type

const oneOrMany = <S extends Schema.Top>(item: S, maximum: number) =>
  Schema.Union([item, Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(maximum))])

export const QueryFilter = Schema.Struct({
  document_id: Schema.optionalKey(oneOrMany(DocumentId, filterDocumentsMax)),
  content_type: Schema.optionalKey(oneOrMany(DocumentType, documentTypes.length)),
  /** Part of the title, in upper or lower case. */
  title: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(documentTitleMax)))
}).annotate({ identifier: "KnowledgeFilter" })
export type QueryFilter = typeof QueryFilter.Type

const visible = /[^\s\u2800]/u

export const QueryInput = Schema.Struct({
  query: Schema.String.check(
    Schema.isMinLength(1),
    Schema.isMaxLength(queryLengthMax),
    Schema.makeFilter((text: string) =>
      text.isWellFormed() && !text.includes("\u0000") && visible.test(text)
        ? undefined
        : "expected well-formed text that is not blank, without NUL"
    )
  ),
  top_k: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: topKMax }))),
  filter: Schema.optionalKey(QueryFilter),
  /** Default true: by meaning and by words. False: by meaning only. */
  hybrid: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "KnowledgeQueryInput" })
export type QueryInput = typeof QueryInput.Type

export const QueryResult = Schema.Struct({
  text: Schema.String,
  /** Higher is better. Comparable within one answer only. */
  score: Schema.Number,
  headings: Schema.Array(Schema.String),
  position: Position,
  document: Schema.Struct({ id: DocumentId, title: Schema.String })
}).annotate({ identifier: "KnowledgeQueryResult" })
export type QueryResult = typeof QueryResult.Type

/** The best passages first. */
export const QueryAnswer = Schema.Struct({ data: Schema.Array(QueryResult) })
  .annotate({ identifier: "KnowledgeQueryAnswer" })
export type QueryAnswer = typeof QueryAnswer.Type

export const collectionSorts = sortBy(["created_at", "name"])
export const documentSorts = sortBy(["created_at", "title"])

const params = { id: CollectionId }
const documentParams = { id: CollectionId, docId: DocumentId }
/** Part of a name or title. */
const searched = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(documentTitleMax)))

export class KnowledgeGroup extends HttpApiGroup.make("knowledge").add(
  HttpApiEndpoint.get("listCollections", "/knowledge/collections", {
    query: { ...PageQuery, q: searched, sort: collectionSorts },
    success: Page(Collection)
  }).middleware(SessionAccess).annotate(Requires, "knowledge:read").annotate(
    OpenApi.Description,
    "Collections whose names contain `q`, newest first. Members see their own."
  ),
  HttpApiEndpoint.post("createCollection", "/knowledge/collections", {
    payload: CreateCollectionInput,
    success: Created(Collection)
  }).middleware(SessionAccess).annotate(Requires, "knowledge:write").annotate(
    OpenApi.Description,
    "Creates a collection with the hub's embedding model of this moment. A workspace has at most " +
      `${collectionsMax} collections: 409 \`limit_reached\`.`
  ),
  HttpApiEndpoint.get("getCollection", "/knowledge/collections/:id", { params, success: Collection })
    .middleware(SessionAccess).annotate(Requires, "knowledge:read").annotate(OpenApi.Description, "One collection."),
  HttpApiEndpoint.delete("removeCollection", "/knowledge/collections/:id", {
    params,
    success: HttpApiSchema.NoContent
  }).middleware(SessionAccess).annotate(Requires, "knowledge:write").annotate(
    OpenApi.Description,
    "Deletes a collection with all its documents. It is not found from now on; its rows are removed in the background."
  ),
  HttpApiEndpoint.post("reindex", "/knowledge/collections/:id/reindex", {
    params,
    success: Collection.pipe(HttpApiSchema.status(202))
  }).middleware(SessionAccess).annotate(Requires, "knowledge:write").annotate(
    OpenApi.Description,
    "Makes the vectors of the hub's current embedding model in the background; then the collection changes to it. " +
      "A collection that already has it, or is being reindexed to it, stays as it is."
  ),
  HttpApiEndpoint.get("listDocuments", "/knowledge/collections/:id/documents", {
    params,
    query: { ...PageQuery, q: searched, status: Schema.optionalKey(DocumentStatus), sort: documentSorts },
    success: Page(KnowledgeDocument)
  }).middleware(SessionAccess).annotate(Requires, "knowledge:read").annotate(
    OpenApi.Description,
    "Documents whose titles contain `q`, newest first."
  ),
  HttpApiEndpoint.post("addDocument", "/knowledge/collections/:id/documents", {
    params,
    payload: AddDocumentInput,
    success: KnowledgeDocument.pipe(HttpApiSchema.status(202))
  }).middleware(SessionAccess).annotate(Requires, "knowledge:write").annotate(ReadsBody, true).annotate(
    OpenApi.Description,
    "Adds a document: `text`, the bytes of a storage object, or `multipart/form-data` with the fields `file` and " +
      `\`title\`. At most ${
        documentBytesMax / 1024 / 1024
      } MiB of plain text, Markdown, HTML, PDF, or DOCX. It is parsed, split ` +
      "into passages, and embedded in the background; `status` and `progress` show how far. Another type is 415."
  ),
  HttpApiEndpoint.get("getDocument", "/knowledge/collections/:id/documents/:docId", {
    params: documentParams,
    success: KnowledgeDocument
  }).middleware(SessionAccess).annotate(Requires, "knowledge:read").annotate(OpenApi.Description, "One document."),
  HttpApiEndpoint.delete("removeDocument", "/knowledge/collections/:id/documents/:docId", {
    params: documentParams,
    success: HttpApiSchema.NoContent
  }).middleware(SessionAccess).annotate(Requires, "knowledge:write").annotate(
    OpenApi.Description,
    "Deletes a document with its passages and vectors, in any status."
  ),
  HttpApiEndpoint.post("retryDocument", "/knowledge/collections/:id/documents/:docId/retry", {
    params: documentParams,
    success: KnowledgeDocument.pipe(HttpApiSchema.status(202))
  }).middleware(SessionAccess).annotate(Requires, "knowledge:write").annotate(
    OpenApi.Description,
    `Queues a failed document again, within ${retryDays} days of its failure; after that 410. Another status is 409.`
  ),
  HttpApiEndpoint.get("listPassages", "/knowledge/collections/:id/documents/:docId/chunks", {
    params: documentParams,
    query: { ...PageQuery, from: Schema.optionalKey(IntegerInQuery(0, passagesMax)) },
    success: Page(Passage)
  }).middleware(SessionAccess).annotate(Requires, "knowledge:read").annotate(
    OpenApi.Description,
    "The passages of a document in their order, from the number `from` on. Two neighbors may overlap."
  ),
  HttpApiEndpoint.post("query", "/knowledge/collections/:id/query", {
    params,
    payload: QueryInput,
    success: QueryAnswer
  }).middleware(AnyAccess).annotate(Requires, "knowledge:read").annotate(RefusesTokens, true).annotate(
    OpenApi.Description,
    `Finds the passages that answer a question: the best \`top_k\` (default ${topKDefault}) by meaning and, unless ` +
      "`hybrid` is false, by words. An agent needs an enabled binding of service `knowledge`; its query is a service " +
      "request `knowledge.query` with the same price and rules, and anything but an executed one is an error with the " +
      "request in `data`. A token is 403 `session_required`. 409 `embedding_model_changed`: reindex the collection first."
  )
) {}

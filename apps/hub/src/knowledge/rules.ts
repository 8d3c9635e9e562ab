/** Decisions about documents and collections: their JSON, titles, progress. Pure. */
import type { UserPrincipal } from "@countersign/domain/auth"
import type { OrgId } from "@countersign/domain/ids"
import {
  type Collection,
  documentTitleMax,
  type DocumentType,
  documentTypes,
  type KnowledgeDocument,
  type Passage
} from "@countersign/domain/knowledge"
import type { AgentReach, CollectionRow, DocumentRow, PassageRow, Reach } from "./repository.ts"

/** Parsing is the first part of the progress. */
const parsedPercent = 5

export const progressOf = (
  { chunks, embedded, status }: Pick<DocumentRow, "chunks" | "embedded" | "status">
): number =>
  status === "ready"
    ? 100
    : chunks === 0
    ? 0
    : Math.min(99, parsedPercent + Math.floor((100 - parsedPercent) * embedded / chunks))

/** `model` is the hub's own. */
export const toCollection = (row: CollectionRow, model: string): Collection => ({
  id: row.id as Collection["id"],
  name: row.name,
  description: row.description,
  embedding_model: row.embedding_model,
  dimensions: row.dimensions,
  status: row.next_model === null ? "ready" : "reindexing",
  progress: row.next_model === null
    ? 100
    : row.chunks === 0
    ? 0
    : Math.min(99, Math.floor(100 * row.reindexed / row.chunks)),
  needs_reindex: row.embedding_model !== model && row.next_model !== model,
  documents: row.documents,
  chunks: row.chunks,
  created_at: row.created_at.toISOString()
})

export const toDocument = (row: DocumentRow): KnowledgeDocument => ({
  id: row.id as KnowledgeDocument["id"],
  collection_id: row.collection_id as KnowledgeDocument["collection_id"],
  title: row.title,
  content_type: row.content_type as DocumentType,
  size_bytes: row.size_bytes,
  source: row.source,
  ...row.object_id === null ? {} : { object_id: row.object_id as NonNullable<KnowledgeDocument["object_id"]> },
  status: row.status,
  progress: progressOf(row),
  chunks: row.chunks,
  ...row.pages === null ? {} : { pages: row.pages },
  ...row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message ?? "" } },
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

export const toPosition = (
  { end_at, number, page, start_at }: Pick<PassageRow, "number" | "start_at" | "end_at" | "page">
): Passage["position"] => ({ chunk: number, start: start_at, end: end_at, ...page === null ? {} : { page } })

export const headingsOf = (headings: string): ReadonlyArray<string> => JSON.parse(headings) as ReadonlyArray<string>

export const toPassage = (row: PassageRow): Passage => ({
  text: row.body,
  headings: headingsOf(row.headings),
  position: toPosition(row)
})

export const isDocumentType = (type: string): type is DocumentType =>
  (documentTypes as ReadonlyArray<string>).includes(type)

/** A title out of text that nobody checked: a heading, the name of a file. */
export const asTitle = (text: string): string | undefined => {
  const title = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  const cut = Array.from(title.slice(0, documentTitleMax)).join("").toWellFormed().replace(/\uFFFD$/, "").trim()
  return cut === "" ? undefined : cut
}

/** The last part of a path, without its extension. */
export const nameOf = (path: string): string | undefined =>
  asTitle(path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).replace(/\.[A-Za-z0-9]{1,8}$/, ""))

export const untitled = "Untitled document"

/** The first line of a text, for a document without any other title. */
export const firstLineOf = (text: string): string | undefined => {
  const line = /\S[^\n]{0,119}/.exec(text)?.[0]
  return line === undefined ? undefined : asTitle(line)
}

/** A member reaches their own collections. */
export const reachOf = (user: UserPrincipal): Reach => ({
  org: user.org_id,
  owner: user.role === "member" ? user.user_id : undefined
})

/** An agent of a member reaches its owner's collections, any other agent those of the workspace. */
export const reachOfAgent = (
  org: OrgId,
  { owner_user_id, role }: AgentReach
): Reach => ({
  org,
  owner: owner_user_id !== null && (role === null || role === "member") ? owner_user_id : undefined
})

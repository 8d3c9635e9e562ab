/** Words about collections and documents that several parts of the screens show. Pure. */
import { isHubError } from "@countersign/hub-client/error"
import { errorWords } from "../app/error-words.ts"
import type { Tone } from "../components/badge.tsx"
import type { CollectionRow, DocumentRow, PassageRow } from "../hub/queries.ts"
import type { StatusLook } from "../patterns/status.ts"
import { errorText } from "../text/errors.ts"
import { knowledgeText as t } from "../text/knowledge.ts"

interface Look {
  readonly tone: Tone
  readonly look: StatusLook
  readonly text: string
}

export const collectionLook = ({ needs_reindex, progress, status }: CollectionRow): Look =>
  status === "reindexing"
    ? { tone: "info", look: "running", text: t.states.reindexing(progress) }
    : needs_reindex
    ? { tone: "hold", look: "waiting", text: t.states.needsReindex }
    : { tone: "ok", look: "executed", text: t.states.ready }

export const documentLook = ({ progress, status }: DocumentRow): Look => {
  const { states } = t.documents
  switch (status) {
    case "queued":
      return { tone: "neutral", look: "waiting", text: states.queued }
    case "processing":
      return { tone: "info", look: "running", text: states.processing(progress) }
    case "ready":
      return { tone: "ok", look: "executed", text: states.ready }
    case "failed":
      return { tone: "stop", look: "failed", text: states.failed }
  }
}

const failures: Readonly<Record<string, string>> = t.failures

/** Why a document failed, with what to do; the hub's own message for an unknown reason. */
export const failureWords = ({ error }: DocumentRow): string | undefined =>
  error === undefined ? undefined : failures[error.code] ?? error.message

/** Why a file was not added. */
export const fileRefusal = (error: unknown): string => {
  if (!isHubError(error)) return errorWords(errorText, error)
  if (error.status === 413) return t.files.tooLarge
  if (error.status === 415) return t.files.unsupported
  return error.code === "network_error" || error.code === "timeout" ? t.files.offline : errorWords(errorText, error)
}

const types: Readonly<Record<string, string>> = {
  txt: "text/plain",
  text: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  markdown: "text/markdown",
  htm: "text/html",
  html: "text/html",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
}

/** By the file's name, because browsers know few of these types; otherwise the browser's own. */
export const documentTypeOf = ({ name, type }: { readonly name: string; readonly type: string }): string =>
  types[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? type

/**
 * The text of each passage without the sentences that it shares with its neighbors, so that the passages read as the
 * document. The passage `whole` keeps its own text.
 */
export const withoutOverlap = (
  passages: ReadonlyArray<PassageRow>,
  whole: number | undefined
): ReadonlyArray<string> =>
  passages.map(({ position: { chunk, end, start }, text }, at) => {
    // Offsets count in the document's text; a passage that was joined otherwise is shown as it is.
    if (chunk === whole || text.length !== end - start) return text
    const before = passages[at - 1]
    const after = passages[at + 1]
    const from = before === undefined ? 0 : Math.max(0, before.position.end - start)
    const to = after !== undefined && after.position.chunk === whole
      ? Math.min(text.length, after.position.start - start)
      : text.length
    return text.slice(Math.min(from, to), to)
  })

/**
 * Parses documents in a worker thread with bounded memory and time, one at a time for each hub. Spec:
 * reference/knowledge.md "Documents".
 */
import { Context, type Effect, Schema } from "effect"
import type { Chunk } from "./chunking.ts"
import type { ParsedDocument } from "./document.ts"

export const ParseFailureReason = Schema.Literals([
  "unsupported_type",
  "encrypted",
  "too_large",
  "too_many_pages",
  "unreadable",
  "timed_out",
  "out_of_memory",
  "empty"
])
export type ParseFailureReason = typeof ParseFailureReason.Type

/** The code and the message of the document's error. The same bytes fail again. */
export class ParseFailure extends Schema.TaggedError<ParseFailure>()("ParseFailure", {
  reason: ParseFailureReason,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

export interface DocumentSource {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** As declared; parameters such as `charset` are used. Without it the file name and the bytes decide. */
  readonly contentType?: string
  readonly fileName?: string
}

/** A document with its chunks, which are cut in the worker too. At least one chunk. */
export interface ChunkedDocument extends Omit<ParsedDocument, "blocks"> {
  readonly chunks: ReadonlyArray<Chunk>
}

export class DocumentParser extends Context.Service<DocumentParser, {
  /** The bytes are transferred to the worker: the caller's array is empty afterwards. */
  readonly parse: (source: DocumentSource) => Effect.Effect<ChunkedDocument, ParseFailure>
  /**
   * The content type of the bytes, without parsing them, for an answer to an upload: fails with `unsupported_type` if
   * the declared type is not supported or does not match the bytes.
   */
  readonly typeOf: (source: DocumentSource) => Effect.Effect<string, ParseFailure>
}>()("@countersign/hub/knowledge/DocumentParser") {}

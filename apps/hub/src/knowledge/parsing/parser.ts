/**
 * Parses documents in a child process with bounded memory and time, one at a time for each hub. Spec:
 * reference/knowledge.md "Documents".
 */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import { workerProcess } from "../processes/worker-process.ts"
import type { Chunk } from "./chunking.ts"
import { contentTypeOf, type TypedSource } from "./content-type.ts"
import type { ParsedDocument, ParsedType } from "./document.ts"
import { damagedDetail, parseFailureReasons } from "./failure.ts"
import type { ParseOutcome } from "./parse.ts"
import { ParseRefusal } from "./refusal.ts"

const heapMebibytes = 512
const millisMax = 60_000
const idleMillis = 60_000

/** The code and the message of the document's error. The same bytes fail again. */
export class ParseFailure extends Schema.TaggedError<ParseFailure>()("ParseFailure", {
  reason: Schema.Literals(parseFailureReasons),
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

export interface DocumentSource extends TypedSource {
  readonly bytes: Uint8Array
  /** As declared; parameters such as `charset` are used. Without it the file name and the bytes decide. */
  readonly contentType?: string
  readonly fileName?: string
}

/** A document with its chunks, which are cut in the process too. At least one chunk. */
export interface ChunkedDocument extends Omit<ParsedDocument, "blocks"> {
  readonly chunks: ReadonlyArray<Chunk>
}

export interface ParserOptions {
  readonly heapMebibytes: number
  readonly millisMax: number
}

export class DocumentParser extends Context.Service<DocumentParser, {
  readonly parse: (source: DocumentSource) => Effect.Effect<ChunkedDocument, ParseFailure>
  /**
   * The content type of the bytes, without parsing them, for an answer to an upload: fails with `unsupported_type` if
   * the declared type is not supported or does not match the bytes.
   */
  readonly typeOf: (source: DocumentSource) => Effect.Effect<ParsedType, ParseFailure>
}>()("@countersign/hub/knowledge/DocumentParser") {
  static readonly layerOf = (options: ParserOptions) => Layer.effect(DocumentParser, makeParser(options))
  static readonly layer = Layer.suspend(() => DocumentParser.layerOf({ heapMebibytes, millisMax }))
}

const makeParser = ({ heapMebibytes, millisMax }: ParserOptions) =>
  Effect.gen(function*() {
    const process = yield* workerProcess<TypedSource, ParseOutcome>({
      entry: new URL("./parser-process.ts", import.meta.url),
      heapMebibytes,
      idleMillis
    })
    const one = yield* Semaphore.make(1)

    const parse = Effect.fn("DocumentParser.parse")(function*({ bytes, contentType, fileName }: DocumentSource) {
      const source = {
        bytes,
        ...contentType === undefined ? {} : { contentType },
        ...fileName === undefined ? {} : { fileName }
      }
      const end = yield* one.withPermits(1)(process.run(source, millisMax))
      switch (end.kind) {
        case "answered":
          if (end.answer.kind === "parsed") return { ...end.answer.document, chunks: end.answer.chunks }
          return yield* new ParseFailure({ reason: end.answer.reason, detail: end.answer.detail })
        case "timed_out":
          return yield* new ParseFailure({
            reason: "timed_out",
            detail: `Parsing the document takes longer than ${millisMax / 1_000} s.`
          })
        case "died":
          return yield* new ParseFailure({ reason: "unreadable", detail: damagedDetail })
        case "exhausted":
          return yield* new ParseFailure({
            reason: "out_of_memory",
            detail: "Parsing the document needs too much memory."
          })
      }
    })
    return DocumentParser.of({
      parse,
      typeOf: (source) =>
        Effect.try({
          try: () => contentTypeOf(source),
          catch: (error) => error
        }).pipe(
          Effect.catch((error) =>
            error instanceof ParseRefusal
              ? Effect.fail(new ParseFailure({ reason: error.reason, detail: error.message }))
              : Effect.die(error)
          )
        )
    })
  })

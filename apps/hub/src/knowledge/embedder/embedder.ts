/**
 * The port of the engines that turn text into vectors: the built-in one in its own process, or an OpenAI-compatible
 * endpoint. Spec: reference/knowledge.md "Embedding".
 */
import { Context, type Effect, Schema } from "effect"

/**
 * `busy`: the queue is full. `unavailable`: the engine died or the endpoint could not be reached, answered 429 or 5xx,
 * also after retries. `refused`: the endpoint refused the request, and will again. `invalid_answer`: the answer has no
 * usable vectors, or vectors of another length. `detail` is a sentence for the log and for the document's error.
 */
export class EmbedderFailure extends Schema.TaggedError<EmbedderFailure>()("EmbedderFailure", {
  reason: Schema.Literals(["busy", "unavailable", "refused", "invalid_answer"]),
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
  /** Whether the same texts may succeed later. */
  get isPassing(): boolean {
    return this.reason === "busy" || this.reason === "unavailable"
  }
}

export interface Embedded {
  /** One of `dimensions` numbers and length 1 for each text, in the order of the texts. */
  readonly vectors: ReadonlyArray<Float32Array>
  /** As the endpoint reported them; 0 for the built-in engine. */
  readonly tokens: number
}

/** Queries pass waiting documents. */
export type Lane = "query" | "document"

/** Maximum number of texts of one call. */
export const textsMax = 64

export class Embedder extends Context.Service<Embedder, {
  /** Stored on a collection: vectors of another model cannot be compared. At most 200 characters. */
  readonly model: string
  /** Stored on a collection. */
  readonly dimensions: number
  /** The name that people see. */
  readonly label: string
  /** What a million tokens cost; undefined for the built-in engine, which costs nothing. */
  readonly centsPerMillionTokens: number | undefined
  /**
   * A passage of more than twice as many words is also embedded in parts of this size; absent for engines whose vector of a
   * long text is as good as that of a short one.
   */
  readonly partWords?: number
  /**
   * At most `textsMax` texts. Text after the model's limit (256 tokens of the built-in one) is ignored. An interrupted
   * call leaves the queue.
   */
  readonly embed: (texts: ReadonlyArray<string>, lane: Lane) => Effect.Effect<Embedded, EmbedderFailure>
}>()("@countersign/hub/knowledge/Embedder") {}

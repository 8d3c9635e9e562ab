/**
 * Passages that cost money at the operator's endpoint: each batch is a service request `knowledge.embed` of the
 * workspace's assistant, whose adapter stores the vectors. Spec: reference/knowledge.md "Costs of embedding".
 */
import { answered, type RequestFacts } from "@countersign/domain/dispatch-outcomes"
import type { OrgId } from "@countersign/domain/ids"
import { asSentence } from "@countersign/domain/text"
import { Context, Effect, Layer, Schema } from "effect"
import { Assistant } from "../agents/assistant.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { renderRequest } from "../dispatch/requests/view.ts"
import { hubActor } from "../platform/audit-log.ts"
import { Embedder, EmbedderFailure } from "./embedder/embedder.ts"
import type { UnembeddedRow } from "./ingest-repository.ts"
import { embeddedTexts, textBytes } from "./passages.ts"

/** The workspace's rules or budgets do not allow it now. `code` is the document's error. */
export class EmbeddingRefused extends Schema.TaggedError<EmbeddingRefused>()("EmbeddingRefused", {
  code: Schema.Literals(["embedding_blocked", "approval_required"]),
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

export interface PassageBatch {
  readonly org: OrgId
  readonly collection: string
  /** Absent for a reindex. */
  readonly document?: string
  readonly generation: number
  /** Consecutive ones, not empty. */
  readonly rows: ReadonlyArray<UnembeddedRow>
}

const use = { service: "knowledge", operations: ["embed"] }

const outcomeOf = (facts: RequestFacts): Effect.Effect<void, EmbedderFailure | EmbeddingRefused> => {
  const { block, result, status } = JSON.parse(renderRequest(facts)) as {
    readonly status: string
    readonly block?: { readonly message: string }
    readonly result?: { readonly detail?: string; readonly provider_status?: number }
  }
  switch (status) {
    case "executed":
      return Effect.void
    case "blocked":
      return Effect.fail(
        new EmbeddingRefused({
          code: "embedding_blocked",
          detail: `${asSentence(block?.message ?? "The embedding was blocked")} Retry the document once it is allowed.`
        })
      )
    case "approval_required":
      return Effect.fail(
        new EmbeddingRefused({
          code: "approval_required",
          detail: "A person must approve the embedding of the passages. Retry the document after that."
        })
      )
    default:
      return Effect.fail(
        new EmbedderFailure({
          reason: result?.provider_status === 400 ? "refused" : "unavailable",
          detail: asSentence(result?.detail ?? "The embedding is still in progress")
        })
      )
  }
}

export class MeteredEmbedding extends Context.Service<MeteredEmbedding, {
  /** The passages have vectors afterwards, unless their collection changed meanwhile. */
  readonly embed: (batch: PassageBatch) => Effect.Effect<void, EmbedderFailure | EmbeddingRefused>
}>()("@countersign/hub/knowledge/MeteredEmbedding") {
  static readonly layer = Layer.effect(
    MeteredEmbedding,
    Effect.gen(function*() {
      const assistant = yield* Assistant
      const dispatch = yield* Dispatch
      const embedder = yield* Embedder

      return MeteredEmbedding.of({
        embed: Effect.fn("MeteredEmbedding.embed")(function*({ collection, document, generation, org, rows }) {
          const agent = yield* assistant.of(org, use)
          const ids = rows.map(({ chunk_id }) => chunk_id)
          const { facts } = yield* answered(dispatch.submit({
            mode: "live",
            org,
            agent,
            actor: hubActor,
            service: "knowledge",
            operation: "embed",
            payload: {
              collection_id: collection,
              ...document === undefined ? {} : { document_id: document },
              generation,
              from: Math.min(...ids),
              to: Math.max(...ids),
              passages: rows.length,
              bytes: textBytes(embeddedTexts(rows)),
              cents_per_million_tokens: embedder.centsPerMillionTokens ?? 0
            }
          })).pipe(
            Effect.mapError(({ error }) => new EmbedderFailure({ reason: "unavailable", detail: error.message }))
          )
          return yield* outcomeOf(facts)
        })
      })
    })
  )
}

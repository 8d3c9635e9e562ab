/**
 * The governed service `knowledge`: queries of agents, and passages that the assistant embeds at a metered endpoint.
 * Spec: reference/knowledge.md "Agents", "Costs of embedding".
 */
import { isApiError } from "@countersign/domain/errors"
import { CollectionId, DocumentId } from "@countersign/domain/ids"
import { QueryInput } from "@countersign/domain/knowledge"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { AgentsRepository } from "../agents/repository.ts"
import { Db } from "../platform/db.ts"
import { type Adapter, type AdapterCall, type AdapterOutcome, failed } from "../providers/adapter.ts"
import { Embedder, EmbedderFailure, textsMax } from "./embedder/embedder.ts"
import { IngestRepository } from "./ingest-repository.ts"
import { embeddedTexts, embedPassages, textBytes } from "./passages.ts"
import { KnowledgeQueries } from "./queries.ts"
import { KnowledgeRepository } from "./repository.ts"
import { reachOfAgent } from "./rules.ts"

export const QueryPayload = Schema.Struct({ collection_id: CollectionId, ...QueryInput.fields })
const decode = Schema.decodeUnknownEffect(QueryPayload, { onExcessProperty: "error" })

export const EmbedPayload = Schema.Struct({
  collection_id: CollectionId,
  document_id: Schema.optionalKey(DocumentId),
  generation: Schema.Int,
  from: Schema.Int,
  to: Schema.Int,
  passages: Schema.Int,
  bytes: Schema.Int,
  cents_per_million_tokens: Schema.Finite
})
const decodeEmbed = Schema.decodeUnknownEffect(EmbedPayload, { onExcessProperty: "error" })

/** As a provider's status: the ingest tries again what may pass. */
const statusOf = ({ isPassing }: EmbedderFailure): number => isPassing ? 503 : 400

export class KnowledgeWork extends Context.Service<KnowledgeWork, {
  readonly adapter: Adapter
}>()("@countersign/hub/knowledge/KnowledgeWork") {
  static readonly layer = Layer.effect(
    KnowledgeWork,
    Effect.gen(function*() {
      const queries = yield* KnowledgeQueries
      const repository = yield* KnowledgeRepository
      const passages = yield* IngestRepository
      const agents = yield* AgentsRepository
      const embedder = yield* Embedder
      const db = yield* Db
      const embedRows = embedPassages(embedder)

      const query = Effect.fnUntraced(function*({ agent, orgId, payload }: AdapterCall) {
        const { collection_id, ...input } = yield* decode(payload)
        const reach = reachOfAgent(orgId, yield* repository.agentReach(orgId, agent.id))
        return { kind: "executed", result: yield* queries.run(reach, collection_id, input) } as const
      })

      /** A repetition after a crash embeds only what has no vector yet. */
      const embed = Effect.fnUntraced(function*({ agent, orgId: org, payload }: AdapterCall) {
        const { bytes, cents_per_million_tokens: cents, collection_id: collection, document_id: document, ...batch } =
          yield* decodeEmbed(payload)
        if (Option.getOrUndefined(yield* agents.assistant(org)) !== agent.id) {
          return failed("Only the workspace's assistant embeds passages.")
        }
        if (cents !== embedder.centsPerMillionTokens) return failed("The price of embedding has changed.", 503)
        const rows = yield* passages.unembeddedIn({ org, collection, document, ...batch }, textsMax)
        if (rows.length > batch.passages || textBytes(embeddedTexts(rows)) > bytes) {
          return failed("The passages are not those of the request.", 503)
        }
        const { tokens, vectors } = rows.length === 0 ? { tokens: 0, vectors: [] } : yield* embedRows(rows)
        yield* db.transaction(Effect.gen(function*() {
          if (!(yield* passages.isWanted(org, collection, batch.generation, embedder.model))) return
          yield* passages.insertVectors(org, collection, batch.generation, vectors)
        }))
        const cost = tokens * cents / 1_000_000
        return {
          kind: "executed",
          result: { passages: rows.length, tokens, cost_cents: cost },
          actual: cost,
          actualFound: true
        } as const
      })

      const detailOf = (error: unknown): string => isApiError(error) ? error.error.message : "The payload is not valid."

      return KnowledgeWork.of({
        adapter: {
          execute: (_definition, call) =>
            Effect.catch(
              Effect.gen(function*(): Effect.fn.Return<AdapterOutcome, unknown> {
                return call.operation === "embed" ? yield* embed(call) : yield* query(call)
              }),
              (error): Effect.Effect<AdapterOutcome> =>
                Effect.succeed(
                  error instanceof EmbedderFailure
                    ? failed(error.detail, statusOf(error))
                    : failed(detailOf(error))
                )
            )
        }
      })
    })
  )
}

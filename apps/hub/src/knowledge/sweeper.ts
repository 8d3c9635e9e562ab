/**
 * Removes what was deleted: documents, collections, vectors of earlier models, bytes of documents that failed long ago.
 * In bounded batches; several hubs may run it at once.
 */
import type { OrgId } from "@countersign/domain/ids"
import { retryDays } from "@countersign/domain/knowledge"
import { Context, Effect, Layer, Metric } from "effect"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, repeatLongRounds } from "../platform/rounds.ts"
import { knowledgeDocuments } from "../platform/telemetry.ts"
import { CodeCache } from "./code-cache.ts"
import { IngestRepository } from "./ingest-repository.ts"

const roundMillis = 60_000
const rowsMax = 1_000

const statuses = ["queued", "processing", "ready", "failed"] as const

export class KnowledgeSweeper extends Context.Service<KnowledgeSweeper, {
  /** Removes the deleted documents of one workspace, or of all. */
  readonly removeDocuments: (org: OrgId | undefined) => Effect.Effect<void>
  readonly sweep: Effect.Effect<void>
  /** Starts a sweep in the background. */
  readonly soon: Effect.Effect<void>
}>()("@countersign/hub/knowledge/KnowledgeSweeper") {
  static readonly layer = Layer.effect(
    KnowledgeSweeper,
    Effect.gen(function*() {
      const repository = yield* IngestRepository
      const codes = yield* CodeCache
      const readiness = yield* Readiness
      const scope = yield* Effect.scope
      const { briefly } = yield* backgroundTransactions

      /** Repeats a batch until it finds nothing. */
      const all = (batch: Effect.Effect<number>): Effect.Effect<void> =>
        Effect.flatMap(briefly(batch), (removed) => removed === 0 ? Effect.void : all(batch))

      const removeDocuments = (org: OrgId | undefined) => all(repository.removeDocuments(org, rowsMax))

      const removeCollections = Effect.gen(function*() {
        for (;;) {
          const { collections, removed } = yield* briefly(repository.removeCollections(rowsMax))
          yield* Effect.forEach(collections, codes.forget, { discard: true })
          if (removed === 0) return
          yield* removeDocuments(undefined)
        }
      })

      const sweep = Effect.gen(function*() {
        yield* removeDocuments(undefined)
        yield* removeCollections
        yield* all(repository.removeStaleVectors(rowsMax))
        yield* all(repository.removeSources(retryDays, rowsMax))
        const counts = new Map((yield* repository.states).map(({ count, status }) => [status, count]))
        for (const status of statuses) {
          yield* Metric.update(Metric.withAttributes(knowledgeDocuments, { status }), counts.get(status) ?? 0)
        }
      }).pipe(Effect.withSpan("KnowledgeSweeper.sweep"))

      yield* repeatLongRounds(readiness, "knowledge_sweep", roundMillis, sweep)
      return KnowledgeSweeper.of({
        removeDocuments,
        sweep,
        soon: Effect.asVoid(Effect.forkIn(
          Effect.catchCause(sweep, (cause) => Effect.logWarning("a sweep of knowledge failed and is repeated", cause)),
          scope
        ))
      })
    })
  )
}

/**
 * Parses and embeds documents, and embeds again for another model, in turns of some seconds: a large document delays no
 * other workspace. A hub that dies leaves a lease that lapses; another one continues at the first passage without a
 * vector. Spec: reference/knowledge.md "Processing".
 */
import { passagesMax } from "@countersign/domain/knowledge"
import { Cause, Context, Effect, Layer, Option, Schedule } from "effect"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, repeatLongRounds } from "../platform/rounds.ts"
import { Embedder, type EmbedderFailure, textsMax } from "./embedder/embedder.ts"
import {
  type Claim,
  type ClaimedDocument,
  type ClaimedReindex,
  dueIngest,
  IngestRepository,
  type StoredVector
} from "./ingest-repository.ts"
import { type EmbeddingRefused, MeteredEmbedding, type PassageBatch } from "./metered-embedding.ts"
import { searchText } from "./parsing/chunking.ts"
import { DocumentParser, ParseFailure } from "./parsing/parser.ts"
import { embedPassages } from "./passages.ts"
import { firstLineOf, untitled } from "./rules.ts"

/** Documents in progress in one hub. */
const slots = 2
const pauseMillis = 1_000
const turnMillis = 10_000
const leaseSeconds = 30
const renewalMillis = 10_000
/** The built-in engine takes up to half a second for each text. */
const batchOfBuiltIn = 16
const insertedMax = 500
/** Claims without progress, each of which a hub did not survive. */
const parsesMax = 5
const embedsMax = 20
const retrySeconds = 15
const faultSeconds = 5
/** A reindex that the workspace's rules or budgets do not allow is tried again after this time. */
const refusedSeconds = 300

const interrupted = {
  code: "interrupted",
  message: `Processing stopped ${parsesMax} times without progress. Retry it, or split the document.`
}

const embeddingFailed = ({ detail }: EmbedderFailure) => ({ code: "embedding_failed", message: detail })

export class Ingest extends Context.Service<Ingest, {
  /** Works on one due document, or reindex, for a turn; false when none is due. */
  readonly turn: Effect.Effect<boolean>
}>()("@countersign/hub/knowledge/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function*() {
      const repository = yield* IngestRepository
      const parser = yield* DocumentParser
      const embedder = yield* Embedder
      const audit = yield* AuditLog
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const db = yield* Db
      const { locked } = yield* backgroundTransactions
      const metered = yield* MeteredEmbedding
      const embedRows = embedPassages(embedder)
      const isMetered = embedder.centsPerMillionTokens !== undefined
      const batchMax = isMetered ? textsMax : batchOfBuiltIn

      const fail = (document: ClaimedDocument, error: { readonly code: string; readonly message: string }) =>
        locked(document.org_id, () =>
          Effect.gen(function*() {
            if (!(yield* repository.hold(document))) return
            yield* repository.fail(document, error)
            yield* audit.record(document.org_id, hubActor, {
              action: "knowledge_document.failed",
              subject: { type: "knowledge_document", id: document.id },
              data: { collection_id: document.collection_id, title: document.title, code: error.code }
            })
          }))

      const finish = (document: ClaimedDocument) =>
        locked(document.org_id, () =>
          Effect.gen(function*() {
            if (!(yield* repository.hold(document))) return
            // A reindex may have ended meanwhile: the next turn makes the vectors of its model.
            const { collection_id: collection, generation, org_id: org } = document
            if (!(yield* repository.isCurrent(org, collection, generation, embedder.model))) {
              return yield* repository.release(document, 0)
            }
            yield* repository.finish(document)
            yield* audit.record(org, hubActor, {
              action: "knowledge_document.ready",
              subject: { type: "knowledge_document", id: document.id },
              data: { collection_id: collection, title: document.title, chunks: document.chunks }
            })
          }))

      /** The document with its passages; undefined if the claim was lost. */
      const parse = Effect.fnUntraced(function*(document: ClaimedDocument) {
        const bytes = yield* repository.source(document.org_id, document.id)
        if (bytes === undefined) return undefined
        const parsed = yield* parser.parse({
          bytes,
          ...document.declared_type === null ? {} : { contentType: document.declared_type },
          ...document.file_name === null ? {} : { fileName: document.file_name }
        })
        if (parsed.chunks.length === 0) {
          return yield* new ParseFailure({ reason: "empty", detail: "The document has no text." })
        }
        if (parsed.chunks.length > passagesMax) {
          return yield* new ParseFailure({
            reason: "too_large",
            detail: `The document has more than ${passagesMax} passages. Split it.`
          })
        }
        const title = document.titled || document.file_name !== null
          ? document.title
          : parsed.title ?? firstLineOf(parsed.text) ?? untitled
        const chunks = parsed.chunks.map((chunk) => ({ ...chunk, searched: searchText(title, chunk) }))
        return yield* db.transaction(Effect.gen(function*() {
          if (!(yield* repository.hold(document))) return undefined
          for (let from = 0; from < chunks.length; from += insertedMax) {
            yield* repository.insertChunks(document, chunks.slice(from, from + insertedMax))
          }
          yield* repository.markParsed(document, { title, chunks: chunks.length, pages: parsed.pages ?? null })
          return { ...document, title, chunks: chunks.length, is_parsed: true, tries: 0 }
        }))
      })

      /** Those that are still to be stored: a service request has stored its own. */
      const vectorsOf = (batch: PassageBatch): Effect.Effect<
        ReadonlyArray<StoredVector>,
        EmbedderFailure | EmbeddingRefused
      > =>
        isMetered
          ? Effect.as(metered.embed(batch), [])
          : Effect.map(embedRows(batch.rows), ({ vectors }) => vectors)

      /** Stores the vectors of one batch; `ended` when none is left, `lost` when the claim or the model is. */
      const embedSome = Effect.fnUntraced(function*(document: ClaimedDocument) {
        const rows = yield* repository.unembedded(document, batchMax)
        if (rows.length === 0) return "ended"
        const { collection_id: collection, generation, id, org_id: org } = document
        const vectors = yield* vectorsOf({ org, collection, document: id, generation, rows })
        return yield* db.transaction(Effect.gen(function*() {
          if (!(yield* repository.hold(document))) return "lost"
          if (!(yield* repository.isCurrent(org, collection, generation, embedder.model))) {
            yield* repository.release(document, 0)
            return "lost"
          }
          yield* repository.insertVectors(org, collection, generation, vectors)
          yield* repository.progress(document, rows.length, leaseSeconds)
          return "more"
        }))
      })

      const process = Effect.fnUntraced(function*(claimed: ClaimedDocument, until: number) {
        if (claimed.tries > (claimed.is_parsed ? embedsMax : parsesMax)) return yield* fail(claimed, interrupted)
        const document = claimed.is_parsed ? claimed : yield* parse(claimed)
        if (document === undefined) return
        yield* repository.countEmbedded(document)
        for (;;) {
          const state = yield* embedSome(document)
          if (state === "lost") return
          if (state === "ended") return yield* finish(document)
          if (performance.now() >= until) return yield* repository.release(document, 0)
        }
      })

      const failedEmbedding = (document: ClaimedDocument, failure: EmbedderFailure) =>
        failure.isPassing && document.tries < embedsMax
          ? repository.release(document, retrySeconds)
          : fail(document, embeddingFailed(failure))

      /** Keeps a claim while it is worked on, and gives it back if this hub stops. */
      const keeping = <A, E>(claim: Claim, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.scoped(Effect.andThen(
          Effect.forkScoped(
            Effect.repeat(
              Effect.delay(Effect.ignoreCause(repository.renew(claim, leaseSeconds)), renewalMillis),
              Schedule.forever
            )
          ),
          work
        )).pipe(Effect.onInterrupt(() => Effect.ignoreCause(repository.release(claim, 0))))

      /** Logs a fault and leaves the work to a later turn; an interruption is no fault. */
      const leaving = (what: string, release: Effect.Effect<void>) => (work: Effect.Effect<void, unknown>) =>
        Effect.catchCause(work, (cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : Effect.andThen(Effect.logWarning(`${what} failed and will be repeated`, cause), release))

      const documentTurn = Effect.fnUntraced(function*(until: number) {
        const claimed = Option.getOrUndefined(yield* db.transaction(repository.claim(embedder.model, leaseSeconds)))
        if (claimed === undefined) return false
        yield* keeping(claimed, process(claimed, until)).pipe(
          Effect.catchTags({
            ParseFailure: ({ detail, reason }) => fail(claimed, { code: reason, message: detail }),
            EmbedderFailure: (failure) => failedEmbedding(claimed, failure),
            EmbeddingRefused: ({ code, detail }) => fail(claimed, { code, message: detail })
          }),
          leaving(`the processing of document ${claimed.id}`, repository.release(claimed, faultSeconds))
        )
        return true
      })

      const finishReindex = (reindex: ClaimedReindex) =>
        locked(reindex.org_id, () =>
          Effect.gen(function*() {
            if (!(yield* repository.holdReindex(reindex))) return
            // Documents that became ready meanwhile may have passages before the last one.
            if ((yield* repository.toReindex(reindex, 0, 1)).length > 0) {
              return yield* repository.reindexProgress(reindex, 0, 0, 0)
            }
            yield* repository.finishReindex(reindex)
            yield* audit.record(reindex.org_id, hubActor, {
              action: "knowledge_collection.reindexed",
              subject: { type: "knowledge_collection", id: reindex.id },
              data: { embedding_model: embedder.model }
            })
          }))

      const reindex = Effect.fnUntraced(function*(claimed: ClaimedReindex, until: number) {
        let at = claimed.reindexed_to
        for (;;) {
          const rows = yield* repository.toReindex(claimed, at, batchMax)
          const last = rows.at(-1)
          if (last === undefined) return yield* finishReindex(claimed)
          const { id, next_generation: generation, org_id: org } = claimed
          const vectors = yield* vectorsOf({ org, collection: id, generation, rows })
          const kept = yield* db.transaction(Effect.gen(function*() {
            if (!(yield* repository.holdReindex(claimed))) return false
            yield* repository.insertVectors(org, id, generation, vectors)
            yield* repository.reindexProgress(claimed, last.chunk_id, rows.length, leaseSeconds)
            return true
          }))
          if (!kept) return
          at = last.chunk_id
          if (performance.now() >= until) return yield* repository.releaseReindex(claimed, 0)
        }
      })

      const reindexTurn = Effect.fnUntraced(function*(until: number) {
        const claimed = Option.getOrUndefined(yield* repository.claimReindex(embedder.model, leaseSeconds))
        if (claimed === undefined) return false
        yield* reindex(claimed, until).pipe(
          Effect.onInterrupt(() => Effect.ignoreCause(repository.releaseReindex(claimed, 0))),
          Effect.catchTag("EmbeddingRefused", ({ detail }) =>
            Effect.andThen(
              Effect.logInfo(`the reindex of collection ${claimed.id} waits: ${detail}`),
              repository.releaseReindex(claimed, refusedSeconds)
            )),
          leaving(`the reindex of collection ${claimed.id}`, repository.releaseReindex(claimed, retrySeconds))
        )
        return true
      })

      const turn = Effect.gen(function*() {
        const until = performance.now() + turnMillis
        return (yield* documentTurn(until)) || (yield* reindexTurn(until))
      })

      const round: Effect.Effect<void> = Effect.flatMap(turn, (worked) => worked ? round : Effect.void)
      const due = dueWork.wait(...dueIngest)
      for (let slot = 1; slot <= slots; slot++) {
        yield* repeatLongRounds(readiness, `knowledge_${slot}`, pauseMillis, round, due)
      }
      return Ingest.of({ turn })
    })
  )
}

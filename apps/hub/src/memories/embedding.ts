/**
 * Vectors of memories: computed while a memory is written, outside of its transaction, or later in the background when
 * the embedder was unavailable or its model has changed. Spec: reference/memories.md "Search".
 */
import { Context, Effect, Layer, Option } from "effect"
import { Embedder, type EmbedderFailure, type Lane } from "../knowledge/embedder/embedder.ts"
import { codeOf, encodeHalves } from "../knowledge/vectors.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatLongRounds } from "../platform/rounds.ts"
import { MemoriesRepository, type StoredVector, type UnembeddedRow } from "./repository.ts"
import { meanOf, piecesOf } from "./rules.ts"

/** A caller waits this long for a vector; then the memory is stored without one. */
const patience = "8 seconds"
const roundMillis = 5_000
const batchMax = 16
/** A hub that embeds a batch longer than this is taken for dead. */
const leaseSeconds = 120
const passingPauseSeconds = 15
/** The embedder refused the text, and probably will again. */
const refusedPauseSeconds = 3_600

/** The vector of one text and the numbers themselves. */
export interface TextVector extends StoredVector {
  readonly numbers: Float32Array
}

export class MemoryEmbedding extends Context.Service<MemoryEmbedding, {
  /** The current model. */
  readonly model: string
  /** None if the embedder does not answer soon. Call it outside of a transaction. */
  readonly embed: (text: string, lane: Lane) => Effect.Effect<Option.Option<TextVector>>
  /** Computes missing vectors; returns how many memories were due. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/memories/MemoryEmbedding") {
  static readonly layer = Layer.effect(
    MemoryEmbedding,
    Effect.gen(function*() {
      const embedder = yield* Embedder
      const repository = yield* MemoriesRepository
      const readiness = yield* Readiness
      const { model } = embedder

      const vectorOf = (text: string, lane: Lane): Effect.Effect<TextVector, EmbedderFailure> =>
        Effect.map(embedder.embed(piecesOf(text), lane), ({ vectors }) => {
          const numbers = meanOf(vectors)
          return { model, numbers, code: codeOf(numbers), halves: encodeHalves(numbers) }
        })

      const embed = (text: string, lane: Lane) =>
        vectorOf(text, lane).pipe(
          Effect.timeoutOption(patience),
          Effect.catch(({ detail }) =>
            Effect.as(Effect.logInfo(`a memory has no vector yet: ${detail}`), Option.none())
          )
        )

      /** False if the embedder is unavailable. */
      const embedLater = (row: UnembeddedRow) =>
        Effect.matchEffect(vectorOf(row.content, "document"), {
          onSuccess: (vector) => Effect.as(repository.storeVector(row, vector), true),
          onFailure: ({ isPassing }) =>
            Effect.as(repository.postpone(row, isPassing ? passingPauseSeconds : refusedPauseSeconds), !isPassing)
        })

      const round = Effect.gen(function*() {
        let due = 0
        for (;;) {
          const rows = yield* repository.claimUnembedded(model, batchMax, leaseSeconds)
          due += rows.length
          let isAvailable = true
          for (const row of rows) {
            if (isAvailable) isAvailable = yield* embedLater(row)
            else yield* repository.postpone(row, passingPauseSeconds)
          }
          if (rows.length < batchMax || !isAvailable) return due
        }
      })

      yield* repeatLongRounds(readiness, "vectors of memories", roundMillis, round)
      return MemoryEmbedding.of({ model, embed, round })
    })
  )
}

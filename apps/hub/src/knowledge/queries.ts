/** Queries of a collection. Spec: reference/knowledge.md "Query". */
import { type ApiError, conflict, notFound, unavailable } from "@countersign/domain/errors"
import { type QueryAnswer, type QueryInput, type QueryResult, topKDefault } from "@countersign/domain/knowledge"
import { Context, Effect, Layer, Metric, Option } from "effect"
import { knowledgeTokens } from "../platform/telemetry.ts"
import { cachedChunksMin, CodeCache } from "./code-cache.ts"
import { Embedder, type EmbedderFailure } from "./embedder/embedder.ts"
import { bySimilarity, hybrid, sectionsInTurn } from "./ranking.ts"
import { type CollectionRow, KnowledgeRepository, type Reach } from "./repository.ts"
import { headingsOf, toPosition } from "./rules.ts"
import { candidatesOf, type FoundRow, isLarge, KnowledgeSearchRepository } from "./search-repository.ts"
import { codeOf, cosineWith } from "./vectors.ts"

/**
 * Of so many nearest chunks by code in memory, the vectors of the nearest by the query's numbers are read. Recall@10 is
 * then 0.99 over 50,000 chunks of the bench, and 1 over 5,000 texts of the documentation: as with 200 by code alone.
 */
const compared = { codes: 500, vectors: 120 }
/** Over a million chunks, recall@10 is 0.95 with these, 0.93 with 3,000 and 480, and 0.76 with the ones above. */
const comparedOfLarge = { codes: 6_000, vectors: 600 }

/** More results than were asked for, so that the first ones can be of different sections. */
const otherSections = 4

/** Undefined without headings: then each chunk counts as a section. */
const sectionKey = ({ document_id, headings }: FoundRow): string | undefined =>
  headings === "[]" ? undefined : `${document_id} ${headings}`

export const embedderUnavailable = ({ detail }: EmbedderFailure): ApiError =>
  unavailable(`The embedding model does not respond: ${detail} Retry shortly.`)

export const modelChanged = (collection: Pick<CollectionRow, "embedding_model" | "next_model">, model: string) =>
  conflict(
    "embedding_model_changed",
    collection.next_model === model
      ? "The collection is being reindexed for the hub's embedding model. Retry when its progress is 100."
      : "The hub has another embedding model than the collection. Reindex the collection.",
    { embedding_model: collection.embedding_model, current_model: model, reindexing: collection.next_model === model }
  )

export class KnowledgeQueries extends Context.Service<KnowledgeQueries, {
  /** 404 for a collection out of reach; 409 while it has vectors of another model. */
  readonly ready: (reach: Reach, collection: string) => Effect.Effect<CollectionRow, ApiError>
  readonly run: (reach: Reach, collection: string, input: QueryInput) => Effect.Effect<QueryAnswer, ApiError>
}>()("@countersign/hub/knowledge/KnowledgeQueries") {
  static readonly layer = Layer.effect(
    KnowledgeQueries,
    Effect.gen(function*() {
      const repository = yield* KnowledgeRepository
      const searches = yield* KnowledgeSearchRepository
      const embedder = yield* Embedder
      const codes = yield* CodeCache

      const ready = Effect.fnUntraced(function*(reach: Reach, id: string) {
        const found = Option.getOrUndefined(yield* repository.findCollection(reach, id))
        if (found === undefined) return yield* Effect.fail(notFound("collection"))
        if (found.embedding_model !== embedder.model) return yield* Effect.fail(modelChanged(found, embedder.model))
        return found
      })

      const run = Effect.fn("KnowledgeQueries.run")(function*(
        reach: Reach,
        id: string,
        { filter, hybrid: isHybrid = true, query, top_k: count = topKDefault }: QueryInput
      ): Effect.fn.Return<QueryAnswer, ApiError> {
        const collection = yield* ready(reach, id)
        if (collection.chunks === 0) return { data: [] }
        const searched = { org: collection.org_id, id, generation: collection.generation }
        const searchedIn = filter !== undefined && Object.keys(filter).length > 0 ? filter : undefined

        const vectorOfQuery = Effect.gen(function*() {
          const { tokens, vectors: [vector] } = yield* Effect.mapError(
            embedder.embed([query], "query"),
            embedderUnavailable
          )
          yield* Metric.update(knowledgeTokens, tokens)
          if (vector !== undefined && vector.length === collection.dimensions) return vector
          return yield* Effect.fail(unavailable("The embedding model's answer has another number of dimensions."))
        })
        const { codes: nearCodes, vectors: nearVectors } = isLarge(collection.chunks) ? comparedOfLarge : compared
        const nearestTo = (vector: Float32Array) =>
          searchedIn !== undefined || collection.chunks < cachedChunksMin
            ? Effect.undefined
            : codes.nearest({
              collectionId: id,
              version: collection.version,
              dimensions: collection.dimensions,
              page: (after) => searches.codePage(searched, after),
              vector,
              count: nearCodes,
              kept: Math.max(nearVectors, 4 * count)
            })
        const byWords = Effect.gen(function*() {
          const words = yield* searches.words(query)
          return { of: words, found: yield* searches.byWords(searched, words, searchedIn) }
        })

        const [{ cached, vector }, words] = yield* Effect.all([
          Effect.flatMap(
            vectorOfQuery,
            (vector) => Effect.map(nearestTo(vector), (cached) => ({ vector, cached }))
          ),
          isHybrid ? byWords : Effect.undefined
        ], { concurrency: 2 })
        const rows = yield* searches.candidates(searched, {
          near: cached ?? { code: codeOf(vector), count: candidatesOf(collection.chunks) },
          words,
          filter: searchedIn
        })
        const similarityTo = cosineWith(vector)
        const candidates = rows.map(({ chunk_id, cover, emb }) => ({
          id: chunk_id,
          similarity: similarityTo(emb),
          cover: cover ?? 0
        }))
        const best = (isHybrid ? hybrid : bySimilarity)(candidates, count + otherSections)
        const found = new Map(
          (yield* searches.found(searched, best.map((each) => each.id))).map((row) => [row.chunk_id, row])
        )
        const ranked = best.flatMap(({ id: chunk, score }) => {
          const row = found.get(chunk)
          return row === undefined ? [] : [{ row, score }]
        })
        return {
          data: sectionsInTurn(ranked, ({ row }) => sectionKey(row)).slice(0, count).map((
            { row, score }
          ): QueryResult => ({
            text: row.body,
            score,
            headings: headingsOf(row.headings),
            position: toPosition(row),
            document: { id: row.document_id as QueryResult["document"]["id"], title: row.title }
          }))
        }
      })

      return KnowledgeQueries.of({ ready, run })
    })
  )
}

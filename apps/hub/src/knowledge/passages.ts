/** Vectors of passages: the texts that are embedded, and the vectors as they are stored. */
import { Effect, Metric } from "effect"
import { knowledgeEmbedding, knowledgeTokens } from "../platform/telemetry.ts"
import type { Embedder } from "./embedder/embedder.ts"
import type { StoredVector, UnembeddedRow } from "./ingest-repository.ts"
import { searchText } from "./parsing/chunking.ts"
import { headingsOf } from "./rules.ts"
import { codeOf, encodeHalves } from "./vectors.ts"

export const embeddedTexts = (rows: ReadonlyArray<UnembeddedRow>): ReadonlyArray<string> =>
  rows.map(({ body, headings, title }) => searchText(title, { headings: headingsOf(headings), text: body }))

/** In UTF-8: no model makes more tokens of them. */
export const textBytes = (texts: ReadonlyArray<string>): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** Counts the tokens and the time of each passage. */
export const embedPassages = (embedder: Embedder["Service"]) =>
  Effect.fnUntraced(function*(rows: ReadonlyArray<UnembeddedRow>) {
    const started = performance.now()
    const { tokens, vectors } = yield* embedder.embed(embeddedTexts(rows), "document")
    yield* Metric.update(knowledgeTokens, tokens)
    yield* Metric.update(knowledgeEmbedding, (performance.now() - started) / 1_000 / rows.length)
    return {
      tokens,
      vectors: rows.map(({ chunk_id }, index): StoredVector => {
        const vector = vectors[index]!
        return { chunk_id, code: codeOf(vector), emb: encodeHalves(vector) }
      })
    }
  })

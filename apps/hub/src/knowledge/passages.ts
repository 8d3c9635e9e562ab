/** Vectors of passages: the texts that are embedded, and the vectors as they are stored. */
import { Effect, Metric } from "effect"
import { knowledgeEmbedding, knowledgeTokens } from "../platform/telemetry.ts"
import { type Embedder, textsMax } from "./embedder/embedder.ts"
import type { StoredVector, UnembeddedRow } from "./ingest-repository.ts"
import { searchText } from "./parsing/chunking.ts"
import { partsOf, wordCount } from "./parsing/parts.ts"
import { headingsOf } from "./rules.ts"
import { codeOf, encodeHalves, meanOf } from "./vectors.ts"

const searchTextOf = ({ headings, title }: UnembeddedRow, text: string): string =>
  searchText(title, { headings: headingsOf(headings), text })

export const embeddedTexts = (rows: ReadonlyArray<UnembeddedRow>): ReadonlyArray<string> =>
  rows.map((row) => searchTextOf(row, row.body))

/** With the title and the headings of the passage; none of a short one. */
const partTexts = (row: UnembeddedRow, words: number | undefined): ReadonlyArray<string> =>
  words === undefined || wordCount(row.body) <= 2 * words
    ? []
    : partsOf(row.body, words).map((part) => searchTextOf(row, part))

/** In UTF-8: no model makes more tokens of them. */
export const textBytes = (texts: ReadonlyArray<string>): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** Counts the tokens and the time of each passage. */
export const embedPassages = (embedder: Embedder["Service"]) =>
  Effect.fnUntraced(function*(rows: ReadonlyArray<UnembeddedRow>) {
    const started = performance.now()
    const parts = rows.map((row) => partTexts(row, embedder.partWords))
    const texts = [...embeddedTexts(rows), ...parts.flat()]
    const vectors: Array<Float32Array> = []
    let tokens = 0
    for (let from = 0; from < texts.length; from += textsMax) {
      const embedded = yield* embedder.embed(texts.slice(from, from + textsMax), "document")
      vectors.push(...embedded.vectors)
      tokens += embedded.tokens
    }
    yield* Metric.update(knowledgeTokens, tokens)
    yield* Metric.update(knowledgeEmbedding, (performance.now() - started) / 1_000 / rows.length)
    const vectorsOfParts = vectors.slice(rows.length).values()
    return {
      tokens,
      vectors: rows.map(({ chunk_id }, index): StoredVector => {
        const whole = vectors[index]!
        const ofParts = parts[index]!.map(() => vectorsOfParts.next().value!)
        const vector = ofParts.length === 0 ? whole : meanOf([whole, meanOf(ofParts)])
        return { chunk_id, code: codeOf(vector), emb: encodeHalves(vector) }
      })
    }
  })

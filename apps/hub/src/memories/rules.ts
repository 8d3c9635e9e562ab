/** Rules of memories: what is embedded, how words are compared, and the edges of a graph. Pure. Spec: reference/memories.md "Search", "Graph". */
import type { MemoryEdge, MemoryNode } from "@countersign/domain/memories"
import { momentMillis, timeExample } from "@countersign/domain/time"
import { cosine } from "../knowledge/vectors.ts"

/** An embedder ignores text after its limit, so longer texts are embedded in pieces. */
const pieceWordsMax = 180
const pieceCharactersMax = 1_200

/** The text in pieces that an embedder reads whole. */
export const piecesOf = (content: string): ReadonlyArray<string> => {
  const words = content.trim().split(/\s+/u)
  if (words.length <= pieceWordsMax && content.length <= pieceCharactersMax) return [content.trim()]
  const pieces: Array<string> = []
  let piece: Array<string> = []
  let length = 0
  const end = () => {
    if (piece.length > 0) pieces.push(piece.join(" "))
    piece = []
    length = 0
  }
  for (const word of words) {
    for (let at = 0; at < word.length; at += pieceCharactersMax) {
      const part = word.slice(at, at + pieceCharactersMax).toWellFormed()
      if (piece.length === pieceWordsMax || length + part.length > pieceCharactersMax) end()
      piece.push(part)
      length += part.length + 1
    }
  }
  end()
  return pieces
}

/** The direction that vectors of length 1 have in common, with length 1. */
export const meanOf = (vectors: ReadonlyArray<Float32Array>): Float32Array => {
  const [first] = vectors
  if (first === undefined || vectors.length === 1) return first ?? new Float32Array()
  const sum = new Float32Array(first.length)
  for (const vector of vectors) {
    for (let index = 0; index < sum.length; index++) sum[index]! += vector[index]!
  }
  const length = Math.hypot(...sum)
  return length === 0 ? first : sum.map((value) => value / length)
}

const wordsMax = 16

/** The distinct words of a query in lower case; words of one or two characters only if there are no longer ones. */
export const wordsOf = (query: string): ReadonlyArray<string> => {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))]
  const long = words.filter((word) => word.length > 2)
  return (long.length > 0 ? long : words).slice(0, wordsMax)
}

/** The score of a memory that contains this share of the query's words: below a good match by meaning. */
export const wordScore = (share: number): number => share / 2

/** Why the expiry is refused; undefined if it is allowed. */
export const expiryProblem = (expiresAt: string, now: Date): string | undefined => {
  const millis = momentMillis(expiresAt)
  return millis > now.getTime() && millis < Date.UTC(10_000, 0, 1)
    ? undefined
    : `expected ${timeExample}, in the future`
}

/** A memory of a graph; `vector` is null without one of the current model. */
export interface GraphMemory extends Pick<MemoryNode, "id" | "tags"> {
  readonly vector: Float32Array | null
}

/** Memories with a lower cosine similarity have no edge. */
export const similarMin = 0.5
/** Edges by meaning, and edges by tags, that one node proposes; the other end may propose more. */
export const edgesOfNodeMax = 5

interface Neighbor {
  readonly at: number
  readonly weight: number
}

/** Keeps the heaviest neighbors, heaviest first. */
const keep = (best: Array<Neighbor>, neighbor: Neighbor): void => {
  const place = best.findIndex(({ weight }) => weight < neighbor.weight)
  if (place === -1) best.push(neighbor)
  else best.splice(place, 0, neighbor)
  if (best.length > edgesOfNodeMax) best.pop()
}

const rounded = (weight: number): number => Math.round(weight * 10_000) / 10_000

/** Whether most signs agree, so that the cosine is worth computing: a rough test of 32 numbers at a time. */
const signsOf = (vector: Float32Array): Uint32Array => {
  const signs = new Uint32Array(Math.ceil(vector.length / 32))
  for (let index = 0; index < vector.length; index++) {
    if (vector[index]! > 0) signs[index >> 5]! |= 1 << (index & 31)
  }
  return signs
}

const bitsOf = (word: number): number => {
  let rest = word - ((word >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** An angle below 60°, a cosine of 0.5, differs in a third of the signs on average. */
const differingShareMax = 0.42

const mayBeSimilar = (left: Uint32Array, right: Uint32Array, dimensions: number): boolean => {
  let differing = 0
  for (let index = 0; index < left.length; index++) differing += bitsOf(left[index]! ^ right[index]!)
  return differing <= dimensions * differingShareMax
}

/** The edges between similar memories, and between memories with common tags; each pair once for each relation. */
export const edgesOf = (memories: ReadonlyArray<GraphMemory>): ReadonlyArray<MemoryEdge> => {
  const similar = memories.map((): Array<Neighbor> => [])
  const tagged = memories.map((): Array<Neighbor> => [])
  const signs = memories.map(({ vector }) => vector === null ? null : signsOf(vector))
  const tags = memories.map((memory) => new Set(memory.tags))
  for (let one = 0; one < memories.length; one++) {
    for (let other = one + 1; other < memories.length; other++) {
      const [left, right] = [memories[one]!.vector, memories[other]!.vector]
      if (left !== null && right !== null && mayBeSimilar(signs[one]!, signs[other]!, left.length)) {
        const weight = cosine(left, right)
        if (weight >= similarMin) {
          keep(similar[one]!, { at: other, weight })
          keep(similar[other]!, { at: one, weight })
        }
      }
      if (tags[one]!.size === 0 || tags[other]!.size === 0) continue
      let common = 0
      for (const tag of tags[one]!) if (tags[other]!.has(tag)) common++
      if (common > 0) {
        const weight = common / (tags[one]!.size + tags[other]!.size - common)
        keep(tagged[one]!, { at: other, weight })
        keep(tagged[other]!, { at: one, weight })
      }
    }
  }
  const edges = (best: ReadonlyArray<ReadonlyArray<Neighbor>>, relation: "similar" | "tag") =>
    best.flatMap((neighbors, one) =>
      neighbors.flatMap(({ at: other, weight }): ReadonlyArray<MemoryEdge> => {
        // An edge that both ends propose is the one of the earlier node.
        if (other < one && best[other]!.some(({ at }) => at === one)) return []
        const [source, target] = one < other ? [one, other] : [other, one]
        return [{ source: memories[source]!.id, target: memories[target]!.id, weight: rounded(weight), relation }]
      })
    )
  return [...edges(similar, "similar"), ...edges(tagged, "tag")]
}

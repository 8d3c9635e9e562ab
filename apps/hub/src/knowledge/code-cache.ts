/**
 * The codes of large collections in memory, for candidates without a scan in PostgreSQL. A stale cache can miss a new
 * chunk, never return another workspace's: candidates are read by workspace and collection.
 */
import { Clock, Context, Effect, Layer, type Scope, Semaphore } from "effect"
import { codesAtOnce, distancesOf, wordsOfStep } from "./code-distances.ts"
import { codeBytesOf } from "./vectors.ts"

/** Below this number of chunks PostgreSQL finds candidates in some milliseconds; at 100,000 in 22 to 40, the cache in 5. */
export const cachedChunksMin = 20_000
/** Of all collections together. A million codes of the built-in embedder are 56 MB. */
const bytesMaxDefault = 128 * 1024 * 1024
/**
 * Codes that were extended are loaded again after this time: until then deleted chunks keep their places, and chunks
 * whose transaction committed after one with higher ids are missing.
 */
const reloadMillis = 60_000

/**
 * Up to 50,000 chunks after an id, as one array: for each, `int8send(chunk_id) || substring(varbit_send(code) from 5)`,
 * ordered by `chunk_id`, joined by `string_agg(…, ''::bytea order by chunk_id)`. Empty at the end.
 */
export type CodePage<E, R> = (afterChunkId: bigint) => Effect.Effect<Uint8Array, E, R>

export interface CodeQuery<E, R> {
  readonly collectionId: string
  /** Any change of the collection's chunks changes it; the cache then reads what is new. */
  readonly version: number
  readonly dimensions: number
  readonly page: CodePage<E, R>
  /** The query's vector. */
  readonly vector: Float32Array
  /** So many nearest chunks by code are compared with the vector's numbers. */
  readonly count: number
  /** So many of them are returned. */
  readonly kept: number
}

export class CodeCache extends Context.Service<CodeCache, {
  /**
   * The ids of the nearest chunks by code and vector, the nearest first; undefined while the codes are loaded (the caller scans in
   * PostgreSQL) or when they exceed the memory for codes. Returns to the event loop between parts of the scan.
   */
  readonly nearest: <E, R>(
    query: CodeQuery<E, R>
  ) => Effect.Effect<ReadonlyArray<bigint> | undefined, E, R>
  /** Removes a deleted collection's codes. */
  readonly forget: (collectionId: string) => Effect.Effect<void>
}>()("@countersign/hub/knowledge/CodeCache") {
  static readonly layerOf = (bytesMax: number) => Layer.effect(CodeCache, makeCodeCache(bytesMax))
  static readonly layer = Layer.suspend(() => CodeCache.layerOf(bytesMaxDefault))
}

/** The codes of one page, in words of 32 bits. */
interface Segment {
  readonly ids: BigInt64Array
  readonly words: Uint32Array
}

interface Codes {
  readonly version: number
  readonly dimensions: number
  /** Not empty. */
  readonly segments: ReadonlyArray<Segment>
  readonly loadedMillis: number
  readonly isExtended: boolean
}

const idBytes = 8
const codeBytes = (dimensions: number): number => Math.ceil(dimensions / 8)
/** Words of 32 bits, padded with zeros to those that are counted together. */
const codeWords = (dimensions: number): number => Math.ceil(dimensions / 32 / wordsOfStep) * wordsOfStep

/** The bytes of a code from a position, padded with zeros to whole words. */
const readCode = (bytes: Uint8Array, at: number, dimensions: number, words: Uint32Array, to: number): void => {
  const end = at + codeBytes(dimensions)
  for (let word = 0; word < codeWords(dimensions); word++) {
    const from = at + word * 4
    const [a, b, c, d] = [0, 1, 2, 3].map((offset) => from + offset < end ? bytes[from + offset]! : 0)
    words[to + word] = (a! << 24 | b! << 16 | c! << 8 | d!) >>> 0
  }
}

const segmentOf = (page: Uint8Array, dimensions: number): Segment => {
  const entryBytes = idBytes + codeBytes(dimensions)
  const perCode = codeWords(dimensions)
  const count = Math.floor(page.length / entryBytes)
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  const [ids, words] = [new BigInt64Array(count), new Uint32Array(count * perCode)]
  const isWhole = codeBytes(dimensions) === perCode * 4
  for (let index = 0; index < count; index++) {
    const at = index * entryBytes
    ids[index] = view.getBigInt64(at)
    if (isWhole) {
      for (let word = 0; word < perCode; word++) words[index * perCode + word] = view.getUint32(at + idBytes + word * 4)
    } else readCode(page, at + idBytes, dimensions, words, index * perCode)
  }
  return { ids, words }
}

const bytesOf = ({ segments }: Pick<Codes, "segments">): number =>
  segments.reduce((sum, { ids, words }) => sum + ids.byteLength + words.byteLength, 0)

/** The nearest codes seen so far, in no order. */
interface Nearest {
  readonly query: Uint32Array
  readonly count: number
  /** Codes seen at each distance, up to the limit. */
  readonly counts: Uint32Array
  /** The distance of the farthest of the nearest, and how many are not farther. */
  limit: number
  within: number
  /** Segment, index and distance of each code that was near enough when it was seen. */
  readonly found: Array<number>
}

const addNearest = (nearest: Nearest, { ids, words }: Segment, position: number): void => {
  const { count, counts, found, query } = nearest
  const perCode = query.length
  const atOnce = codesAtOnce(perCode)
  let { limit, within } = nearest
  for (let from = 0; from < ids.length; from += atOnce) {
    const distances = distancesOf(words.subarray(from * perCode, (from + atOnce) * perCode), query)
    for (let index = 0; index < distances.length; index++) {
      const distance = distances[index]!
      if (distance > limit) continue
      found.push(position, from + index, distance)
      counts[distance]!++
      within++
      while (within - counts[limit]! >= count) within -= counts[limit--]!
    }
  }
  nearest.limit = limit
  nearest.within = within
}

/**
 * The sum of a vector's numbers, each with the sign of its bit in a code: nearer to the cosine than the number of equal bits. Sums
 * of eight bits are made once, so that a code takes a look-up for each of its bytes.
 */
const likenessTo = (vector: Float32Array): (segment: Segment, index: number) => number => {
  const perCode = codeWords(vector.length)
  const sums = new Float64Array(perCode * 4 * 256)
  for (let byte = 0; byte * 8 < vector.length; byte++) {
    const start = byte * 256
    for (let bit = 0; bit < 8; bit++) sums[start]! -= vector[byte * 8 + bit] ?? 0
    for (let bits = 1; bits < 256; bits++) {
      const lowest = 31 - Math.clz32(bits & -bits)
      sums[start + bits] = sums[start + (bits & bits - 1)]! + 2 * (vector[byte * 8 + 7 - lowest] ?? 0)
    }
  }
  return ({ words }, index) => {
    let sum = 0
    for (let word = index * perCode, start = 0; word < (index + 1) * perCode; word++) {
      const bits = words[word]!
      sum += sums[start + (bits >>> 24)]! + sums[start + 256 + (bits >>> 16 & 255)]! +
        sums[start + 512 + (bits >>> 8 & 255)]! + sums[start + 768 + (bits & 255)]!
      start += 1_024
    }
    return sum
  }
}

/** The ids of the nearest codes, the likest to the vector first. */
const ranked = (
  { count, counts, found, limit, within }: Nearest,
  segments: ReadonlyArray<Segment>,
  vector: Float32Array
): ReadonlyArray<bigint> => {
  const likeness = likenessTo(vector)
  // Of those at the limit, only as many as there is room for.
  let room = counts[limit]! - Math.max(0, within - count)
  const likest: Array<readonly [number, bigint]> = []
  for (let at = 0; at < found.length; at += 3) {
    const [position, index, distance] = [found[at]!, found[at + 1]!, found[at + 2]!]
    if (distance > limit || distance === limit && room-- <= 0) continue
    const segment = segments[position]!
    likest.push([likeness(segment, index), segment.ids[index]!])
  }
  return likest.sort(([left], [right]) => right - left).map(([, id]) => id)
}

const eventLoop = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const scan = Effect.fnUntraced(function*(
  { dimensions, segments }: Codes,
  { count, kept, vector }: Pick<CodeQuery<never, never>, "count" | "kept" | "vector">
) {
  const query = new Uint32Array(codeWords(dimensions))
  readCode(codeBytesOf(vector), 0, dimensions, query, 0)
  const counts = new Uint32Array(dimensions + 1)
  const nearest: Nearest = { query, count, counts, limit: dimensions, within: 0, found: [] }
  for (const [position, segment] of segments.entries()) {
    addNearest(nearest, segment, position)
    yield* eventLoop
  }
  return ranked(nearest, segments, vector).slice(0, kept)
})

const makeCodeCache = (bytesMax: number): Effect.Effect<CodeCache["Service"], never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    /** In the order of use, the last one used last. */
    const cached = new Map<string, Codes>()
    const loading = new Set<string>()
    const tooLarge = new Set<string>()
    const refreshing = yield* Semaphore.make(1)

    const keep = (collectionId: string, codes: Codes): void => {
      cached.delete(collectionId)
      cached.set(collectionId, codes)
      let bytes = [...cached.values()].reduce((sum, each) => sum + bytesOf(each), 0)
      for (const [id, each] of cached) {
        if (bytes <= bytesMax) break
        bytes -= bytesOf(each)
        cached.delete(id)
        if (id === collectionId) tooLarge.add(id)
      }
    }

    /** All pages after an id; undefined as soon as they exceed the memory. */
    const pagesAfter = Effect.fnUntraced(
      function*<E, R>({ dimensions, page }: CodeQuery<E, R>, after: bigint) {
        const segments: Array<Segment> = []
        for (let last = after, bytes = 0;;) {
          const segment = segmentOf(yield* page(last), dimensions)
          if (segment.ids.length === 0) return segments
          segments.push(segment)
          bytes += bytesOf({ segments: [segment] })
          if (bytes > bytesMax) return undefined
          last = segment.ids.at(-1)!
          yield* eventLoop
        }
      }
    )

    const load = <E, R>(query: CodeQuery<E, R>): Effect.Effect<void, never, R> =>
      Effect.suspend(() => {
        const { collectionId, dimensions, version } = query
        if (loading.has(collectionId) || tooLarge.has(collectionId)) return Effect.void
        loading.add(collectionId)
        return pagesAfter(query, 0n).pipe(
          Effect.zip(Clock.currentTimeMillis),
          Effect.map(([segments, loadedMillis]) => {
            // A deleted collection is forgotten while it is loaded.
            if (!loading.has(collectionId)) return
            if (segments === undefined) tooLarge.add(collectionId)
            else if (segments.length > 0) {
              keep(collectionId, { version, dimensions, segments, loadedMillis, isExtended: false })
            }
          }),
          Effect.catchCause((cause) => Effect.logWarning("the codes of a collection could not be loaded", cause)),
          Effect.ensuring(Effect.sync(() => loading.delete(collectionId))),
          Effect.forkIn(scope),
          Effect.asVoid
        )
      })

    /**
     * The codes with what was added: ids only grow. The last known chunk is read again: if it is gone or has another
     * code, the collection was reindexed or its end deleted, and all codes are loaded again.
     */
    const refreshed = Effect.fnUntraced(function*<E, R>(query: CodeQuery<E, R>) {
      const { collectionId, dimensions, version } = query
      const codes = cached.get(collectionId)
      if (codes === undefined || codes.version === version) return codes
      const last = codes.segments.at(-1)!
      const lastId = last.ids.at(-1)!
      const [first, ...rest] = (yield* pagesAfter(query, lastId - 1n)) ?? []
      const perCode = codeWords(dimensions)
      const isKnown = codes.dimensions === dimensions && first?.ids[0] === lastId &&
        last.words.subarray(-perCode).every((word, index) => word === first.words[index])
      if (!isKnown) {
        cached.delete(collectionId)
        yield* load(query)
        return undefined
      }
      const added = { ids: first.ids.subarray(1), words: first.words.subarray(perCode) }
      const segments = [...codes.segments, ...added.ids.length === 0 ? [] : [added], ...rest]
      keep(collectionId, { ...codes, version, segments: merged(segments), isExtended: true })
      return cached.get(collectionId)
    })

    const nearest = Effect.fnUntraced(function*<E, R>(query: CodeQuery<E, R>) {
      const codes = cached.get(query.collectionId)
      if (codes === undefined) {
        yield* load(query)
        return undefined
      }
      const current = codes.version === query.version ? codes : yield* refreshing.withPermits(1)(refreshed(query))
      if (current === undefined) return undefined
      keep(query.collectionId, current)
      const age = (yield* Clock.currentTimeMillis) - current.loadedMillis
      if (current.isExtended && age > reloadMillis) yield* load(query)
      return yield* scan(current, query)
    })

    return CodeCache.of({
      nearest,
      forget: (collectionId) =>
        Effect.sync(() => {
          cached.delete(collectionId)
          loading.delete(collectionId)
          tooLarge.delete(collectionId)
        })
    })
  })

const smallSegment = 10_000

/** The two last segments as one, while both are small: a collection that grows chunk by chunk has few segments. */
const merged = (segments: ReadonlyArray<Segment>): ReadonlyArray<Segment> => {
  const [left, right] = segments.slice(-2)
  if (left === undefined || right === undefined) return segments
  if (left.ids.length + right.ids.length > smallSegment) return segments
  const ids = new BigInt64Array(left.ids.length + right.ids.length)
  ids.set(left.ids)
  ids.set(right.ids, left.ids.length)
  const words = new Uint32Array(left.words.length + right.words.length)
  words.set(left.words)
  words.set(right.words, left.words.length)
  return [...segments.slice(0, -2), { ids, words }]
}

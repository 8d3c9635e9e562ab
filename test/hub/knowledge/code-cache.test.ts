/** Candidates from codes in memory. Spec: reference/knowledge.md "Query". */
import { CodeCache, type CodeQuery } from "@countersign/hub/knowledge/code-cache"
import { codeBytesOf, codeOf } from "@countersign/hub/knowledge/vectors"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chanceOf } from "../../support/random.ts"

/** A table of chunks, in pages. */
const tableOf = (dimensions: number, seed: number, pageRows = 100) => {
  const { next } = chanceOf(seed)
  const vectorOf = () => Float32Array.from({ length: dimensions }, () => next() - 0.5)
  const rows: Array<readonly [bigint, Float32Array<ArrayBuffer>]> = []
  const reads: Array<bigint> = []
  const add = (count: number) => {
    for (let index = 0; index < count; index++) rows.push([(rows.at(-1)?.[0] ?? 0n) + 2n, vectorOf()])
  }
  const page = (after: bigint) =>
    Effect.sync(() => {
      reads.push(after)
      return Buffer.concat(
        rows.filter(([id]) => id > after).slice(0, pageRows).flatMap(([id, vector]) => {
          const start = Buffer.alloc(8)
          start.writeBigInt64BE(id)
          return [start, codeBytesOf(vector)]
        })
      )
    })
  const exact = (vector: Float32Array, count: number) => {
    const code = codeOf(vector)
    const distance = (other: Float32Array) => [...codeOf(other)].filter((bit, index) => bit !== code[index]).length
    return rows.map(([id, each]) => ({ id, distance: distance(each) }))
      .toSorted((left, right) => left.distance - right.distance || Number(left.id - right.id))
      .slice(0, count)
  }
  return { add, exact, page, reads, rows, vectorOf }
}

const settled = <E>(query: CodeQuery<E, never>) =>
  Effect.gen(function*() {
    const cache = yield* CodeCache
    for (;;) {
      const found = yield* cache.nearest(query)
      if (found !== undefined) return found
      yield* Effect.yieldNow
    }
  })

describe("the cache of codes", () => {
  for (const dimensions of [384, 1_536, 100]) {
    it.live(`finds the nearest of ${dimensions} dimensions by code, and keeps the nearest by the vector's numbers`, () =>
      Effect.gen(function*() {
        const { add, exact, page, rows, vectorOf } = tableOf(dimensions, dimensions)
        add(350)
        for (const count of [1, 20, 350, 500]) {
          const vector = vectorOf()
          const query = { collectionId: "c", version: 1, dimensions, page, vector, count }
          const found = yield* settled({ ...query, kept: count })
          const expected = exact(vector, count)
          const distances = new Map(exact(vector, 350).map(({ distance, id }) => [id, distance]))
          assert.deepStrictEqual(
            found.map((id) => distances.get(id)!).toSorted((left, right) => left - right),
            expected.map(({ distance }) => distance)
          )
          assert.strictEqual(new Set(found).size, expected.length)
          const byId = new Map(rows)
          const likeness = (id: bigint) =>
            byId.get(id)!.reduce((sum, value, index) => sum + (value > 0 ? vector[index]! : -vector[index]!), 0)
          for (const [index, id] of found.entries()) {
            if (index > 0) assert.isAtMost(likeness(id), likeness(found[index - 1]!) + 1e-4)
          }
          assert.deepStrictEqual(yield* settled({ ...query, kept: 5 }), found.slice(0, 5))
        }
      }).pipe(Effect.provide(CodeCache.layer)))
  }

  it.live("compares all codes of a large page", () =>
    Effect.gen(function*() {
      const { add, page, rows, vectorOf } = tableOf(4_096, 6, 3_000)
      add(2_500)
      const query = { collectionId: "c", version: 1, dimensions: 4_096, page, vector: vectorOf(), count: 1, kept: 1 }
      for (const index of [0, 1_014, 1_015, 2_499]) {
        const [id, vector] = rows[index]!
        assert.deepStrictEqual(yield* settled({ ...query, vector }), [id])
      }
    }).pipe(Effect.provide(CodeCache.layer)))

  it.live("answers nothing while it loads, then reads only what is new", () =>
    Effect.gen(function*() {
      const cache = yield* CodeCache
      const { add, page, reads, rows, vectorOf } = tableOf(384, 2)
      add(250)
      const query = (version: number, vector = vectorOf()) => ({
        collectionId: "c",
        version,
        dimensions: 384,
        page,
        vector,
        count: 1,
        kept: 1
      })
      assert.isUndefined(yield* cache.nearest(query(1)))
      yield* settled(query(1))
      add(10)
      reads.length = 0
      const [id, vector] = rows.at(-1)!
      assert.deepStrictEqual(yield* cache.nearest(query(2, vector)), [id])
      assert.deepStrictEqual(reads, [499n, 520n])
      assert.deepStrictEqual(yield* cache.nearest(query(2, vector)), [id])
      assert.lengthOf(reads, 2)
    }).pipe(Effect.provide(CodeCache.layer)))

  it.live("loads all codes again after a reindex, and after its last chunk was deleted", () =>
    Effect.gen(function*() {
      const cache = yield* CodeCache
      const { add, page, rows, vectorOf } = tableOf(384, 3)
      add(120)
      const query = (version: number, vector: Float32Array) => ({
        collectionId: "c",
        version,
        dimensions: 384,
        page,
        vector,
        count: 1,
        kept: 1
      })
      yield* settled(query(1, vectorOf()))
      for (const [index, [id]] of rows.entries()) rows[index] = [id, vectorOf()]
      const [id, vector] = rows[5]!
      assert.isUndefined(yield* cache.nearest(query(2, vector)))
      assert.deepStrictEqual(yield* settled(query(2, vector)), [id])
      const [, removed] = rows.pop()!
      assert.isUndefined(yield* cache.nearest(query(3, removed)))
      assert.notDeepEqual(yield* settled(query(3, removed)), [240n])
    }).pipe(Effect.provide(CodeCache.layer)))

  it.live("keeps the collections that were used last within its memory, and none that is too large", () =>
    Effect.gen(function*() {
      const cache = yield* CodeCache
      const { add, page, vectorOf } = tableOf(384, 4)
      add(100)
      const query = (collectionId: string) => ({
        collectionId,
        version: 1,
        dimensions: 384,
        page,
        vector: vectorOf(),
        count: 1,
        kept: 1
      })
      for (const id of ["a", "b", "c"]) yield* settled(query(id))
      assert.isDefined(yield* cache.nearest(query("b")))
      assert.isUndefined(yield* cache.nearest(query("a")))
      yield* cache.forget("b")
      assert.isUndefined(yield* cache.nearest(query("b")))
      const large = tableOf(384, 5)
      large.add(300)
      for (let tries = 0; tries < 50; tries++) {
        assert.isUndefined(yield* cache.nearest({ ...query("large"), page: large.page }))
        yield* Effect.yieldNow
      }
      assert.isBelow(large.reads.length, 10)
    }).pipe(Effect.provide(CodeCache.layerOf(2 * 100 * 56))))
})

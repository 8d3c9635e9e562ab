/** The order of chunks by similarity and by words. Spec: reference/knowledge.md "Query". */
import { bySimilarity, type Candidate, hybrid } from "@countersign/hub/knowledge/ranking"
import { codeBytesOf, codeOf, cosine, decodeHalves, encodeHalves } from "@countersign/hub/knowledge/vectors"
import { assert, describe, it } from "@effect/vitest"
import { chanceOf } from "../../support/random.ts"

const ids = (ranked: ReadonlyArray<{ readonly id: string }>) => ranked.map(({ id }) => id).join("")

describe("hybrid ranking", () => {
  const candidates: ReadonlyArray<Candidate<string>> = [
    { id: "a", similarity: 0.9 },
    { id: "b", similarity: 0.8, keywords: { cover: 0.5, rank: 9 } },
    { id: "c", similarity: 0.7, keywords: { cover: 1, rank: 0.1 } },
    { id: "d", similarity: 0.1, keywords: { cover: 1, rank: 0.2 } }
  ]

  it("joins both lists by 1 / (60 + position)", () => {
    assert.deepStrictEqual(hybrid(candidates, 10), [
      { id: "d", score: 1 / 64 + 1 / 61 },
      { id: "c", score: 1 / 63 + 1 / 62 },
      { id: "a", score: 1 / 61 },
      { id: "b", score: 1 / 62 }
    ])
  })

  it("ignores the rank of a chunk with less than 0.65 of the query's words", () => {
    assert.strictEqual(ids(hybrid(candidates.slice(0, 2), 10)), "ab")
  })

  it("is the order by similarity without keywords, and keeps the requested number", () => {
    assert.strictEqual(ids(bySimilarity(candidates.toReversed(), 3)), "abc")
    assert.strictEqual(ids(hybrid(candidates, 1)), "d")
    assert.deepStrictEqual(hybrid([], 5), [])
  })
})

describe("stored vectors", () => {
  const { next } = chanceOf(7)
  const vector = Float32Array.from({ length: 384 }, () => next() * 2 - 1)

  it("keep the cosine in two bytes for each number", () => {
    const bytes = encodeHalves(vector)
    assert.strictEqual(bytes.length, 768)
    // A driver may return a view at an odd position.
    const shifted = new Uint8Array(769)
    shifted.set(bytes, 1)
    const read = decodeHalves(shifted.subarray(1))
    assert.isAbove(cosine(vector, read), 0.999_999)
    for (const [index, value] of read.entries()) assert.closeTo(value, vector[index]!, 0.000_5)
  })

  it("have the same code as text and as bytes, 1 for each number above 0", () => {
    const small = Float32Array.of(1, -1, 0, 0.5, 2, -0, 1, 1, 0.1)
    assert.strictEqual(codeOf(small), "100110111")
    assert.deepStrictEqual([...codeBytesOf(small)], [0b1001_1011, 0b1000_0000])
    const bits = [...codeBytesOf(vector)].map((byte) => byte.toString(2).padStart(8, "0")).join("")
    assert.strictEqual(bits, codeOf(vector))
  })

  it("have the cosine 0 without a direction or with different lengths", () => {
    assert.strictEqual(cosine(Float32Array.of(0, 0), Float32Array.of(1, 0)), 0)
    assert.strictEqual(cosine(Float32Array.of(1), Float32Array.of(1, 0)), 0)
    assert.closeTo(cosine(Float32Array.of(3, 0), Float32Array.of(-2, 0)), -1, 1e-9)
  })
})

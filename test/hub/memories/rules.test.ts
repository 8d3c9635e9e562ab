/** Pieces of long texts, words of queries, and edges of graphs. */
import type { MemoryId } from "@countersign/domain/ids"
import {
  edgesOf,
  edgesOfNodeMax,
  expiryProblem,
  meanOf,
  piecesOf,
  similarMin,
  wordsOf
} from "@countersign/hub/memories/rules"
import { assert, describe, it } from "@effect/vitest"
import { hashedVector } from "../../support/embedder.ts"
import { chanceOf } from "../../support/random.ts"

const memory = (name: string, text: string | null, tags: ReadonlyArray<string> = []) => ({
  id: `mem_${name}` as MemoryId,
  tags,
  vector: text === null ? null : hashedVector(text)
})

describe("memories", () => {
  it("are embedded in pieces of at most 180 words and 1,200 characters that keep every word", () => {
    const chance = chanceOf(18)
    const letters = ["a", "ß", "漢", "é", "-"]
    for (let run = 0; run < 40; run++) {
      const words = Array.from(
        { length: 1 + chance.int(400) },
        () => chance.one(letters).repeat(chance.int(20) === 0 ? 1 + chance.int(3_000) : 1 + chance.int(12))
      )
      const pieces = piecesOf(words.join(" \n "))
      assert.isTrue(pieces.every((piece) => piece.length <= 1_400 && piece.split(/\s+/u).length <= 180))
      assert.strictEqual(pieces.join("").replace(/\s+/gu, ""), words.join(""))
    }
    assert.deepStrictEqual(piecesOf("  A short fact. "), ["A short fact."])
  })

  it("of several pieces have the mean direction, with length 1", () => {
    const mean = meanOf([hashedVector("red"), hashedVector("blue")])
    assert.closeTo(Math.hypot(...mean), 1, 1e-6)
    const single = hashedVector("red")
    assert.strictEqual(meanOf([single]), single)
  })

  it("are compared by the longer words of a query, each once", () => {
    assert.deepStrictEqual(wordsOf("Is the Café, the CAFÉ, in L.A.?"), ["the", "café"])
    assert.deepStrictEqual(wordsOf("a b"), ["a", "b"])
    assert.deepStrictEqual(wordsOf("?!"), [])
  })

  it("expire in the future only", () => {
    const now = new Date("2026-11-24T10:00:00Z")
    assert.isUndefined(expiryProblem("2026-11-24T10:00:01Z", now))
    for (const refused of ["2026-11-24T10:00:00Z", "2025-01-01T00:00:00Z", "soon", ""]) {
      assert.isDefined(expiryProblem(refused, now))
    }
  })
})

describe("the graph of memories", () => {
  it("connects similar memories and common tags, each pair once for each relation", () => {
    const edges = edgesOf([
      memory("a", "the customer likes aisle seats", ["travel", "customer"]),
      memory("b", "the customer likes window seats", ["travel"]),
      memory("c", "invoices leave on friday", ["billing"]),
      memory("d", null, ["travel", "customer"])
    ])
    const of = (relation: string) =>
      edges.filter((edge) => edge.relation === relation).map(({ source, target, weight }) => [source, target, weight])
    assert.deepStrictEqual(of("similar").map(([source, target]) => [source, target]), [["mem_a", "mem_b"]])
    assert.deepStrictEqual(of("tag").sort(), [["mem_a", "mem_b", 0.5], ["mem_a", "mem_d", 1], ["mem_b", "mem_d", 0.5]])
  })

  it("stays bounded, and has no weaker similarity than the threshold", () => {
    const words = ["red", "blue", "green", "fast", "slow"]
    const chance = chanceOf(7)
    const some = (words: ReadonlyArray<string>) => words.filter(() => chance.int(2) === 0)
    for (let run = 0; run < 20; run++) {
      const nodes = Array.from(
        { length: chance.int(60) },
        (_, at) => memory(String(at), ["first", ...some(words)].join(" "), some(words))
      )
      const edges = edgesOf(nodes)
      assert.isAtMost(edges.length, 2 * edgesOfNodeMax * nodes.length)
      const pairs = edges.map(({ relation, source, target }) => [relation, ...[source, target].sort()].join())
      assert.strictEqual(new Set(pairs).size, edges.length)
      for (const { relation, source, target, weight } of edges) {
        assert.notStrictEqual(source, target)
        assert.isAtLeast(weight, relation === "similar" ? similarMin - 1e-4 : 0)
        assert.isAtMost(weight, 1.0001)
      }
    }
  })
})

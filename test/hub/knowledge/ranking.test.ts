/** The order of chunks by similarity and by words. Spec: reference/knowledge.md "Query". */
import { partsOf } from "@countersign/hub/knowledge/parsing/parts"
import { bySimilarity, type Candidate, coverMin, hybrid, sectionsInTurn } from "@countersign/hub/knowledge/ranking"
import {
  codeBytesOf,
  codeOf,
  cosine,
  cosineWith,
  decodeHalves,
  encodeHalves,
  meanOf
} from "@countersign/hub/knowledge/vectors"
import { someOf } from "@countersign/hub/knowledge/words"
import { assert, describe, it } from "@effect/vitest"
import { chanceOf } from "../../support/random.ts"

const ids = (ranked: ReadonlyArray<{ readonly id: string }>) => ranked.map(({ id }) => id).join("")

describe("hybrid ranking", () => {
  const candidates: ReadonlyArray<Candidate<string>> = [
    { id: "a", similarity: 0.9, cover: 0 },
    { id: "b", similarity: 0.8, cover: 0.5 },
    { id: "c", similarity: 0.7, cover: 1 },
    { id: "d", similarity: 0.1, cover: 1 }
  ]

  it("adds the part of the words to the similarity with a weight of 0.25, and is at most 1", () => {
    assert.deepStrictEqual(hybrid(candidates, 10).map(({ id, score }) => `${id} ${score.toFixed(3)}`), [
      "c 0.760",
      "b 0.740",
      "a 0.720",
      "d 0.280"
    ])
    assert.deepStrictEqual(hybrid([{ id: "e", similarity: 1, cover: 1 }], 1), [{ id: "e", score: 1 }])
  })

  it("is the order by similarity for chunks with the same part of the words", () => {
    assert.strictEqual(ids(hybrid(candidates.toReversed().slice(0, 2), 10)), "cd")
    assert.strictEqual(ids(bySimilarity(candidates.toReversed(), 3)), "abc")
  })

  it("keeps the requested number", () => {
    assert.strictEqual(ids(hybrid(candidates, 1)), "c")
    assert.deepStrictEqual(hybrid([], 5), [])
  })
})

describe("the first three results", () => {
  const ranked = [["a", 0.9], ["a", 0.8], ["b", 0.7], [undefined, 0.6], [undefined, 0.5], ["c", 0.4]].map(
    ([section, score], index) => ({ id: index, section: section as string | undefined, score: score as number })
  )

  it("are of different sections where there are as many, and no later result has a higher score", () => {
    assert.deepStrictEqual(
      sectionsInTurn(ranked, ({ section }) => section).map(({ id, score }) => [id, score]),
      [[0, 0.9], [2, 0.7], [3, 0.6], [1, 0.6], [4, 0.5], [5, 0.4]]
    )
    assert.deepStrictEqual(sectionsInTurn(ranked.slice(0, 2), ({ section }) => section), ranked.slice(0, 2))
    assert.deepStrictEqual(sectionsInTurn([], () => "a"), [])
  })
})

describe("the parts of a passage", () => {
  it("are whole sentences and rows of at most the words, and hold every word", () => {
    assert.deepStrictEqual(partsOf("One two three. Four five.\nSix seven eight nine ten eleven twelve.", 5), [
      "One two three.\nFour five.",
      "Six seven eight nine ten eleven twelve."
    ])
    assert.deepStrictEqual(partsOf("| Name | Rule |\n| --- | --- |\n| `a` | at most 5 |", 4), [
      "Name | Rule",
      "`a` | at most 5"
    ])
    assert.deepStrictEqual(partsOf(" \n", 5), [])
  })

  it("have a mean of length 1", () => {
    const mean = meanOf([Float32Array.of(1, 0), Float32Array.of(0, 1)])
    assert.closeTo(cosine(mean, Float32Array.of(1, 1)), 1, 1e-6)
    assert.closeTo(Math.hypot(...mean), 1, 1e-6)
    assert.deepStrictEqual([...meanOf([Float32Array.of(1, 0), Float32Array.of(-1, 0)])], [0, 0])
  })
})

describe("the condition on a query's words", () => {
  /** Whether a passage with these words matches. */
  const matches = (condition: string, words: ReadonlySet<string>): boolean =>
    condition.split(/\) \| \(/).some((part) =>
      part.split(" & ").every((group) => Array.from(group.matchAll(/'(\w+)'/g)).some(([, word]) => words.has(word!)))
    )

  it("is met by every passage with enough of the words, and by none with a single one of several", () => {
    const { int, next } = chanceOf(3)
    for (let size = 1; size <= 24; size++) {
      const lexemes = Array.from({ length: size }, (_, index) => `w${index}`)
      const condition = someOf(lexemes, lexemes)!
      assert.strictEqual(matches(condition, new Set(["w0"])), size === 1)
      for (let times = 0; times < 20; times++) {
        const enough = Math.ceil(size * coverMin)
        const shuffled = lexemes.map((lexeme) => [next(), lexeme] as const).toSorted(([left], [right]) => left - right)
        const words = new Set(shuffled.slice(0, enough + int(size - enough + 1)).map(([, lexeme]) => lexeme))
        assert.isTrue(matches(condition, words), `${[...words].join(" ")} in ${condition}`)
      }
    }
  })

  it("finds nothing without words, or for a text that is quoted", () => {
    assert.isUndefined(someOf([], []))
    assert.isUndefined(someOf(Array.from({ length: 25 }, (_, index) => `w${index}`)))
  })

  it("quotes the words", () => {
    assert.strictEqual(someOf([], ["o'br\\ien"]), "('o''br\\\\ien')")
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
    const similarityTo = cosineWith(vector)
    assert.closeTo(similarityTo(shifted.subarray(1)), cosine(vector, read), 1e-9)
    assert.closeTo(similarityTo(encodeHalves(vector.map((value) => -value))), -1, 1e-6)
    assert.strictEqual(similarityTo(bytes.subarray(2)), 0)
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

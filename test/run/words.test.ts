/** The words check of `npm run check`: which phrases it finds, and that the repository passes it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { patternOf, phrasesIn, usesIn, wordFaults } from "../support/words.mjs"

const root = join(import.meta.dirname, "..", "..")
const phrases = phrasesIn(readFileSync(join(root, "resources", "docs", "glossary.md"), "utf8"))
const uses = (text: string) => usesIn(text, patternOf(phrases))

describe("words to avoid", () => {
  it("reads every phrase of the glossary's second table, and none of its first", () => {
    expect(phrases).toEqual(expect.arrayContaining(["told", "what waits", "unknown fate", "upon"]))
    expect(phrases).not.toEqual(expect.arrayContaining(["Do not write"]))
    expect(phrases).not.toContain("approval")
  })

  it("names the line of each use, in any case", () => {
    expect(uses("one\nTold twice\nand what waits")).toEqual([{ line: 2, phrase: "Told" }, {
      line: 3,
      phrase: "what waits"
    }])
  })

  it("finds a phrase that a comment breaks over two lines", () => {
    expect(uses("/**\n * The unknown\n * fate of a call.\n */")).toEqual([{ line: 2, phrase: "unknown fate" }])
    expect(uses("-- a process of its\n-- own")).toEqual([{ line: 1, phrase: "of its own" }])
  })

  it("leaves longer words, parts of names, and wire values alone", () => {
    expect(uses("untold standstill a no-op standing_approval.withdrawn")).toEqual([])
  })

  it("finds no more uses in the repository than words-left.json allows, and lowers its counts", () => {
    expect(wordFaults(root)).toEqual([])
  })
})

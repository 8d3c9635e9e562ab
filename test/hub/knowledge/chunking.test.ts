/** Chunks follow the structure of the document, and their positions are exact. Spec: reference/knowledge.md "Chunks". */
import { chunksOf, languageOf, searchText, wordsMax } from "@countersign/hub/knowledge/parsing/chunking"
import type { Block, ParsedDocument } from "@countersign/hub/knowledge/parsing/document"
import { assert, describe, it } from "@effect/vitest"
import { type Chance, chanceOf } from "../../support/random.ts"

/** A document of blocks that are joined by an empty line. */
const documentOf = (
  parts: ReadonlyArray<Pick<Block, "kind" | "headings" | "page"> & { readonly text: string }>
): ParsedDocument => {
  let text = ""
  const blocks = parts.map(({ text: part, ...block }) => {
    if (text !== "") text += "\n\n"
    const start = text.length
    text += part
    return { ...block, start, end: text.length }
  })
  return { text, blocks }
}

const sentence = (words: number, name: string) =>
  `${Array.from({ length: words }, (_, index) => `${name}${index}`).join(" ")}.`
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "")

describe("a section", () => {
  it("is one chunk with its headings and page when it fits", () => {
    const document = documentOf([
      { kind: "heading", headings: ["Money"], text: "Money", page: 2 },
      { kind: "text", headings: ["Money"], text: "Amounts are integer cents.", page: 2 },
      { kind: "text", headings: ["Money"], text: "The hub rounds up, and the wallet is charged.", page: 2 }
    ])
    assert.deepStrictEqual(chunksOf(document), [{
      chunk: 0,
      start: 7,
      end: 80,
      page: 2,
      headings: ["Money"],
      text: "Amounts are integer cents.\n\nThe hub rounds up, and the wallet is charged.",
      language: "english"
    }])
  })

  it("shares no chunk with the next section or page", () => {
    const chunks = chunksOf(documentOf([
      { kind: "text", headings: [], text: "Preface.", page: 1 },
      { kind: "heading", headings: ["A"], text: "A", page: 1 },
      { kind: "text", headings: ["A"], text: "First.", page: 1 },
      { kind: "text", headings: ["A"], text: "Second.", page: 2 },
      { kind: "heading", headings: ["A", "B"], text: "B", page: 2 },
      { kind: "text", headings: ["A", "B"], text: "Third.", page: 2 }
    ]))
    assert.deepStrictEqual(chunks.map(({ headings, page, text }) => [headings.join("/"), page, text]), [
      ["", 1, "Preface."],
      ["A", 1, "First."],
      ["A", 2, "Second."],
      ["A/B", 2, "Third."]
    ])
  })

  it("without text keeps its heading as a chunk", () => {
    const chunks = chunksOf(documentOf([
      { kind: "heading", headings: ["A"], text: "A" },
      { kind: "heading", headings: ["A", "B"], text: "B" },
      { kind: "heading", headings: ["C"], text: "C" }
    ]))
    assert.deepStrictEqual(chunks.map(({ headings, text }) => [headings, text]), [[["A"], "B"], [[], "C"]])
  })

  it("that is too long is cut between paragraphs, and repeats a short sentence", () => {
    const [first, second] = [sentence(100, "A"), sentence(20, "B")]
    const chunks = chunksOf(documentOf([
      { kind: "text", headings: [], text: `${first} ${second}` },
      { kind: "text", headings: [], text: sentence(100, "C") }
    ]))
    assert.deepStrictEqual(chunks.map(({ text }) => text), [
      `${first} ${second}`,
      `${second}\n\n${sentence(100, "C")}`
    ])
  })

  it("with a paragraph that is too long is cut between sentences", () => {
    const parts = ["A", "B", "C", "D"].map((name) => sentence(80, name))
    const chunks = chunksOf(documentOf([{ kind: "text", headings: [], text: parts.join(" ") }]))
    assert.deepStrictEqual(chunks.map(({ text }) => text), [parts.slice(0, 2).join(" "), parts.slice(2).join(" ")])
  })

  it("with a sentence that is too long is cut between words", () => {
    const text = sentence(wordsMax * 2 + 1, "w")
    const chunks = chunksOf(documentOf([{ kind: "text", headings: [], text }]))
    assert.deepStrictEqual(chunks.map((chunk) => wordsOf(chunk.text).length), [wordsMax, wordsMax, 1])
  })
})

describe("text without spaces", () => {
  it("is cut by characters in scripts that have none between words", () => {
    const chunks = chunksOf(documentOf([{ kind: "text", headings: [], text: "漢".repeat(1_000) }]))
    assert.deepStrictEqual(chunks.map(({ text }) => text.length), [180, 180, 180, 180, 180, 100])
  })

  it("is cut when it is one long string, never inside of a surrogate pair", () => {
    const chunks = chunksOf(documentOf([{ kind: "text", headings: [], text: "😀".repeat(10_000) }]))
    assert.isAbove(chunks.length, 3)
    for (const { text } of chunks) assert.isTrue(text.isWellFormed())
  })
})

const words = [
  "hub",
  "agent's",
  "Zażółć",
  "日本語",
  "שלום",
  "مرحبا",
  "😀",
  "3.14",
  "e.g.",
  "x".repeat(50),
  "Dr.",
  "the"
]
const randomDocument = (chance: Chance): ParsedDocument => {
  const path: Array<string> = []
  let page = 1
  return documentOf(Array.from({ length: 1 + chance.int(12) }, () => {
    if (chance.int(4) === 0) page++
    const isHeading = chance.int(3) === 0
    if (isHeading) path.splice(chance.int(path.length + 1), path.length, `Heading ${chance.int(3)}`)
    const text = isHeading
      ? path.at(-1)!
      : Array.from({ length: 1 + chance.int(400) }, () => chance.one(words) + chance.one(["", "", ".", "?", "\n"]))
        .join(chance.one([" ", "  "]))
    return { kind: isHeading ? "heading" : "text", headings: [...path], text, page } as const
  }))
}

describe("random documents", () => {
  it("keep exact positions, the limit of words, and every word", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const document = randomDocument(chanceOf(seed))
      const chunks = chunksOf(document)
      const isCovered = new Uint8Array(document.text.length)
      for (const [index, chunk] of chunks.entries()) {
        const where = `seed ${seed}, chunk ${index}`
        assert.strictEqual(chunk.chunk, index, where)
        assert.strictEqual(document.text.slice(chunk.start, chunk.end), chunk.text, where)
        assert.strictEqual(chunk.text.trim(), chunk.text, where)
        assert.notStrictEqual(chunk.text, "", where)
        assert.isAtMost(wordsOf(chunk.text).length, wordsMax, where)
        const blocks = document.blocks.filter(({ end, start }) => start < chunk.end && end > chunk.start)
        assert.deepStrictEqual([...new Set(blocks.map(({ page }) => page))], [chunk.page], where)
        isCovered.fill(1, chunk.start, chunk.end)
      }
      for (const { end, kind, start } of document.blocks) {
        if (kind === "heading") continue
        const missing = document.text.slice(start, end).split("").findIndex((character, index) =>
          isCovered[start + index] !== 1 && character.trim() !== ""
        )
        assert.strictEqual(missing, -1, `seed ${seed}, the block at ${start}`)
      }
    }
  })
})

describe("the language of a text", () => {
  it("is english by its common words, and simple otherwise", () => {
    assert.strictEqual(languageOf("The hub keeps the money of a workspace in a wallet."), "english")
    assert.strictEqual(languageOf("Der Hub verwahrt das Geld eines Arbeitsbereichs in einer Geldbörse."), "simple")
    assert.strictEqual(languageOf("Portfel przechowuje pieniądze przestrzeni roboczej."), "simple")
    assert.strictEqual(languageOf("SKU-1 19.99 SKU-2 24.99"), "simple")
  })
})

describe("the text that is embedded", () => {
  it("names the title and the headings first", () => {
    assert.strictEqual(searchText("Guide", { headings: ["A", "B"], text: "Text." }), "Guide > A > B\nText.")
    assert.strictEqual(searchText("", { headings: [], text: "Text." }), "Text.")
  })
})

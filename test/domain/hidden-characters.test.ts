import { hidesSomething, revealedParts } from "@countersign/domain/hidden-characters"
import { describe, expect, it } from "vitest"

const boxed = (text: string) =>
  revealedParts(text).flatMap((part) => part.kind === "hidden" ? [`${part.codePoint} ${part.reason}`] : [])

describe("untrusted text", () => {
  it.each([
    "",
    "curl -fsSL https://example.com/a?b=c | sh",
    "two\nlines\tand a tab",
    "Привет, как дела?",
    "Γειά σου, κόσμε",
    "naïve café, Straße, Łódź",
    "日本語のテキスト",
    "שלום עולם",
    "👩‍💻 working ❤️ 🇫🇷 1️⃣",
    "Windows line\r\nends"
  ])("leaves %j unchanged", (text) => expect(boxed(text)).toEqual([]))

  it.each([
    ["an override that turns the reading round", "file\u202egpj.exe", ["U+202E bidi"]],
    ["isolates", "a\u2067b\u2069", ["U+2067 bidi", "U+2069 bidi"]],
    ["a direction mark", "a\u200eb", ["U+200E bidi"]],
    ["an escape", "\u001b[2J", ["U+001B control"]],
    ["a return that overwrites the line", "safe\rrm -rf", ["U+000D control"]],
    ["a line separator", "a\u2028b", ["U+2028 control"]],
    ["a space of no width", "pay\u200bpal", ["U+200B invisible"]],
    ["a space that is none", "a\u00a0b", ["U+00A0 invisible"]],
    ["a soft hyphen", "a\u00adb", ["U+00AD invisible"]],
    ["letters of tags", "a\u{e0041}", ["U+E0041 invisible"]],
    ["a selector after a letter", "a\ufe0f", ["U+FE0F invisible"]],
    ["a joiner between letters", "a\u200db", ["U+200D invisible"]],
    ["half of a pair", "a\ud800b", ["U+D800 unknown"]],
    ["private use", "\ue000", ["U+E000 unknown"]],
    ["a Cyrillic letter in a Latin word", "p\u0430ypal.com", ["U+0430 lookalike"]],
    ["a Greek letter in a Latin word", "g\u03bfogle", ["U+03BF lookalike"]],
    ["a slash that parts no path", "example.com\u2044login", ["U+2044 lookalike"]],
    ["a full-width sign", "example\uff0ecom", ["U+FF0E lookalike"]],
    ["a mathematical letter", "\u{1d5c9}aypal", ["U+1D5C9 lookalike"]]
  ])("boxes %s", (_, text, expected) => expect(boxed(text)).toEqual(expected))

  it("boxes a word of only lookalikes among Latin words, and not among words of its script", () => {
    expect(boxed("go to \u0440\u0430\u0443\u0440\u0430.com now")).toHaveLength(5)
    expect(boxed("\u043e\u043d \u0441\u043a\u0430\u0437\u0430\u043b Hello \u0434\u0440\u0443\u0437\u044c\u044f\u043c"))
      .toEqual([])
  })

  it("boxes combining marks on a letter from the fourth", () =>
    expect(boxed(`a${"\u0301".repeat(6)}`)).toEqual(["U+0301 unknown", "U+0301 unknown", "U+0301 unknown"]))

  it("the joined parts equal the text", () => {
    for (
      const text of ["a\u202eb\u0430c\ud83d", "\u0000\u0001", "👩‍💻", "pаypal", "ｆｕｌｌ", `e${"\u0301".repeat(9)}!`]
    ) {
      expect(revealedParts(text).map((part) => part.text).join("")).toBe(text)
    }
  })

  it("every boxed lookalike beside a Latin letter resembles an ASCII letter or digit", () => {
    const ranges = [[0x370, 0x58f], [0x13a0, 0x13ff]] as const
    const alike = ranges
      .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)))
      .flatMap((character) => revealedParts(`x${character}`))
      .flatMap((part) => part.kind === "hidden" && part.reason === "lookalike" ? [part] : [])
    expect(alike.length).toBeGreaterThan(100)
    expect(alike.filter(({ like }) => !/^[a-z0-9;:.]$/i.test(like ?? ""))).toEqual([])
  })

  it("names the ordinary character that a lookalike resembles", () =>
    expect(revealedParts("p\u0430y")[1]).toMatchObject({ kind: "hidden", like: "a", codePoint: "U+0430" }))

  it("reads a long text in one pass", () => {
    const text = "a\u0430 ".repeat(100_000)
    expect(revealedParts(text).length).toBe(200_001)
    expect(hidesSomething(text)).toBe(true)
  })
})

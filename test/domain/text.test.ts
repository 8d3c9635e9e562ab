import { Label, Prose } from "@countersign/domain/text"
import { Result, Schema } from "effect"
import { assert, describe, it } from "vitest"

const refuses = (schema: Schema.Top, text: string) =>
  Result.isFailure(Schema.decodeUnknownResult(schema as never)(text))

describe("a label", () => {
  it("is one line in any script", () => {
    for (
      const text of [
        "a",
        "Scout 7",
        "Ünïcødé 🦊",
        "שלום",
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d👩\u200d👧",
        "🏳\ufe0f\u200d🌈",
        "葛\u{e0100}",
        "!"
      ]
    ) assert.isFalse(refuses(Label(20), text), text)
  })
  it("is never blank, too long, multi-line, or deceptive", () => {
    for (
      const text of [
        "",
        " ",
        "\u3000",
        " a",
        "a ",
        "a\nb",
        "a\tb",
        "a\u0000",
        "a\u007f",
        "a\u009b",
        "a\u2028b",
        "\u202egnp",
        "\u2066x",
        "\ud800",
        "x".repeat(21)
      ]
    ) {
      assert.isTrue(refuses(Label(20), text), JSON.stringify(text))
    }
  })
})

describe("a name with invisible characters", () => {
  const problem = (text: string) => {
    const result = Schema.decodeUnknownResult(Label(20))(text)
    return Result.isFailure(result) ? String(result.failure) : ""
  }
  it("is refused: zero-width, joiners outside their scripts, soft hyphens, fillers, tags, selectors without a base, direction marks", () => {
    for (
      const hidden of [
        "\u200b",
        "\u200c",
        "\u200d",
        "\u2060",
        "\u00ad",
        "\u034f",
        "\u115f",
        "\u3164",
        "\uffa0",
        "\ufeff",
        "\ufe0f\ufe0f",
        "\u{e0041}",
        "\u061c",
        "\u200e",
        "\u200f",
        "\u2066"
      ]
    ) {
      for (const text of [hidden, `a${hidden}b`]) assert.isTrue(refuses(Label(20), text), JSON.stringify(text))
    }
    assert.include(problem("a\u200bb"), "expected text without invisible characters or direction marks")
  })
  it("is refused without any visible character", () => {
    for (const text of ["\u2800", "\u0301", "\ue000"]) {
      assert.include(problem(text), "expected at least one visible character", JSON.stringify(text))
    }
  })
})

describe("prose", () => {
  it("may be empty and may contain lines and tabs", () => {
    for (const text of ["", "\n", "a\r\n\tb", "ü 🦊"]) assert.isFalse(refuses(Prose(20), text), JSON.stringify(text))
  })
  it("contains no other control characters, no overrides, no unpaired surrogates, and is bounded", () => {
    for (
      const text of [
        "\u0000",
        "a\u0008",
        "\u000b",
        "\u001b[31m",
        "\u007f",
        "\u0085",
        "\u202ax",
        "x\u2069",
        "\udc00",
        "x".repeat(21)
      ]
    ) {
      assert.isTrue(refuses(Prose(20), text), JSON.stringify(text))
    }
  })
})

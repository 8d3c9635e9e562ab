import { Label, Prose } from "@countersign/domain/text"
import { Result, Schema } from "effect"
import { assert, describe, it } from "vitest"

const refuses = (schema: Schema.Top, text: string) =>
  Result.isFailure(Schema.decodeUnknownResult(schema as never)(text))

describe("a label", () => {
  it("is one line of any script", () => {
    for (const text of ["a", "Scout 7", "Ünïcødé 🦊", "שלום", "a\u200db"]) {
      assert.isFalse(refuses(Label(20), text), text)
    }
  })
  it("is never blank, too long, of several lines, or what reads as something else", () => {
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

describe("prose", () => {
  it("may be empty and have lines and tabs", () => {
    for (const text of ["", "\n", "a\r\n\tb", "ü 🦊"]) assert.isFalse(refuses(Prose(20), text), JSON.stringify(text))
  })
  it("holds no other control characters, no overrides, no half characters, and is bounded", () => {
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

import { assert, describe, it } from "@effect/vitest"
import { keyOf, withParentheses } from "../../packages/countersign/scripts/start-functions.ts"

/** Puts parentheses around those of `texts` that the code contains. */
const around = (code: string, ...texts: ReadonlyArray<string>): string =>
  withParentheses(
    code,
    new Set(texts.map((text) => {
      const start = code.indexOf(text)
      assert.isAtLeast(start, 0, text)
      return keyOf(start, start + text.length)
    }))
  )

describe("the functions of a start", () => {
  it("are put in parentheses, also inside of each other and after text that is not ASCII", () => {
    assert.strictEqual(
      around(
        "const a = \"é😀\"; const b = () => () => 1; run(function*() { yield a }, () => 2)",
        "() => () => 1",
        "() => 1",
        "function*() { yield a }"
      ),
      "const a = \"é😀\"; const b = (() => (() => 1)); run((function*() { yield a }), () => 2)"
    )
  })

  it("keep their names", () => {
    const code = around("const made = { other: function() {} }; const named = () => 2", "() => 2", "function() {}")
    const names = new Function(`${code}; return [named.name, made.other.name]`)() as ReadonlyArray<string>
    assert.deepStrictEqual(names, ["named", "other"])
  })

  it("stay as they are where the syntax allows no parentheses: declarations, methods, and accessors", () => {
    const code =
      "function f(x) {} const o = { m() {}, get g() { return 1 } }; class C { constructor() {} static s() {} }"
    const parts = ["function f(x) {}", "m() {}", "get g() { return 1 }", "constructor() {}", "static s() {}", "s() {}"]
    assert.strictEqual(around(code, ...parts, "() {}", "() { return 1 }"), code)
  })
})

import { compileRegex, patternLengthMax } from "@countersign/domain/regex"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const matches = (source: string, text: string) => Result.getOrThrow(compileRegex(source)).test(text)

describe("external patterns", () => {
  it.each([
    ["^[a-z][a-z0-9_-]{0,63}$", "mail-er", true],
    ["^[a-z]+$", "abc\n", false],
    ["b", "abc", true],
    ["^\\d{3}$", "٣٣٣", false],
    ["^\\s$", "\u00a0", true],
    ["^[\\s,]+$", " ,\ufeff", true],
    ["^\\S$", "\u2003", false],
    ["^\\u00e9\\/\\-$", "é/-", true],
    ["^\\u{1F600}$", "😀", true],
    ["^.$", "😀", true],
    ["^(?<year>\\d{4})$", "2026", true],
    ["^\\p{Letter}+$", "łódź", true],
    ["^\\p{Lu}\\P{Lu}$", "Ab", true],
    ["^\\p{Script=Greek}+$", "αβγ", true],
    ["^\\w+\\b", "word!", true],
    ["", "anything", true]
  ])("%j on %j: %s, as in ECMAScript", (source, text, expected) => assert.strictEqual(matches(source, text), expected))

  it.each(["(?=a)b", "(?<!a)b", "(a)\\1", "a{1,2000}", "(", "[", "a**", "\\p{Nonsense}", "((a{1,100}){1,10}){1,10}"])(
    "%j is refused with the reason",
    (source) => {
      const compiled = compileRegex(source)
      assert.isTrue(Result.isFailure(compiled))
      if (Result.isFailure(compiled)) assert.isAbove(compiled.failure.length, 20)
    }
  )

  it("are refused when too long", () => {
    assert.isTrue(Result.isSuccess(compileRegex("x".repeat(patternLengthMax))))
    assert.isTrue(Result.isFailure(compileRegex("x".repeat(patternLengthMax + 1))))
  })

  it.each(["^(a+)+$", "^(a|aa)+$", "^(a|a)*$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
    "%j, with exponential backtracking elsewhere, ends on a hundred thousand characters",
    (source) => assert.isFalse(matches(source, `${"a".repeat(100_000)}!`))
  )

  it("have a cost that grows with the pattern and with the text", () => {
    const small = Result.getOrThrow(compileRegex("^a$"))
    const large = Result.getOrThrow(compileRegex("[ab]*a[ab]{900}c"))
    assert.isAbove(large.cost(1_000), 100 * small.cost(1_000))
    assert.isAbove(small.cost(1_000), 500 * small.cost(0))
  })
})

import { amountCentsMax } from "@countersign/domain/money"
import { actualOf, ceilingOf, checkPrice, estimateOf, Price, priceWarnings } from "@countersign/domain/price"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

type More = { readonly estimate?: string; readonly actual?: string }
const quoted = (ceiling: string, more: More = {}): Price => ({ type: "quoted", ceiling, ...more })
const payload = { n: 3, tenth: 0.1, items: [{ qty: 2 }, { qty: 5 }], text: "x" }
const ceiling = (source: string) => Result.getOrUndefined(ceilingOf(quoted(source), payload))

describe("the ceiling", () => {
  it("of a fixed price is its cents, for any payload", () => {
    assert.deepStrictEqual(ceilingOf({ type: "fixed", cents: 12 }, null), Result.succeed(12))
  })

  it.each([
    ["0", 0],
    ["7", 7],
    ["payload.n", 3],
    ["payload.n * 2", 6],
    ["2 * payload.n + 1", 7],
    ["payload.items.size() * 25", 50],
    ["size(payload.text)", 1],
    ["payload.n > 2 ? 500 : 100", 500],
    ["payload.n * 0.5", 2],
    ["payload.n / 2", 2],
    ["2.000001", 3],
    ["0.000001", 1],
    ["math.greatest(payload.n, 10)", 10],
    ["has(payload.rush) ? 900 : 400", 400],
    ["100000000000", amountCentsMax],
    ["99999999999.5", amountCentsMax]
  ])("%s is %d", (source, cents) => assert.strictEqual(ceiling(source), cents))

  it.each([
    ["payload.tenth * 30", 3],
    ["payload.tenth * 3.0 * 10.0", 3],
    ["payload.tenth + 0.2 + 0.7", 1],
    ["1.1 * 1.1 * 100.0", 121],
    ["0.3 - payload.tenth * 3", 0]
  ])("%s is %d: binary noise is not a fraction", (source, cents) => assert.strictEqual(ceiling(source), cents))

  it.each([
    "-1",
    "-0.01",
    "100000000001",
    "1e300",
    "payload.n / 0",
    "0.0 / 0.0",
    "-1.0 / 0.0",
    "payload.missing",
    "payload.text",
    "payload.text * 2",
    "payload.items",
    "1 / 0"
  ])(
    "%s has none",
    (source) => {
      const result = ceilingOf(quoted(source), payload)
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) assert.isNotEmpty(result.failure.message)
    }
  )

  it("does not exist for a payload of another shape, or for an expression that does not compile", () => {
    for (const odd of [null, [], "x", 5, {}]) assert.isTrue(Result.isFailure(ceilingOf(quoted("payload.n"), odd)))
    assert.isTrue(Result.isFailure(ceilingOf(quoted("payload.n +"), payload)))
  })

  it.prop("is a whole number of cents, and not below the quote", [
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))
  ], ([n]) => {
    const cents = Result.getOrThrow(ceilingOf(quoted("payload.n"), { n }))
    assert.isTrue(Number.isSafeInteger(cents))
    assert.isAtLeast(cents, n - 1e-6)
    assert.isBelow(cents, n + 1)
  }, { arbitrary: { seed: 2, runs: 500 } })
})

describe("the estimate", () => {
  it("is never above the ceiling, which replaces a missing estimate", () => {
    const estimate = (price: Price) => Result.getOrUndefined(estimateOf(price, payload))
    assert.strictEqual(estimate({ type: "fixed", cents: 5 }), 5)
    assert.strictEqual(estimate(quoted("100")), 100)
    assert.strictEqual(estimate(quoted("100", { estimate: "payload.n * 2" })), 6)
    assert.strictEqual(estimate(quoted("100", { estimate: "payload.n * 200" })), 100)
    assert.strictEqual(estimate(quoted("100", { estimate: "payload.missing" })), 100)
    assert.isUndefined(estimate(quoted("payload.missing", { estimate: "1" })))
  })
})

describe("the actual", () => {
  it.each<readonly [unknown, number, number, number]>([
    [0, 10, 0, 0],
    [7, 10, 7, 0],
    [1.5, 10, 1, 500_000],
    [0.000001, 10, 0, 1],
    [0.0000004, 10, 0, 0],
    [0.0000006, 10, 0, 1],
    [4.35, 10, 4, 350_000],
    [0.1 + 0.2, 10, 0, 300_000],
    [2.9999999, 10, 3, 0],
    [9.9999999, 10, 10, 0],
    [10, 10, 10, 0],
    [-1, 10, 0, 0],
    [-0, 10, 0, 0],
    [-1e300, 10, 0, 0],
    [99_999_999_999.12, amountCentsMax, 99_999_999_999, 120_000]
  ])("%d of a ceiling of %d is %d cents and %d millionths", (value, ceilingCents, cents, micros) => {
    assert.deepStrictEqual(actualOf(value, ceilingCents), { cents, micros, readable: true })
  })

  it.each<readonly [number, number, number]>([[10.000001, 10, 11], [1e300, 10, Number.MAX_SAFE_INTEGER], [5, 0, 5]])(
    "%d is above the ceiling of %d: the ceiling is charged, and %d cents are stored as reported",
    (value, ceilingCents, reportedCents) =>
      assert.deepStrictEqual(actualOf(value, ceilingCents), {
        cents: ceilingCents,
        micros: 0,
        readable: true,
        reportedCents
      })
  )

  it.each([
    undefined,
    null,
    "5",
    "",
    true,
    {},
    [5],
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    5n
  ])(
    "%s is not a number, and is charged at the ceiling",
    (value) => assert.deepStrictEqual(actualOf(value, 10), { cents: 10, micros: 0, readable: false })
  )

  it.prop("is between zero and the ceiling, accurate to a micro-cent", [
    Schema.Finite,
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: amountCentsMax }))
  ], ([value, ceilingCents]) => {
    const { cents, micros } = actualOf(value, ceilingCents)
    assert.isTrue(Number.isSafeInteger(cents) && Number.isSafeInteger(micros) && micros >= 0 && micros < 1_000_000)
    assert.isTrue(cents >= 0 && (cents < ceilingCents || cents === ceilingCents && micros === 0))
    const clamped = Math.min(Math.max(value, 0), ceilingCents)
    assert.closeTo(cents + micros / 1e6, clamped, 0.000_001 + clamped * Number.EPSILON)
  }, { arbitrary: { seed: 4, runs: 500 } })
})

describe("a price that always fails", () => {
  const ceiling = (text: string): Price => ({ type: "quoted", ceiling: text })
  it("has a warning with its path, if it does not read the payload", () => {
    for (const text of ["1/0", "1e300", "double(\"NaN\")", "-1"]) {
      const found = priceWarnings(ceiling(text), "operations.0.price")
      assert.deepStrictEqual(found.map(({ path }) => path), ["operations.0.price.ceiling"], text)
      assert.include(found[0]?.message, "every request is refused", text)
    }
    const estimate = priceWarnings({ type: "quoted", ceiling: "5", estimate: "1/0" }, "price")
    assert.deepStrictEqual(estimate.map(({ path }) => path), ["price.estimate"])
  })
  it("has no warning if it can be calculated, or depends on the payload", () => {
    for (const text of ["5", "2.5 * 2", "payload.n / 0", "payload.n"]) {
      assert.deepStrictEqual(priceWarnings(ceiling(text), "price"), [], text)
    }
    assert.deepStrictEqual(priceWarnings({ type: "fixed", cents: 0 }, "price"), [])
  })
})

describe("a saved price", () => {
  const decode = Schema.decodeUnknownResult(Price, { onExcessProperty: "error" })

  it("is fixed or quoted, in the wire's shape", () => {
    for (
      const price of [{ type: "fixed", cents: 0 }, quoted("1"), quoted("1", { estimate: "1", actual: "/usage/cents" })]
    ) {
      assert.isTrue(Result.isSuccess(decode(price)), JSON.stringify(price))
    }
    for (
      const price of [
        {},
        { type: "fixed" },
        { type: "fixed", cents: -1 },
        { type: "fixed", cents: 1.5 },
        { type: "fixed", cents: amountCentsMax + 1 },
        { type: "quoted" },
        { type: "quoted", ceiling: "" },
        { type: "quoted", ceiling: 5 },
        { type: "free" },
        { type: "fixed", cents: 1, more: 1 }
      ]
    ) {
      assert.isTrue(Result.isFailure(decode(price)), JSON.stringify(price))
    }
  })

  it("reports every invalid expression and pointer", () => {
    assert.deepStrictEqual(checkPrice({ type: "fixed", cents: 1 }), [])
    assert.deepStrictEqual(checkPrice(quoted("payload.n", { estimate: "1", actual: "/a" })), [])
    const problems = checkPrice(quoted("'text'", { estimate: "unknown + 1", actual: "a" }), "operations.0.price")
    assert.deepStrictEqual(problems.map(({ path }) => path), [
      "operations.0.price.ceiling",
      "operations.0.price.estimate",
      "operations.0.price.actual"
    ])
    assert.match(problems[0]!.message, /string/)
    assert.match(problems[1]!.message, /Unknown variable: unknown/)
  })
})

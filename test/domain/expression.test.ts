import { compileExpression, expressionLengthMax } from "@countersign/domain/expression"
import { problemText } from "@countersign/domain/expression-problem"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const variables = {
  payload: "dyn",
  service: "string",
  ceiling_cents: "double",
  time: "timestamp",
  agent: { id: "string", name: "string", team_id: "dyn" }
} as const

const values = {
  payload: {
    n: 3,
    half: 0.5,
    text: "hello",
    yes: true,
    nothing: null,
    list: [1, 2, 3],
    to: ["a@x.com", "b@y.com"],
    items: [{ sku: "a", qty: 2 }, { sku: "b", qty: 5 }],
    map: { a: 1, b: 2 }
  },
  service: "mail",
  ceiling_cents: 250,
  time: new Date("2026-03-01T10:30:00Z"),
  agent: { id: "agt_1", name: "Scout", team_id: null }
}

const compile = (source: string) => compileExpression(source, { variables, result: "dyn" })
const evaluate = (source: string, given: { readonly [name: string]: unknown } = values) =>
  Result.getOrThrow(compile(source)).evaluate(given)
const gives = (source: string, value: unknown) => assert.deepStrictEqual(evaluate(source), Result.succeed(value))
const refusal = <A, E extends { readonly message: string }>(result: Result.Result<A, E>) =>
  Result.isFailure(result) ? result.failure.message : assert.fail("this was accepted")

describe("values", () => {
  it.each<readonly [string, unknown]>([
    ["payload.n == 3", true],
    ["3 == payload.n", true],
    ["payload.n != 3", false],
    ["payload.n > 2", true],
    ["payload.n >= 3 && payload.n <= 3", true],
    ["2 < payload.n", true],
    ["payload.n > 2.5", true],
    ["payload.n == 3.0", true],
    ["payload.half == 0", false],
    ["payload.n in [1, 2, 3]", true],
    ["3 in payload.list", true],
    ["payload.n * 3 == 9", true],
    ["3 * payload.n", 9],
    ["payload.n + 1", 4],
    ["1 + payload.n", 4],
    ["payload.n - 5", -2],
    ["5 - payload.n", 2],
    ["payload.n / 2", 1.5],
    ["3 / payload.half", 6],
    ["payload.n % 2", 1],
    ["7 % payload.n", 1],
    ["payload.n % payload.n", 0],
    ["-payload.n", -3],
    ["payload.n * payload.half", 1.5],
    ["payload.list[0]", 1],
    ["payload.list[payload.n - 1]", 3],
    ["payload.list.map(x, x * 2)", [2, 4, 6]],
    ["payload.list == [1, 2, 3]", true],
    ["payload.map == {'a': 1, 'b': 2}", true],
    ["ceiling_cents > 100 && service == 'mail'", true],
    ["ceiling_cents * 2", 500],
    ["ceiling_cents == 250", true],
    ["250 != ceiling_cents", false],
    ["ceiling_cents != 251", true],
    ["ceiling_cents % 100 == 50", true],
    ["double(payload.n) == 3", true],
    ["ceiling_cents == 9007199254740993", false]
  ])("%s: JSON numbers and integer literals can be combined", gives)

  it.each<readonly [string, unknown]>([
    ["size(payload.text)", 5],
    ["payload.text.size() == 5", true],
    ["size(payload.list) + payload.n", 6],
    ["payload.map.size()", 2],
    ["'😀'.size()", 1],
    ["payload.text.startsWith('he') && payload.text.endsWith('lo') && payload.text.contains('ell')", true],
    ["payload.text.upperAscii()", "HELLO"],
    ["payload.text + '!'", "hello!"],
    ["payload.text.substring(1, 3)", "el"],
    ["'a,b'.split(',')", ["a", "b"]],
    ["payload.to.join(' ')", "a@x.com b@y.com"],
    ["payload.text.indexOf('l')", 2],
    ["string(payload.n)", "3"],
    ["int(payload.n) + 1", 4],
    ["double('1.5')", 1.5],
    ["b'abc'", "YWJj"],
    ["bytes('ab')", "YWI="],
    ["type(payload.n) == double", true],
    ["7 / 2", 3],
    ["7 % 2", 1]
  ])("%s: texts and conversions", gives)

  it.each<readonly [string, unknown]>([
    ["has(payload.n)", true],
    ["has(payload.none)", false],
    ["has(payload.nothing)", true],
    ["payload.nothing == null", true],
    ["has(payload.none) ? payload.none : 7", 7],
    ["payload.items.all(i, i.qty > 1)", true],
    ["payload.items.exists(i, i.sku == 'b')", true],
    ["payload.items.exists_one(i, i.qty == 2)", true],
    ["payload.items.filter(i, i.qty > 2).map(i, i.sku)", ["b"]],
    ["payload.map.all(k, k < 'c')", true],
    ["'a' in payload.map", true],
    ["payload.to.all(t, t.endsWith('.com'))", true],
    ["cel.bind(x, payload.n * 2, x + x)", 12],
    ["{'a': payload.n, 'b': [1, 'x', null]}", { a: 3, b: [1, "x", null] }],
    ["true || payload.none", true],
    ["payload.none || true", true],
    ["false && payload.none", false],
    ["payload.yes ? 'y' : 'n'", "y"]
  ])("%s: members, macros, short circuits", gives)

  it.each<readonly [string, unknown]>([
    ["time", "2026-03-01T10:30:00.000Z"],
    ["time.getHours()", 10],
    ["time.getHours('Europe/Berlin')", 11],
    ["time.getDayOfWeek()", 0],
    ["time.getFullYear() == 2026", true],
    ["time > timestamp('2026-01-01T00:00:00Z')", true],
    ["time - timestamp('2026-03-01T10:00:00Z') == duration('30m')", true],
    ["time + duration('90s')", "2026-03-01T10:31:30.000Z"],
    ["duration('1h30m')", "5400s"],
    ["agent.name == 'Scout'", true],
    ["agent.team_id == null", true],
    ["has(agent.team_id)", true],
    ["math.greatest(payload.n, 10)", 10],
    ["math.least(payload.n, 2.5)", 2.5],
    ["math.ceil(payload.n * 0.5)", 2],
    ["math.abs(-payload.half)", 0.5]
  ])("%s: time, objects with known members, math", gives)

  const Number = Schema.Int.check(Schema.isBetween({ minimum: -1e6, maximum: 1e6 }))
  it.prop("calculate with literals as with other numbers", [Number], ([n]) => {
    const expected: Record<string, unknown> = {
      "payload.n * 7": n * 7,
      "payload.n + 7": n + 7,
      "7 - payload.n": 7 - n,
      "payload.n / 7": n / 7,
      "payload.n % 7": n % 7,
      "payload.n == 7": n === 7,
      "payload.n > 7": n > 7
    }
    for (const [source, value] of Object.entries(expected)) {
      assert.deepStrictEqual(evaluate(source, { ...values, payload: { n } }), Result.succeed(value))
    }
  }, { arbitrary: { seed: 9, runs: 200 } })
})

describe("the check of an expression", () => {
  it.each([
    ["1 +", /ends too early/],
    ["unknown == 1", /Unknown variable: unknown/],
    ["agent.nope", /No such key: nope/],
    ["service + 1", /no such overload/],
    ["service.foo()", /no function foo/],
    ["payload.foo()", /no function foo/],
    ["service.size(1)", /no matching overload/],
    ["1 && true", /bool operands/],
    ["payload.n ? 1 : 'a'", /same type/],
    ["bytes('{}').json()", /no function json/],
    ["linearMatches('a', 'a')", /no function linearMatches/],
    ["payload.text.matches('(')", /linear time/],
    ["payload.text.matches('^(?=a)')", /linear time/],
    ["matches(service, '[')", /linear time/],
    ["service.matches(1)", /no matching overload for 'string.matches/],
    ["payload.list.all(x.y, true)", /invalid predicate/],
    ["", /ends too early/],
    ["__proto__", /Reserved identifier/],
    ["constructor", /Unknown variable/],
    [`'${"a".repeat(expressionLengthMax)}'`, /4096 characters/],
    [
      "payload.list.all(a, payload.list.all(b, payload.list.all(c, payload.list.all(d, true))))",
      /nested at most 3 levels deep/
    ],
    [
      "payload.list.map(a, payload.list.map(b, payload.list.map(c, payload.list.filter(d, true))))",
      /nested at most 3 levels deep/
    ]
  ])("%s", (source, message) => assert.match(refusal(compile(source)), message))

  it.each([
    ["payload.n = 7", "Unexpected character: =. Use == to compare (line 1, column 11) in: payload.n = 7"],
    ["(payload.n + 7", "Expected \")\", got the end of the expression (line 1, column 15) in: (payload.n + 7"],
    ["servce == 'echo'", "Unknown variable: servce; did you mean service? (line 1, column 1) in: servce == 'echo'"],
    [
      "true &&\n len(service) > 1",
      "There is no function len; did you mean size? (line 2, column 2) in:  len(service) > 1"
    ],
    ["payload.text.matches('(') ", /^The pattern .* \(line 1, column 22\) in: payload\.text/]
  ])("%s is reported with its place and a suggestion", (source, text) => {
    const result = compile(source)
    const actual = Result.isFailure(result) ? problemText(source, result.failure) : ""
    if (typeof text === "string") assert.strictEqual(actual, text)
    else assert.match(actual, text)
  })

  it("shows a long expression around the place", () => {
    const source = `${"payload.n + ".repeat(30)}nope`
    const result = compile(source)
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) assert.match(problemText(source, result.failure), /in: …[^…]{100}$/)
  })

  it.each([
    ["many nodes", `1${"+1".repeat(600)}`],
    ["many signs", `${"!".repeat(3_000)}true`],
    ["many brackets", `${"(".repeat(1_000)}1${")".repeat(1_000)}`],
    ["a long chain", Array.from({ length: 300 }, () => "true").join(" || ")]
  ])(
    "%s",
    (_, source) =>
      assert.match(
        refusal(compile(source)),
        /^An expression may have at most \d+ (?:terms|levels of nesting)|too complex/
      )
  )

  it("refuses a result of the wrong type, as far as it can be inferred", () => {
    const kind = (source: string, result: "bool" | "number") =>
      Result.isSuccess(compileExpression(source, { variables, result }))
    for (const source of ["payload.n > 1", "payload.yes", "true"]) assert.isTrue(kind(source, "bool"), source)
    for (const source of ["1", "service", "payload.list.map(x, x)"]) assert.isFalse(kind(source, "bool"), source)
    for (const source of ["1", "1.5", "payload.n", "payload.n * 2"]) assert.isTrue(kind(source, "number"), source)
    for (const source of ["'1'", "true", "payload.list.map(x, x)"]) assert.isFalse(kind(source, "number"), source)
  })

  it("reports a problem in one line, without an excerpt", () =>
    assert.notInclude(refusal(compile("payload.n +\n unknown")), "\n"))

  it("does not count a chain of macros as nesting", () => {
    gives("payload.list.map(a, a).map(b, b).filter(c, c > 1).map(d, d * 2).exists(e, e == 6)", true)
  })
})

describe("evaluation never throws", () => {
  it.each([
    ["payload.none", /No such key: none/],
    ["payload.n.deeper", /No such key/],
    ["payload.list[9]", /out of bounds/],
    ["payload.text * 2", /no such overload/],
    ["1 / 0", /division by zero/],
    ["payload.n ? 1 : 2", /must be bool/],
    ["payload.items.all(i, i.none > 1)", /No such key: none/],
    ["timestamp(payload.text)", /ISO 8601/],
    ["duration(payload.text)", /duration/i],
    ["int(payload.text)", /convert to int/],
    ["9223372036854775807 + 1", /overflow/],
    ["time.getHours('Nowhere/Land')", /time zone/],
    ["payload.text.matches(payload.none)", /No such key/],
    ["payload.toString", /No such key/],
    ["payload.__proto__", /No such key|Unknown/],
    ["payload.constructor", /No such key/],
    ["payload.list.length", /No such key/],
    ["math.ceil(payload.text)", /takes numbers/]
  ])("%s", (source, message) => assert.match(refusal(evaluate(source)), message))

  it("with missing variables or variables of another type", () => {
    assert.match(refusal(evaluate("payload.n", {})), /Unknown variable: payload/)
    assert.match(refusal(evaluate("service == 'a'", { ...values, service: 5 })), /not of type 'string'/)
    assert.match(refusal(evaluate("payload.n == 1", { payload: null })), /No such key/)
    assert.match(refusal(evaluate("payload == 1", Object.create({ payload: 1 }))), /Unknown variable/)
  })

  it("checks the type of the result at the end", () => {
    const bool = Result.getOrThrow(compileExpression("payload.n", { variables, result: "bool" }))
    const number = Result.getOrThrow(compileExpression("payload.text", { variables, result: "number" }))
    assert.match(refusal(bool.evaluate(values)), /true or false/)
    assert.match(refusal(number.evaluate(values)), /a number/)
    assert.deepStrictEqual(bool.evaluate({ payload: { n: false } }), Result.succeed(false))
  })

  it("treats members called constructor and __proto__ as data", () => {
    const payload = JSON.parse("{\"constructor\":5,\"__proto__\":{\"x\":1},\"inner\":[{\"constructor\":null,\"a\":1}]}")
    const given = { ...values, payload }
    assert.deepStrictEqual(evaluate("payload.constructor", given), Result.succeed(5))
    const source = "payload.inner[0].a == 1 && payload.inner[0].constructor == null && size(payload) == 3"
    assert.deepStrictEqual(evaluate(source, given), Result.succeed(true))
    assert.strictEqual(JSON.stringify(Result.getOrThrow(evaluate("payload", given))), JSON.stringify(payload))
  })
})

describe("hostile expressions and values end within the budget", () => {
  const tooMany = /too many steps/
  const huge = {
    ...values,
    payload: {
      list: Array.from({ length: 20_000 }, (_, at) => at),
      short: Array.from({ length: 200 }, (_, at) => at),
      members: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, at])),
      digits: "1".repeat(100_000),
      text: `${"a".repeat(50_000)}!`,
      pattern: "^(a|aa)+$"
    }
  }
  const doubled = (link: string) => `[payload.short]${link.repeat(40)}[0].size()`

  it.each([
    ["nested macros", "payload.short.all(a, payload.short.all(b, payload.short.all(c, a + b + c >= 0.0)))"],
    ["a list searched for each of its items", "payload.list.all(x, x in payload.list)"],
    ["a list compared with itself for each of its items", "payload.list.all(x, payload.list == payload.list)"],
    ["a map read for each of its members", "payload.members.all(k, size(payload.members) > 1)"],
    ["lists that double", doubled(".map(a, a + a)")],
    ["nests that double, given back", doubled(".map(a, [a, a])").replace("[0].size()", "")],
    ["texts that double", `[payload.digits]${".map(a, a + a)".repeat(10)}[0] == ''`],
    ["long texts joined", "payload.list.map(x, payload.digits).join(',').size() > 1"],
    ["time zones without end", "payload.list.all(x, time.getHours('Asia/Tokyo') >= 0)"],
    ["a budget that an alternative would hide", "payload.list.exists(x, payload.list.exists(y, x + y < 0.0)) || true"],
    ["errors without end", "payload.list.exists(x, x.none > 1) || true"],
    ["a pattern for each item", "payload.list.exists(x, payload.text.matches('b'))"]
  ])("%s", (_, source) => assert.match(refusal(evaluate(source, huge)), tooMany))

  it.each([
    [
      "catastrophic patterns",
      "payload.text.matches('^(a+)+$') || payload.text.matches(payload.pattern) || matches(payload.text, '(a|a)*b')",
      false
    ],
    ["long digits as a number", "payload.digits.size()", 100_000]
  ])("%s", (_, source, value) => assert.deepStrictEqual(evaluate(source, huge), Result.succeed(value)))

  it("refuses a duration of a hundred thousand digits, and a payload's pattern that RE2 does not accept", () => {
    assert.match(refusal(evaluate("duration(payload.digits)", huge)), /64 characters/)
    assert.match(
      refusal(evaluate("payload.text.matches(payload.pattern)", { ...values, payload: { text: "a", pattern: "(" } })),
      /linear time/
    )
  })

  it("stores no type for the shapes of nested lists and maps in values", () => {
    const expression = Result.getOrThrow(compile("payload.a == payload.b || payload.a + payload.b == payload.a"))
    const shaped = (bits: number): unknown =>
      bits === 0 ? 1 : bits % 2 === 0 ? [shaped(bits >> 1)] : { a: shaped(bits >> 1) }
    // The library stores these types on its nodes; a deep type would appear in this message.
    const mismatch = expression.evaluate({ payload: { a: shaped(0b1010101), b: 5 } })
    assert.match(refusal(mismatch), /map<dyn, dyn>/)
    assert.notMatch(refusal(mismatch), /list|map<string/)
  })

  it("gives each evaluation its own budget", () => {
    const expression = Result.getOrThrow(compile("payload.list.all(x, x >= 0)"))
    for (let at = 0; at < 20; at++) assert.deepStrictEqual(expression.evaluate(huge), Result.succeed(true))
    assert.match(refusal(evaluate("payload.list.all(x, x in payload.list)", huge)), tooMany)
    assert.deepStrictEqual(expression.evaluate(huge), Result.succeed(true))
  })

  it("does not overflow the stack on a value with a hundred thousand levels", () => {
    let deep: unknown = 1
    for (let at = 0; at < 100_000; at++) deep = [deep]
    for (const source of ["payload == payload.x", "payload[0] == payload", "payload", "payload[0] == [1]"]) {
      assert.isTrue(Result.isFailure(evaluate(source, { ...values, payload: deep })), source)
    }
  })
})

import { canonicalize, dottedPath, jsonDepthMax, parseStrict } from "@countersign/domain/json"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const accepts = (text: string, value: unknown) => assert.deepStrictEqual(parseStrict(text), { ok: true, value })
const refusedAt = (text: string, path: string, message: RegExp, options = {}) => {
  const parsed = parseStrict(text, options)
  if (parsed.ok) return assert.fail(`accepted ${text.slice(0, 80)}`)
  assert.strictEqual(parsed.path, path)
  assert.match(parsed.message, message)
}
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

/** Whether a value contains what strict JSON refuses: an independent implementation of the rule. */
const isRefusable = (value: unknown): boolean => {
  if (typeof value === "number") return Math.abs(value) > 2 ** 53 - 1
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed()
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(([name, member]) => isRefusable(name) || isRefusable(member))
}

describe("strict JSON", () => {
  it("accepts every kind of JSON value, with white space around it", () => {
    accepts(" {\"a\":[1,-2.5e3,true,false,null,\"x\"],\n\t\"b\":{}} \r\n", {
      a: [1, -2500, true, false, null, "x"],
      b: {}
    })
    accepts("null", null)
    accepts("\"\"", "")
    accepts("0.1", 0.1)
    accepts("\"\\u00e9\\ud83d\\ude00 \\\\u0000\"", "é😀 \\u0000")
  })

  it.each([
    ["{\"a\":1,\"a\":1}", "a"],
    ["{\"a\":{\"b\":[0,{\"c\":1,\"\\u0063\":2}]}}", "a.b.1.c"],
    ["{\"a\":\"x:y\\\":\",\"b\":1,\"b\":2}", "b"],
    ["{\"__proto__\":1,\"__proto__\":2}", "__proto__"],
    ["{\"\":1,\"\":2}", ""],
    ["{\"1\":1,\"b\":[],\"1\":2}", "1"],
    ["[ {} , [ ] , {\"x\" : {\"y\":1 , \"y\" :2}} ]", "2.x.y"]
  ])("refuses a member sent twice: %s", (text, path) => refusedAt(text, path, /sent twice/))

  it.each([
    ["9007199254740991"],
    ["-9007199254740991"],
    ["9007199254740991.0"],
    ["1e15"],
    ["1e-400"]
  ])("accepts the number %s", (text) => accepts(text, Number(text)))

  it.each([
    ["9007199254740992"],
    ["-9007199254740992"],
    ["9007199254740993"],
    ["9007199254740993.0"],
    ["1e20"],
    ["1E400"],
    ["-1e400"],
    [`1${"0".repeat(400)}`]
  ])("refuses the number %s", (text) => {
    refusedAt(`{"payload":{"n":[1,${text}]}}`, "payload.n.1", /within ±9007199254740991/)
  })

  it.each([
    ["\"\\ud800\"", ""],
    ["{\"a\":\"\\udc00\\ud800\"}", "a"],
    ["{\"a\":\"\ud83d\"}", "a"],
    ["{\"\\ud83dx\":1}", "\ufffdx"]
  ])("refuses half a surrogate pair: %j", (text, path) => refusedAt(text, path, /surrogate/))

  it("accepts NUL only below the named member, in names as in values", () => {
    const options = { nulAllowedUnder: "payload" }
    assert.isTrue(parseStrict("{\"payload\":{\"a\":\"\\u0000\",\"\\u0000\":[\"\\u0000\"]}}", options).ok)
    assert.isTrue(parseStrict("{\"payload\":\"\\u0000\"}", options).ok)
    refusedAt("{\"service\":\"a\\u0000\",\"payload\":{}}", "service", /NUL/, options)
    refusedAt("{\"other\":{\"payload\":\"\\u0000\"}}", "other.payload", /NUL/, options)
    refusedAt("{\"payload\\u0000\":1}", "payload\ufffd", /NUL/, options)
    refusedAt("{\"payload\":\"\\u0000\"}", "payload", /NUL/)
    refusedAt("[\"\0\"]", "", /not valid JSON/)
  })

  it("counts levels of nesting, and never overflows the stack", () => {
    assert.isTrue(parseStrict(nested(jsonDepthMax)).ok)
    refusedAt(nested(jsonDepthMax + 1), "", /64 levels/)
    refusedAt("[".repeat(1_000_000), "", /64 levels/)
    refusedAt("{\"a\":".repeat(300_000), "", /64 levels/)
    assert.isTrue(parseStrict(`[${nested(63)},${nested(63)}]`).ok)
    assert.isTrue(parseStrict(`["${"[".repeat(100)}"]`).ok)
    refusedAt("[[1]]", "", /1 levels/, { maxDepth: 1 })
  })

  it.each([
    "",
    "  ",
    "\ufeff{}",
    "{} {}",
    "{}x",
    "[1,]",
    "{\"a\":1,}",
    "{a:1}",
    "'a'",
    "01",
    "+1",
    "NaN",
    "nul",
    "\"",
    "\"\\",
    "[",
    "]",
    "{\"a\":}",
    "{:::}",
    "\"\t\""
  ])(
    "refuses a text that is not JSON: %j",
    (text) => refusedAt(text, "", /not valid JSON|empty|byte order mark/)
  )

  it("does not repeat the body in an error", () => {
    const parsed = parseStrict("{\"password\": hunter2}")
    assert.notInclude(JSON.stringify(parsed), "hunter2")
  })

  it("keeps a member called __proto__ as data", () => {
    const parsed = parseStrict("{\"__proto__\":{\"admin\":true},\"constructor\":{\"prototype\":{\"x\":1}}}")
    assert.isTrue(parsed.ok)
    if (!parsed.ok) return
    assert.isFalse("admin" in (parsed.value as object))
    assert.deepStrictEqual(Object.keys(parsed.value as object), ["__proto__", "constructor"])
    assert.isFalse("x" in {})
  })

  it.prop(
    "agrees with JSON.parse on accepted texts, and refuses exactly the values of the rule",
    [Schema.Json],
    ([value]) => {
      const text = JSON.stringify(value)
      const parsed = parseStrict(text)
      assert.strictEqual(parsed.ok, !isRefusable(value))
      if (parsed.ok) assert.deepStrictEqual(parsed.value, JSON.parse(text))
    },
    { arbitrary: { seed: 7, runs: 500 } }
  )

  it.prop(
    "refuses any object whose first member is repeated",
    [Schema.Record(Schema.String, Schema.Finite)],
    ([record]) => {
      const [first] = Object.entries(record)
      if (first === undefined) return
      const text = JSON.stringify(record)
      assert.isFalse(parseStrict(`${text.slice(0, -1)},${JSON.stringify(first[0])}:0}`).ok)
    },
    { arbitrary: { seed: 7, runs: 300 } }
  )
})

describe("dotted paths", () => {
  it("joins names and indices, drops empty steps, and shows nothing that breaks a log line", () => {
    assert.strictEqual(dottedPath("payload", "items", 0, "qty"), "payload.items.0.qty")
    assert.strictEqual(dottedPath("", "a"), "a")
    assert.strictEqual(dottedPath("a\0b", "\ud800"), "a\ufffdb.\ufffd")
    assert.isAtMost(dottedPath("x".repeat(10_000)).length, 257)
  })
})

describe("the canonical text", () => {
  it("sorts members by UTF-16 code units and writes numbers in their shortest form (RFC 8785, 3.2)", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew",
      "1": "One",
      "\u0080": "Control",
      "\ud83d\ude00": "Smile",
      "\u00f6": "o"
    }
    assert.strictEqual(
      canonicalize(value),
      "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"o\"," +
        "\"€\":\"Euro Sign\",\"😀\":\"Smile\",\"\ufb33\":\"Hebrew\"}"
    )
    assert.strictEqual(
      canonicalize(JSON.parse("[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0]")),
      "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]"
    )
  })

  it("is the same for texts that differ in order, white space, escapes and notation of numbers", () => {
    const one = parseStrict("{\"a\":1.0,\"b\":{\"x\":\"\\u00e9\",\"y\":[1e2]}}")
    const other = parseStrict("{ \"b\" : {\"y\":[100], \"x\":\"é\"},\n\"a\":1 }")
    assert.isTrue(one.ok && other.ok)
    if (one.ok && other.ok) assert.strictEqual(canonicalize(one.value), canonicalize(other.value))
  })

  it("throws for a value without one, and keeps __proto__", () => {
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, "\ud800", { a: "\udfff" }]) {
      assert.throws(() => canonicalize(value), TypeError)
    }
    const cycle: Array<unknown> = []
    cycle.push(cycle)
    assert.throws(() => canonicalize(cycle), TypeError)
    assert.strictEqual(
      canonicalize(JSON.parse("{\"b\":1,\"__proto__\":{\"a\":1}}")),
      "{\"__proto__\":{\"a\":1},\"b\":1}"
    )
  })

  it("does not overflow the stack on deep values", () => {
    let deep: unknown = []
    for (let at = 0; at < 50_000; at++) deep = [deep]
    assert.strictEqual(canonicalize(deep).length, 100_002)
  })

  it.prop("parses back to the same value, for every value that strict JSON accepts", [Schema.Json], ([value]) => {
    const parsed = parseStrict(JSON.stringify(value))
    if (!parsed.ok) return
    const text = canonicalize(parsed.value)
    assert.strictEqual(canonicalize(JSON.parse(text)), text)
  }, { arbitrary: { seed: 11, runs: 500 } })
})

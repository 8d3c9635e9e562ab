import { detailText } from "@countersign/hub/providers/adapter"
import { readAnswer, resultOf, scrubbed, scrubOf } from "@countersign/hub/providers/answer"
import { assert, describe, it } from "vitest"

const read = (body: string | Uint8Array, type?: string) =>
  readAnswer(typeof body === "string" ? Buffer.from(body) : body, type)
const result = (body: string | Uint8Array, pointer?: string, type?: string) => resultOf(read(body, type), pointer)

describe("the reading of a provider's bytes", () => {
  it("returns an object as the result", () => assert.deepStrictEqual(result("{\"a\":[1]}"), { a: [1] }))
  it("returns other JSON as a value", () => {
    assert.deepStrictEqual(result("[1,2]"), { value: [1, 2] })
    assert.deepStrictEqual(result("1e2"), { value: 100 })
    assert.deepStrictEqual(result("null"), { value: null })
    assert.deepStrictEqual(result("\"x\""), { value: "x" })
  })
  it("returns text as text, also where it could be a number", () => {
    assert.deepStrictEqual(result("hello {"), { text: "hello {" })
    assert.deepStrictEqual(result("1e2", undefined, "text/plain; charset=utf-8"), { text: "1e2" })
    assert.deepStrictEqual(result("{\"a\":1}", undefined, "text/plain"), { a: 1 })
  })
  it("returns an empty object for an empty body", () => {
    assert.deepStrictEqual(result(""), {})
    assert.deepStrictEqual(result(" \n"), {})
  })
  it("picks the value at a pointer, and null where there is none", () => {
    assert.deepStrictEqual(result("{\"a\":{\"b\":1}}", "/a"), { b: 1 })
    assert.deepStrictEqual(result("{\"a\":[3]}", "/a/0"), { value: 3 })
    assert.deepStrictEqual(result("{}", "/a/b"), { value: null })
    assert.deepStrictEqual(result("plain", "/a"), { text: "plain" })
  })
  it("accepts bad UTF-8, NUL, and a byte order mark", () => {
    assert.deepStrictEqual(result(Buffer.from([0x61, 0xff, 0x00])), { text: "a\uFFFD\u0000" })
    assert.deepStrictEqual(result("\uFEFF{\"a\":1}"), { a: 1 })
    assert.deepStrictEqual(result("{\"a\":\"\\u0000\"}"), { a: "\u0000" })
    assert.deepStrictEqual(result("{\"a\":\"\\ud800\",\"\\udc00\":1}"), { a: "\uFFFD", "\uFFFD": 1 })
  })
  it("keeps numbers that a double would change", () => {
    assert.deepStrictEqual(
      result("{\"id\":12345678901234567890,\"n\":-9007199254740993,\"ok\":9007199254740991,\"f\":1.5,\"big\":1e400}"),
      {
        id: "12345678901234567890",
        n: "-9007199254740993",
        ok: 9007199254740991,
        f: 1.5,
        big: "1e400"
      }
    )
  })
  it("returns JSON nested without end as text", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    assert.deepStrictEqual(result(deep), { text: deep })
    assert.deepStrictEqual(result("[".repeat(64) + "]".repeat(64)), {
      value: JSON.parse("[".repeat(64) + "]".repeat(64))
    })
  })
  it("treats a member called __proto__ as a member", () => {
    const value = result("{\"__proto__\":{\"a\":1},\"x\":\"\\ud800\"}") as object
    assert.deepStrictEqual(Object.keys(value), ["__proto__", "x"])
  })
})

describe("secrets in an answer", () => {
  const scrub = scrubOf(["user:pa\"ss/word", "tök€n"])
  it("are removed in every form in which they were sent", () => {
    const basic = Buffer.from("user:pa\"ss/word").toString("base64")
    const text = `a ${basic} b user:pa"ss/word c pa"ss/word d tök€n e ${
      encodeURIComponent("tök€n")
    } f {"x":"pa\\"ss/word"}`
    assert.strictEqual(scrub.text(text), "a *** b *** c *** d *** e *** f {\"x\":\"***\"}")
  })
  it("are removed from values and names of JSON", () => {
    assert.deepStrictEqual(scrub.json({ a: ["Bearer tök€n"], "tök€n": { b: 1 } }), {
      a: ["Bearer ***"],
      "***": { b: 1 }
    })
  })
  it("are removed from an answer that writes them with escapes", () => {
    const escaped = "{\"a\":\"\\u0074\\u00f6k\\u20acn\"}"
    assert.deepStrictEqual(scrubbed(read(escaped), scrub), { kind: "json", document: { a: "***" }, text: escaped })
  })
  it("leave the rest unchanged", () => {
    const value = { a: [1, null, true, "x"] }
    assert.deepStrictEqual(scrub.json(value), value)
    assert.strictEqual(scrubOf([""]).text("abc"), "abc")
  })
})

describe("detail", () => {
  it("is cut at 2 KiB on a whole character, without control characters", () => {
    const text = detailText("ż".repeat(2000))
    assert.isAtMost(Buffer.byteLength(text), 2048)
    assert.match(text, /^ż+$/)
    assert.strictEqual(detailText("a\u0000b\u001b[31mc\nd\ud800"), "a b [31mc\nd\uFFFD")
  })
})

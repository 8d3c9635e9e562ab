import { parsePointer, resolvePointer } from "@countersign/domain/pointer"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

/** The document of RFC 6901, section 5. */
const document = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "g|h": 4,
  "i\\j": 5,
  "k\"l": 6,
  " ": 7,
  "m~n": 8
}

describe("JSON Pointers", () => {
  it.each([
    ["", document],
    ["/foo", document.foo],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ["/k\"l", 6],
    ["/ ", 7],
    ["/m~0n", 8]
  ])("%j finds the value of RFC 6901", (pointer, value) => {
    assert.deepStrictEqual(resolvePointer(document, pointer), { found: true, value })
  })

  it.each([
    "/nope",
    "/foo/2",
    "/foo/-",
    "/foo/01",
    "/foo/-1",
    "/foo/1.0",
    "/foo/ 1",
    "/foo/length",
    "/foo/0/0",
    "/foo/99999999999",
    "/a~1b/x"
  ])(
    "%j finds nothing",
    (pointer) => assert.deepStrictEqual(resolvePointer(document, pointer), { found: false })
  )

  it.each(["/__proto__", "/constructor", "/toString", "/foo/map", "/foo/__proto__", "/constructor/prototype"])(
    "%j does not reach a prototype",
    (pointer) => assert.isFalse(resolvePointer(document, pointer).found)
  )

  it("finds an own member called __proto__, and distinguishes null from a missing value", () => {
    assert.deepStrictEqual(resolvePointer(JSON.parse("{\"__proto__\":{\"a\":1}}"), "/__proto__/a"), {
      found: true,
      value: 1
    })
    assert.deepStrictEqual(resolvePointer({ a: null }, "/a"), { found: true, value: null })
    assert.deepStrictEqual(resolvePointer(null, "/a"), { found: false })
    assert.deepStrictEqual(resolvePointer("text", "/0"), { found: false })
  })

  it.each(["foo", "#/foo", "/a~", "/a~2", "/~b", `/${"x".repeat(2000)}`])("%j is refused with the reason", (text) => {
    assert.isTrue(Result.isFailure(parsePointer(text)))
    assert.isFalse(resolvePointer(document, text).found)
  })

  it.prop("finds every own member by its escaped name", [
    Schema.Record(Schema.String.check(Schema.isMaxLength(100)), Schema.Finite)
  ], ([record]) => {
    for (const [name, value] of Object.entries(record)) {
      assert.deepStrictEqual(resolvePointer(record, `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`), {
        found: true,
        value
      })
    }
  }, { arbitrary: { seed: 3, runs: 200 } })
})

import { compileSchema } from "@countersign/domain/json-schema"
import type { JsonObject } from "@countersign/domain/json-schema-shape"
import { isMask, maskedValue } from "@countersign/domain/mask"
import { mask, maskedPaths, unmask } from "@countersign/domain/masking"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const secret = { type: "string", writeOnly: true }
const saved = <S>(schema: S): S => {
  Result.getOrThrow(compileSchema(schema))
  return schema
}

const account = saved({
  type: "object",
  properties: {
    user: { type: "string" },
    password: secret,
    cards: { type: "array", items: { type: "object", properties: { number: secret, name: { type: "string" } } } },
    nested: { $ref: "#/$defs/login" }
  },
  $defs: { login: { properties: { token: secret, note: true } } }
})
const payload = {
  user: "ann",
  password: "hunter2",
  cards: [{ number: "4111", name: "A" }, { number: "4222", name: "B" }],
  nested: { token: "t0k", note: "n" }
}
const shown = {
  user: "ann",
  password: maskedValue,
  cards: [{ number: maskedValue, name: "A" }, { number: maskedValue, name: "B" }],
  nested: { token: maskedValue, note: "n" }
}

describe("masking", () => {
  it("hides exactly the fields that the schema marks writeOnly", () => {
    assert.deepStrictEqual(mask(account, payload), shown)
    assert.deepStrictEqual(maskedPaths(account, payload, "payload"), [
      "payload.password",
      "payload.cards.0.number",
      "payload.cards.1.number",
      "payload.nested.token"
    ])
    assert.deepStrictEqual(mask(account, { user: "ann" }), { user: "ann" })
    assert.strictEqual(payload.password, "hunter2")
  })

  it("returns the same object where the schema masks nothing", () => {
    const plain = saved({ properties: { a: true }, $defs: { unused: secret } })
    assert.strictEqual(mask(plain, payload), payload)
    assert.strictEqual(mask(true, payload), payload)
    assert.deepStrictEqual(maskedPaths(plain, payload), [])
  })

  it.each<readonly [string, JsonObject, unknown, unknown]>([
    ["through allOf", { allOf: [{ properties: { a: secret } }] }, { a: 1, b: 2 }, { a: maskedValue, b: 2 }],
    [
      "in any branch of anyOf, matching or not",
      { anyOf: [{ properties: { a: { type: "string" } } }, { properties: { a: secret } }] },
      { a: 1 },
      { a: maskedValue }
    ],
    ["in any branch of oneOf", { oneOf: [{ type: "string" }, { properties: { a: secret } }] }, { a: "x" }, {
      a: maskedValue
    }],
    [
      "behind then and else",
      JSON.parse(`{
      "if": true,
      "then": { "properties": { "a": { "writeOnly": true } } },
      "else": { "properties": { "b": { "writeOnly": true } } }
    }`),
      { a: 1, b: 2 },
      { a: maskedValue, b: maskedValue }
    ],
    ["by a dependent schema", { dependentSchemas: { kind: { properties: { a: secret } } } }, { kind: 1, a: 2 }, {
      kind: 1,
      a: maskedValue
    }],
    ["in additional members", { properties: { a: true }, additionalProperties: secret }, { a: 1, b: 2 }, {
      a: 1,
      b: maskedValue
    }],
    ["in members by pattern", { patternProperties: { "_key$": secret }, additionalProperties: true }, {
      api_key: 1,
      key: 2
    }, { api_key: maskedValue, key: 2 }],
    ["in unevaluated members", { unevaluatedProperties: secret }, { a: 1 }, { a: maskedValue }],
    ["at places of a list", { prefixItems: [true, secret], items: { properties: { a: secret } } }, [1, 2, { a: 3 }], [
      1,
      maskedValue,
      { a: maskedValue }
    ]],
    ["in the older list of items", { items: [true], additionalItems: secret }, [1, 2], [1, maskedValue]],
    ["whole, with all that is below", { writeOnly: true, properties: { a: true } }, { a: { b: 1 } }, maskedValue],
    ["also null, and objects", { properties: { a: secret, b: secret } }, { a: null, b: { c: 1 } }, {
      a: maskedValue,
      b: maskedValue
    }],
    ["at any depth of a recursive schema", { properties: { next: { $ref: "#" }, s: secret } }, {
      next: { next: { s: 1 }, s: 2 }
    }, { next: { next: { s: maskedValue }, s: maskedValue } }],
    ["under a name of the prototype", { properties: { constructor: secret } }, { constructor: "x", toString: "y" }, {
      constructor: maskedValue,
      toString: "y"
    }]
  ])("%s", (_, schema, value, expected) => assert.deepStrictEqual(mask(saved(schema), value), expected))

  it("treats __proto__ as data", () => {
    const schema = saved({ properties: { a: secret } })
    const masked = mask(schema, JSON.parse("{\"__proto__\":{\"x\":1},\"a\":2}"))
    assert.strictEqual(JSON.stringify(masked), "{\"__proto__\":{\"x\":1},\"a\":{\"$masked\":true}}")
  })

  it("hides the whole of a value that costs too much to walk", () => {
    const schema = saved({ items: { anyOf: Array.from({ length: 50 }, () => ({ properties: { a: secret } })) } })
    assert.deepStrictEqual(mask(schema, Array.from({ length: 50_000 }, () => ({ a: 1 }))), maskedValue)
    let deep: unknown = { s: "secret" }
    for (let at = 0; at < 100_000; at++) deep = { next: deep }
    const recursive = saved({ properties: { next: { $ref: "#" }, s: secret } })
    assert.deepStrictEqual(mask(recursive, deep), maskedValue)
    assert.deepStrictEqual(maskedPaths(recursive, deep, "payload"), ["payload"])
  })
})

describe("a returned mask", () => {
  const restored = (edited: unknown) => unmask(account, edited, payload, "payload")

  it("keeps the original, next to the edited fields", () => {
    assert.deepStrictEqual(restored(shown), Result.succeed(payload))
    assert.deepStrictEqual(
      restored({ ...shown, user: "bob", password: "new" }),
      Result.succeed({ ...payload, user: "bob", password: "new" })
    )
    assert.deepStrictEqual(restored({ user: "bob" }), Result.succeed({ user: "bob" }))
  })

  it("is refused where the original has no value, with its path", () => {
    const { password: _, ...without } = payload
    const result = unmask(account, shown, without, "payload")
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) assert.deepStrictEqual(result.failure.map(({ path }) => path), ["payload.password"])
    assert.isTrue(Result.isFailure(unmask(account, shown, null)))
  })

  it("is refused in a list whose length changed, because it could get another item's secret", () => {
    const result = restored({ ...shown, cards: [shown.cards[1]] })
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) {
      assert.deepStrictEqual(result.failure.map(({ path }) => path), ["payload.cards.0.number"])
    }
    const fresh = { ...shown, cards: [{ number: "4333", name: "C" }] }
    assert.deepStrictEqual(restored(fresh), Result.succeed({ ...payload, cards: fresh.cards }))
  })

  it("has no effect where the schema masks nothing, and cannot read another field", () => {
    assert.deepStrictEqual(restored({ user: maskedValue }), Result.succeed({ user: maskedValue }))
    assert.deepStrictEqual(unmask(true, shown, payload), Result.succeed(shown))
  })

  it("is distinguished from a similar value", () => {
    assert.isTrue(isMask({ $masked: true }))
    const others = [
      { $masked: 1 },
      { $masked: true, more: 1 },
      {},
      null,
      true,
      [true],
      Object.create({ $masked: true })
    ]
    for (const value of others) assert.isFalse(isMask(value))
  })

  it("keeps an original of null", () => {
    assert.deepStrictEqual(unmask(saved({ writeOnly: true }), maskedValue, null), Result.succeed(null))
  })
})

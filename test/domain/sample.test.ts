import { compileSchema } from "@countersign/domain/json-schema"
import type { JsonObject, Schema } from "@countersign/domain/json-schema-shape"
import { sample } from "@countersign/domain/sample"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const conforms = (schema: Schema, value: unknown) => Result.getOrThrow(compileSchema(schema)).validate(value)

const shapes: ReadonlyArray<readonly [string, JsonObject, unknown]> = [
  ["a constant", { const: { a: 1 } }, { a: 1 }],
  ["a default", { type: "integer", default: 7, minimum: 1 }, 7],
  ["an example", { type: "string", examples: ["first", "second"] }, "first"],
  ["the example of OpenAPI", { type: "string", example: "one" }, "one"],
  ["a choice", { enum: ["b", "a"] }, "b"],
  ["a text", { type: "string" }, "text"],
  ["a text of some length", { type: "string", minLength: 6, maxLength: 6 }, "textxx"],
  ["a short text", { type: "string", maxLength: 2 }, "te"],
  ["a format", { type: "string", format: "uuid" }, "00000000-0000-4000-8000-000000000000"],
  ["a number", { type: "number" }, 0],
  ["a whole number from a bound", { type: "integer", minimum: 1.5 }, 2],
  ["a number above a bound", { type: "number", exclusiveMinimum: 1, maximum: 2 }, 1.5],
  ["a number below a bound", { type: "integer", exclusiveMaximum: -3 }, -4],
  ["a multiple", { type: "integer", minimum: 10, multipleOf: 4 }, 12],
  ["true or false", { type: "boolean" }, true],
  ["null", { type: "null" }, null],
  ["the first type that is not null", { type: ["null", "string"] }, "text"],
  ["an object, optional members too", {
    type: "object",
    required: ["a"],
    properties: { a: { type: "string" }, b: { type: "integer" } }
  }, { a: "text", b: 0 }],
  ["a required member without a schema", {
    type: "object",
    required: ["a"],
    additionalProperties: { type: "integer" }
  }, { a: 0 }],
  ["a least number of members", { type: "object", minProperties: 2, additionalProperties: { type: "boolean" } }, {
    member_1: true,
    member_2: true
  }],
  ["a list", { type: "array", items: { type: "integer" } }, [0]],
  ["a list of some length", { type: "array", items: { type: "integer" }, minItems: 3 }, [0, 0, 0]],
  ["an empty list", { type: "array", items: { type: "integer" }, maxItems: 0 }, []],
  ["a tuple", { prefixItems: [{ const: "a" }, { const: 2 }], items: false }, ["a", 2]],
  ["the first form that is not null", {
    oneOf: [{ type: "null" }, { type: "object", properties: { a: { const: 1 } } }]
  }, { a: 1 }],
  ["all forms together", {
    allOf: [{ properties: { a: { const: 1 } }, required: ["a"] }, { properties: { b: { const: 2 } } }]
  }, { a: 1, b: 2 }],
  ["a reference", { $ref: "#/$defs/a", $defs: { a: { properties: { id: { const: "x" } } } } }, { id: "x" }],
  ["a type inferred from its keywords", { required: ["a"], properties: { a: { minimum: 3 } } }, { a: 3 }]
]

describe("samples", () => {
  it.each(shapes)("%s", (_, schema, expected) => {
    assert.deepStrictEqual(sample(schema), expected)
    assert.deepStrictEqual(conforms(schema, expected), [])
  })

  it("conform to every checked format", () => {
    for (
      const format of [
        "date",
        "date-time",
        "time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "iri",
        "iri-reference",
        "uri-template",
        "uuid",
        "json-pointer",
        "relative-json-pointer",
        "regex"
      ]
    ) {
      assert.deepStrictEqual(conforms({ type: "string", format }, sample({ type: "string", format })), [], format)
    }
  })

  it("are the same value each time", () => {
    const schema = { properties: { at: { type: "string", format: "date-time" }, list: { items: { enum: [1, 2] } } } }
    assert.deepStrictEqual(sample(schema), sample(structuredClone(schema)))
  })

  it("end for a recursive schema, whether the recursive part is optional, required, or doubled", () => {
    const optional = { type: "object", properties: { name: { type: "string" }, next: { $ref: "#" } } }
    assert.deepStrictEqual(conforms(optional, sample(optional)), [])
    assert.isObject(sample({ type: "object", required: ["next"], properties: { next: { $ref: "#" } } }))
    const doubled = sample({ type: "object", required: ["a", "b"], properties: { a: { $ref: "#" }, b: { $ref: "#" } } })
    assert.isBelow(JSON.stringify(doubled).length, 100_000)
    assert.isDefined(sample({ allOf: [{ $ref: "#" }, { $ref: "#" }] }))
  })

  it("stay small for any schema", () => {
    const greedy = { type: "array", minItems: 1e9, items: { type: "string", minLength: 1e9 } }
    assert.isBelow(JSON.stringify(sample(greedy)).length, 1_000_000)
    const wide = { type: "object", minProperties: 1e9 }
    assert.isBelow(JSON.stringify(sample(wide)).length, 1_000_000)
  })

  it("treat names of the prototype as data", () => {
    const schema = JSON.parse(
      "{\"type\":\"object\",\"properties\":{\"__proto__\":{\"const\":1},\"constructor\":{\"const\":2}}}"
    )
    assert.strictEqual(JSON.stringify(sample(schema)), "{\"__proto__\":1,\"constructor\":2}")
    assert.isNull(sample(false))
    assert.isNull(sample({}))
  })
})

import { Validator as CfWorker } from "@cfworker/json-schema"
import { compileSchema } from "@countersign/domain/json-schema"
import { problemsMax, schemaDepthMax, schemaSizeMax } from "@countersign/domain/json-schema-shape"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const validator = (schema: unknown) => Result.getOrThrow(compileSchema(schema))
const accepts = (schema: unknown, value: unknown) => validator(schema).validate(value).length === 0
const problems = (schema: unknown, value: unknown) =>
  validator(schema).validate(value, "payload").map(({ path, message }) => `${path}: ${message}`)
const refusal = (schema: unknown) => {
  const compiled = compileSchema(schema, "payload_schema")
  return Result.isFailure(compiled) ? compiled.failure : assert.fail("the schema was accepted")
}

const order = {
  type: "object",
  required: ["to", "items"],
  properties: {
    to: { type: "string", format: "email" },
    items: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["sku", "qty"],
        properties: {
          sku: { type: "string", pattern: "^[a-z]+-[0-9]+$" },
          qty: { type: "integer", minimum: 1, maximum: 99 }
        },
        additionalProperties: false
      }
    }
  },
  additionalProperties: false
}

describe("problems of a value", () => {
  it("are none for a conforming value", () => {
    assert.deepStrictEqual(problems(order, { to: "a@example.com", items: [{ sku: "a-1", qty: 1 }] }), [])
  })

  it("are every leaf once, with its dotted path, without parents", () => {
    const wrong = { to: "nobody", items: [{ sku: "a-1", qty: 0 }, { sku: "A1", extra: 1 }, 5], more: true }
    assert.deepStrictEqual(problems(order, wrong), [
      "payload.to: This must have the format email.",
      "payload.items.0.qty: This must be at least 1.",
      "payload.items.1.qty: This is required.",
      "payload.items.1.sku: This must match the pattern \"^[a-z]+-[0-9]+$\".",
      "payload.items.1.extra: This member is not allowed here.",
      "payload.items.2: This must be an object.",
      "payload.more: This member is not allowed here."
    ])
    assert.deepStrictEqual(problems(order, { to: "a@example.com" }), ["payload.items: This is required."])
    assert.deepStrictEqual(problems(order, null), ["payload: This must be an object."])
  })

  it("are the leaves of all alternatives when none matches, and none when one matches", () => {
    const schema = { anyOf: [{ required: ["a"] }, { properties: { b: { type: "string" } }, required: ["b"] }] }
    assert.deepStrictEqual(problems(schema, { b: 1 }), [
      "payload.a: This is required.",
      "payload.b: This must be a string."
    ])
    assert.deepStrictEqual(problems(schema, { b: "x" }), [])
    assert.deepStrictEqual(problems({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }, 3), [
      "payload: This matches 2 of the forms, but must match exactly one."
    ])
    assert.deepStrictEqual(problems({ not: { type: "string" } }, "x"), [
      "payload: This has a form that is not allowed."
    ])
    const conditional = JSON.parse(`{ "if": { "properties": { "a": { "const": 1 } } }, "then": { "required": ["b"] } }`)
    assert.deepStrictEqual(problems(conditional, { a: 1 }), ["payload.b: This is required."])
    assert.deepStrictEqual(problems({ contains: { type: "string" } }, [1, 2]).length, 1)
    assert.deepStrictEqual(problems({ propertyNames: { maxLength: 2 } }, { ok: 1, long: 2 }), [
      "payload.long: This member name is not allowed here."
    ])
    assert.deepStrictEqual(problems({ dependentRequired: { card: ["address"] } }, { card: 1 }), [
      "payload.address: This is required together with \"card\"."
    ])
  })

  it(`are at most ${problemsMax}`, () => {
    const wrong = Array.from({ length: 200_000 }, () => 1)
    const found = problems({ properties: { list: { items: { type: "string" } } } }, { list: wrong })
    assert.lengthOf(found, problemsMax)
    assert.strictEqual(found[99], "payload.list.99: This must be a string.")
    assert.lengthOf(
      problems({ anyOf: [{ items: { type: "string" } }, { items: { type: "boolean" } }] }, wrong),
      problemsMax
    )
  })

  it("include a repeated list item, compared by value", () => {
    assert.deepStrictEqual(problems({ uniqueItems: true }, [{ a: 1, b: 2 }, 1, "1", { b: 2, a: 1 }, 1]), [
      "payload.3: This item is already in the list.",
      "payload.4: This item is already in the list."
    ])
    assert.deepStrictEqual(
      problems({ uniqueItems: true }, [0, "0", false, null, "null", [], "[]", {}, "{}", [0], ["0"]]),
      []
    )
    assert.deepStrictEqual(problems({ uniqueItems: true }, Array.from({ length: 100_000 }, (_, at) => at)), [])
  })
})

describe("keywords", () => {
  it.each<readonly [string, unknown, ReadonlyArray<unknown>, ReadonlyArray<unknown>]>([
    ["type", { type: "integer" }, [1, 1.0, -0], [1.5, "1", null, [], {}]],
    ["several types", { type: ["string", "null"] }, ["", null], [0, false]],
    ["const", { const: { a: [1, null] } }, [{ a: [1, null] }], [{ a: [1] }, { a: [1, null], b: 1 }, null]],
    ["const null", { const: null }, [null], [0, "", false]],
    ["enum", { enum: [1, "a", null, { b: 1 }, [2]] }, [1, "a", null, { b: 1 }, [2]], [2, "b", { b: 2 }, [], "1"]],
    ["bounds", { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, "x"], [0.9, 3]],
    ["multiples as they are written", { multipleOf: 0.01 }, [0.07, 4.35, 19.99, 1e15], [0.001, 0.075]],
    ["multiples of whole numbers", { multipleOf: 3 }, [0, -9, 1e15 + 2], [1, 1.5]],
    ["length in characters", { minLength: 2, maxLength: 3 }, ["ab", "😀😀", "😀😀😀"], ["a", "😀", "abcd", "😀😀😀😀"]],
    ["items after a prefix", { prefixItems: [{ type: "string" }], items: { type: "number" } }, [[], ["a"], ["a", 1]], [[
      1
    ], ["a", "b"]]],
    ["the older list of items", { items: [{ type: "string" }], additionalItems: false }, [[], ["a"]], [[1], ["a", 1]]],
    ["contains within bounds", { contains: { const: 1 }, minContains: 2, maxContains: 3 }, [[1, 1], [1, 0, 1, 1]], [
      [1],
      [1, 1, 1, 1],
      []
    ]],
    [
      "members by pattern",
      { patternProperties: { "^x-": { type: "number" } }, additionalProperties: { type: "string" } },
      [{ "x-a": 1, b: "c" }],
      [{ "x-a": "1" }, { b: 1 }]
    ],
    ["the size of objects", { minProperties: 1, maxProperties: 2 }, [{ a: 1 }, []], [{}, { a: 1, b: 2, c: 3 }]],
    ["dependent schemas", { dependentSchemas: { a: { required: ["b"] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
    [
      "members that nothing else evaluated",
      { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false },
      [{ a: 1, b: 2 }],
      [{ c: 1 }]
    ],
    [
      "members that only a matching branch evaluated",
      {
        anyOf: [{ properties: { a: { const: 1 } }, required: ["a"] }, { properties: { b: true } }],
        unevaluatedProperties: false
      },
      [{ a: 1, b: 2 }, { b: 1 }],
      [{ a: 2 }]
    ],
    ["items that nothing evaluated", { prefixItems: [true], contains: { const: 7 }, unevaluatedItems: false }, [
      [1, 7],
      [7]
    ], [[1, 7, 2]]],
    [
      "a recursive schema",
      {
        $ref: "#/$defs/tree",
        $defs: { tree: { properties: { left: { $ref: "#/$defs/tree" }, n: { type: "number" } } } }
      },
      [{ left: { left: { n: 1 } } }],
      [{ left: { left: { n: "1" } } }]
    ],
    ["a reference with escapes", { $ref: "#/$defs/a~1b%25c", $defs: { "a/b%c": { type: "string" } } }, ["x"], [1]],
    ["names of the prototype", { required: ["toString"], properties: { constructor: { type: "number" } } }, [{
      toString: 1
    }], [{}, { toString: 1, constructor: "x" }]],
    [
      "a member called __proto__",
      JSON.parse("{\"properties\":{\"__proto__\":{\"type\":\"string\"}},\"additionalProperties\":false}"),
      [JSON.parse("{\"__proto__\":\"a\"}"), {}],
      [JSON.parse("{\"__proto__\":1}"), { a: 1 }]
    ],
    [
      "unknown keywords and formats",
      { "x-note": 1, format: "int64", title: "t", contentEncoding: "base64" },
      ["x", 1],
      []
    ],
    ["true and false", { properties: { a: true, b: false } }, [{ a: 1 }, {}], [{ b: 1 }]]
  ])("%s", (_, schema, conforming, failing) => {
    for (const value of conforming) assert.isTrue(accepts(schema, value), `should accept ${JSON.stringify(value)}`)
    for (const value of failing) assert.isFalse(accepts(schema, value), `should refuse ${JSON.stringify(value)}`)
  })
})

describe("the check of a schema", () => {
  it.each<readonly [string, unknown, string, RegExp]>([
    ["no schema", 5, "payload_schema", /object, true, or false/],
    ["a list", [], "payload_schema", /object, true, or false/],
    [
      "an unknown type",
      { properties: { a: { type: "strng" } } },
      "payload_schema.properties.a.type",
      /one of array, boolean/
    ],
    ["a limit of the wrong kind", { minLength: "1" }, "payload_schema.minLength", /whole number/],
    ["a negative limit", { items: { maxItems: -1 } }, "payload_schema.items.maxItems", /whole number/],
    [
      "a boolean exclusiveMinimum of draft 4",
      { exclusiveMinimum: true },
      "payload_schema.exclusiveMinimum",
      /a number/
    ],
    ["multipleOf 0", { multipleOf: 0 }, "payload_schema.multipleOf", /above 0/],
    ["required that is no list", { required: "a" }, "payload_schema.required", /list of names/],
    ["properties that hold no schema", { properties: { a: 1 } }, "payload_schema.properties", /object of schemas/],
    ["an empty anyOf", { anyOf: [] }, "payload_schema.anyOf", /one or more schemas/],
    ["a remote reference", { $ref: "https://example.com/schema.json" }, "payload_schema.$ref", /begin with "#\/"/],
    [
      "a file reference",
      { properties: { a: { $ref: "file:///etc/passwd" } } },
      "payload_schema.properties.a.$ref",
      /begin with "#\/"/
    ],
    [
      "an anchor reference",
      { $ref: "#here", $defs: { a: { $anchor: "here" } } },
      "payload_schema.$ref",
      /begin with "#\/"/
    ],
    ["a reference to nothing", { $ref: "#/$defs/none" }, "payload_schema.$ref", /no schema at this place/],
    [
      "a reference to a value that is not a schema",
      { $ref: "#/required", required: ["a"] },
      "payload_schema.$ref",
      /no schema at this place/
    ],
    ["a reference into the prototype", { $ref: "#/constructor" }, "payload_schema.$ref", /no schema at this place/],
    ["a broken percent sign", { $ref: "#/%zz" }, "payload_schema.$ref", /no schema at this place/],
    [
      "a schema that is reached by reference only",
      { $ref: "#/x-schemas/a", "x-schemas": { a: { type: "nope" } } },
      "payload_schema.x-schemas.a.type",
      /one of array/
    ],
    ["$dynamicRef", { $dynamicRef: "#a" }, "payload_schema.$dynamicRef", /not supported/],
    ["$recursiveRef", { items: { $recursiveRef: "#" } }, "payload_schema.items.$recursiveRef", /not supported/],
    [
      "an inner $id",
      { properties: { a: { $id: "https://evil.example/", $ref: "#/x" } } },
      "payload_schema.properties.a.$id",
      /only at the root/
    ],
    [
      "another dialect",
      { $schema: "http://json-schema.org/draft-04/schema#" },
      "payload_schema.$schema",
      /not supported/
    ],
    ["a broken pattern", { pattern: "(" }, "payload_schema.pattern", /linear time/],
    ["a pattern with look-ahead", { pattern: "^(?=a)" }, "payload_schema.pattern", /linear time/],
    [
      "a broken pattern of names",
      { patternProperties: { "[": true } },
      "payload_schema.patternProperties.[",
      /linear time/
    ],
    ["a reference to itself", { $ref: "#" }, "payload_schema", /never end/],
    [
      "a circle of references",
      { $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } } },
      "payload_schema",
      /never end/
    ]
  ])("%s", (_, schema, path, message) => {
    const [first] = refusal(schema)
    assert.strictEqual(first?.path, path)
    assert.match(first?.message ?? "", message)
  })

  it("refuses one that is too deep, too large, or not JSON", () => {
    let deep: unknown = {}
    for (let at = 0; at < schemaDepthMax; at++) deep = { not: deep }
    assert.match(refusal(deep)[0]?.message ?? "", /levels deep/)
    const large = { properties: Object.fromEntries(Array.from({ length: schemaSizeMax }, (_, at) => [`p${at}`, true])) }
    assert.match(refusal(large)[0]?.message ?? "", /values/)
    const cycle: Record<string, unknown> = {}
    cycle["not"] = cycle
    assert.match(refusal(cycle)[0]?.message ?? "", /levels deep/)
    assert.match(refusal({ default: undefined })[0]?.message ?? "", /is JSON/)
    const chain = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`a${at}`, { $ref: `#/$defs/a${at + 1}` }])
    )
    assert.match(
      refusal({ $ref: "#/$defs/a0", $defs: { ...chain, a5000: true } })[0]?.message ?? "",
      /nested too deeply/
    )
  })

  it("names every problem at once", () => {
    assert.deepStrictEqual(refusal({ type: "x", properties: { a: { minimum: "1" } } }).map(({ path }) => path), [
      "payload_schema.type",
      "payload_schema.properties.a.minimum"
    ])
  })

  it("accepts $id and a known $schema at the root", () => {
    const rooted = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/order",
      type: "string"
    }
    assert.isTrue(accepts(rooted, "x"))
  })
})

describe("hostile schemas and values end within the budget", () => {
  const tooLarge = ["payload: This is too large to be checked against its schema."]

  it("for patterns with exponential backtracking elsewhere", () => {
    const long = `${"a".repeat(50_000)}!`
    assert.deepStrictEqual(problems({ pattern: "^(a+)+$" }, long), [
      "payload: This must match the pattern \"^(a+)+$\"."
    ])
    assert.deepStrictEqual(problems({ patternProperties: { "^(a|aa)+$": false } }, { [long]: 1 }), [])
    assert.deepStrictEqual(problems({ format: "url" }, `http://${"a".repeat(100)}!`), [])
    const slow = Array.from({ length: 1_000 }, () => `${"ab".repeat(500)}xc`)
    assert.isNotEmpty(problems({ items: { pattern: "[ab]*a[ab]{900}c" } }, slow))
    assert.deepStrictEqual(problems({ items: { anyOf: [{ pattern: "[ab]*a[ab]{900}c" }, true] } }, slow), tooLarge)
  })

  it("for references that double at each step", () => {
    const $defs: Record<string, unknown> = { a40: { type: "string" } }
    for (let at = 0; at < 40; at++) {
      $defs[`a${at}`] = { allOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}` }] }
    }
    assert.deepStrictEqual(problems({ $defs, $ref: "#/$defs/a0" }, "x"), tooLarge)
  })

  it("for alternatives that double at each level of the value", () => {
    let deep: unknown = []
    for (let at = 0; at < 64; at++) deep = [deep]
    assert.isNotEmpty(
      problems({ anyOf: [{ items: { $ref: "#" }, minItems: 3 }, { items: { $ref: "#" }, minItems: 2 }] }, deep)
    )
  })

  it("for a value with a hundred thousand levels", () => {
    let deep: unknown = []
    for (let at = 0; at < 100_000; at++) deep = [deep]
    assert.deepStrictEqual(problems({ items: { $ref: "#" } }, deep), ["payload: This is nested too deeply."])
  })

  it("for lists of half a million items, and unique objects", () => {
    assert.deepStrictEqual(problems({ items: { type: "integer" } }, Array.from({ length: 500_000 }, (_, at) => at)), [])
    const objects = Array.from({ length: 30_000 }, (_, at) => ({ id: at, tags: ["a"] }))
    assert.deepStrictEqual(problems({ uniqueItems: true }, objects), [])
  })
})

describe("compared with the library that it replaces", () => {
  const Scalar = Schema.Union([Schema.Int, Schema.String.check(Schema.isMaxLength(4)), Schema.Boolean, Schema.Null])
  const schemas: ReadonlyArray<object> = [
    { type: ["string", "null"] },
    { anyOf: [{ type: "integer", minimum: 0 }, { type: "string", minLength: 2 }] },
    { oneOf: [{ type: "number" }, { maximum: 3 }, { type: "boolean" }] },
    { not: { enum: [0, "", null] } },
    {
      properties: { a: { type: "integer" }, b: { minLength: 1 } },
      required: ["a"],
      additionalProperties: { type: "boolean" }
    },
    JSON.parse(`{
      "allOf": [
        { "properties": { "a": true } },
        { "if": { "required": ["b"] }, "then": { "properties": { "b": { "type": "string" } } }, "else": { "maxProperties": 1 } }
      ],
      "unevaluatedProperties": { "type": "null" }
    }`),
    { items: { type: ["integer", "boolean"] }, contains: { type: "boolean" }, uniqueItems: true },
    {
      prefixItems: [{ type: "string" }, { $ref: "#/$defs/n" }],
      unevaluatedItems: { $ref: "#/$defs/n" },
      $defs: { n: { type: ["null", "integer"] } }
    },
    { propertyNames: { maxLength: 1 }, dependentRequired: { a: ["b"] }, minProperties: 1 }
  ]
  const Value = Schema.Union([
    Scalar,
    Schema.Array(Scalar).check(Schema.isMaxLength(4)),
    Schema.Record(Schema.Literals(["a", "b", "c", "toString"]), Scalar),
    Schema.Struct({ a: Schema.optionalKey(Scalar), b: Schema.optionalKey(Scalar), c: Schema.optionalKey(Scalar) })
  ])
  const pairs = schemas.map((schema) => ({
    ours: validator(schema),
    theirs: new CfWorker(structuredClone(schema), "2020-12")
  }))

  it.prop("has the same verdict", [Value], ([value]) => {
    for (const { ours, theirs } of pairs) {
      assert.strictEqual(ours.validate(value).length === 0, theirs.validate(value).valid, JSON.stringify(ours.schema))
    }
  }, { arbitrary: { seed: 5, runs: 600 } })
})

import { memberAt, schemaFields, withMember } from "@countersign/ui/catalog/schema-fields"
import { describe, expect, test } from "vitest"

const kinds = (schema: unknown) => schemaFields(schema).map(({ kind, name }) => `${name}: ${kind}`)

describe("schema fields", () => {
  test("have the type of their schema; several types become JSON", () => {
    expect(
      kinds({
        type: "object",
        required: ["text"],
        properties: {
          text: { type: "string" },
          long: { type: "string", maxLength: 4_000 },
          count: { type: ["integer", "null"] },
          share: { type: "number" },
          sure: { type: "boolean" },
          size: { enum: ["small", "large"] },
          mixed: { enum: ["small", 3] },
          tags: { type: "array", items: { type: "string" } },
          rows: { type: "array", items: { type: "object" } },
          free: { type: "object" },
          either: { anyOf: [{ type: "string" }, { type: "number" }] }
        }
      })
    ).toEqual([
      "text: text",
      "long: long",
      "count: integer",
      "share: number",
      "sure: boolean",
      "size: choice",
      "mixed: json",
      "tags: lines",
      "rows: json",
      "free: json",
      "either: json"
    ])
  })

  test("follow local references and end at a cycle", () => {
    const [parent] = schemaFields({
      type: "object",
      properties: { parent: { $ref: "#/$defs/person" } },
      $defs: {
        person: {
          type: "object",
          properties: { name: { type: "string", title: "Name", writeOnly: true }, parent: { $ref: "#/$defs/person" } }
        }
      }
    })
    expect(parent?.fields.map(({ hidden, kind, path, title }) => ({ hidden, kind, path, title }))).toEqual([
      { hidden: true, kind: "text", path: ["parent", "name"], title: "Name" },
      { hidden: false, kind: "group", path: ["parent", "parent"], title: undefined }
    ])
    const depth = (fields: ReadonlyArray<{ readonly fields: never }>): number =>
      fields.length === 0 ? 0 : 1 + Math.max(...fields.map((each) => depth(each.fields)))
    expect(depth([parent as never])).toBeLessThan(12)
    expect(kinds({ properties: { a: { $ref: "#/properties/a" }, b: { $ref: "https://elsewhere.example" } } })).toEqual([
      "a: json",
      "b: json"
    ])
  })

  test.each([undefined, null, true, [], "text", { properties: [] }, { properties: { a: true } }])(
    "do not throw on %j",
    (schema) => {
      expect(() => schemaFields(schema)).not.toThrow()
    }
  )
})

describe("a payload draft", () => {
  test("is set member by member; empty members and groups are not sent", () => {
    const written = withMember(withMember({ keep: 1 }, ["group", "name"], "Ada"), ["group", "age"], 3)
    expect(written).toEqual({ keep: 1, group: { name: "Ada", age: 3 } })
    expect(withMember(withMember(written, ["group", "name"], undefined), ["group", "age"], undefined)).toEqual({
      keep: 1
    })
    expect(memberAt(written, ["group", "age"])).toBe(3)
    expect(memberAt(written, ["keep", "toString"])).toBeUndefined()
  })
})

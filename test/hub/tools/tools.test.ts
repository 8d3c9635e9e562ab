/** Operations as tools. Spec: reference/mcp.md "Tools". */
import type { OperationDefinition } from "@countersign/domain/services"
import { makeToolNames, toolNameMax } from "@countersign/hub/tools/names"
import { toolTextOf } from "@countersign/hub/tools/schemas"
import { assert, describe, it } from "@effect/vitest"

const target = (text: string) => {
  const at = text.indexOf(".")
  return { service: text.slice(0, at), operation: text.slice(at + 1) }
}
const namesOf = (...texts: ReadonlyArray<string>) => {
  const names = makeToolNames(texts.map(target))
  return texts.map((text) => names.nameOf(target(text)))
}

describe("names of tools", () => {
  it("join service and operation, with _ for characters that clients refuse", () => {
    assert.deepStrictEqual(namesOf("echo.say", "device.shell.run"), ["echo__say", "device__shell_run"])
  })

  it("are short, and lead back to one operation each", () => {
    const long = `service.${"a".repeat(64)}`
    const texts = [long, `${long.slice(0, -1)}b`, "s.a_b", "s.a.b", "s.c"]
    const names = makeToolNames(texts.map(target))
    for (const text of texts) {
      const name = names.nameOf(target(text)) ?? ""
      assert.isAtMost(name.length, toolNameMax)
      assert.match(name, /^[A-Za-z0-9_-]+$/u)
      assert.deepStrictEqual(names.targetOf(name), target(text))
    }
    assert.isUndefined(names.targetOf("s__a_b"))
  })

  it("never move to another operation when one is added", () => {
    const [before] = namesOf("s.a_b")
    const [after, added] = namesOf("s.a_b", "s.a.b")
    assert.strictEqual(before, "s__a_b")
    assert.notStrictEqual(added, before)
    assert.notStrictEqual(after, before)
  })
})

const operation = (payload_schema: Record<string, unknown>): OperationDefinition => ({
  name: "run",
  description: "Runs it",
  payload_schema: payload_schema as OperationDefinition["payload_schema"],
  price: { type: "fixed", cents: 250 }
})

describe("texts of tools", () => {
  it("end with the price, and repeat the conditions at the root of the schema", () => {
    const { description, schema } = toolTextOf(
      "s",
      operation({ type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] })
    )
    assert.strictEqual(
      description,
      "Runs it. The arguments must also match {\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}. Price: $2.50 for each call."
    )
    assert.deepStrictEqual(schema, { type: "object", properties: { a: {}, b: {} } })
  })

  it("inline references, also of a schema that refers to itself", () => {
    const { schema } = toolTextOf(
      "s",
      operation({
        properties: { at: { $ref: "#/$defs/place", description: "Where" }, tree: { $ref: "#/$defs/node" } },
        $defs: {
          place: { type: "string" },
          node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } }
        }
      })
    )
    const properties = schema["properties"] as Record<string, unknown>
    assert.deepStrictEqual(properties["at"], { type: "string", description: "Where" })
    assert.notInclude(JSON.stringify(schema), "$ref")
    assert.notInclude(JSON.stringify(schema), "$defs")
  })

  it("stay bounded when references multiply", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } }
    for (let at = 1; at < 7; at++) {
      $defs[`d${at}`] = {
        type: "object",
        properties: Object.fromEntries("abcdefgh".split("").map((name) => [name, { $ref: `#/$defs/d${at - 1}` }]))
      }
    }
    const { schema } = toolTextOf("s", operation({ properties: { x: { $ref: "#/$defs/d6" } }, $defs }))
    assert.isBelow(JSON.stringify(schema).length, 200_000)
  })
})

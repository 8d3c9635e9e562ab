import { mask } from "@countersign/domain/masking"
import { checkService, ServiceDefinition } from "@countersign/domain/services"
import { summarize } from "@countersign/domain/summary"
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const schema = {
  type: "object",
  required: ["payee", "amount_cents"],
  properties: {
    note: { type: "string", title: "Note" },
    pin: { type: "string", writeOnly: true },
    payee: { type: "string", title: "Payee" },
    amount_cents: { type: "integer", title: "Amount" },
    fee: { type: "integer", format: "cents" },
    lines: { type: "array", items: { type: "string" } },
    card: { type: "object", properties: { last4: { type: "string" }, number: { type: "string", writeOnly: true } } }
  }
} as const
const payload = {
  note: "Rent",
  pin: "1234",
  payee: "Acme",
  amount_cents: 4_200,
  fee: 5,
  lines: ["a", "b", "c", "d"],
  card: { last4: "4242", number: "4242424242424242" },
  extra: true
}
const shownOf = (value: unknown, pointers?: ReadonlyArray<string>) =>
  summarize(schema, mask(schema, value), pointers).map((
    { label, path, value, ...rest }
  ) => [path, label, value, ...Object.values(rest)])

describe("the summary of a payload", () => {
  it("is the first three short scalars without a declaration, required fields first", () => {
    assert.deepStrictEqual(shownOf(payload), [
      ["/payee", "Payee", "Acme"],
      ["/amount_cents", "Amount", 4_200, "cents"],
      ["/note", "Note", "Rent"]
    ])
  })

  it("is the declared fields in order, lists cut to their first items", () => {
    assert.deepStrictEqual(shownOf(payload, ["/card/last4", "/fee", "/lines", "/absent"]), [
      ["/card/last4", "last4", "4242"],
      ["/fee", "fee", 5, "cents"],
      ["/lines", "lines", "a, b, c +1"]
    ])
  })

  it("never contains a masked field, declared or not", () => {
    assert.deepStrictEqual(shownOf(payload, ["/pin", "/pin/$masked", "/card/number", "/card/number/$masked"]), [])
    assert.deepStrictEqual(shownOf({ pin: "1234", card: { number: "4242424242424242" } }), [])
    assert.deepStrictEqual(summarize(true, { $masked: true }), [])
    assert.deepStrictEqual(summarize(true, { $removed: true }), [])
  })

  it("continues one level down where the top level has too few scalars", () => {
    assert.deepStrictEqual(shownOf({ card: { last4: "4242", number: "4242424242424242" }, lines: ["a"] }), [[
      "/card/last4",
      "last4",
      "4242"
    ]])
  })

  it("omits long and multi-line texts next to a short value unless they are declared, and then cuts them", () => {
    assert.deepStrictEqual(shownOf({ note: "x".repeat(81), payee: "two\nlines", n: 1 }), [["/n", "n", 1]])
    const [[, , cut] = []] = shownOf({ note: "x".repeat(500) }, ["/note"])
    assert.strictEqual(cut, `${"x".repeat(79)}…`)
    assert.deepStrictEqual(shownOf({ payee: "two\n  lines" }, ["/payee"]), [["/payee", "Payee", "two lines"]])
  })

  it("shows the start of the first long text where no field is short", () => {
    const letter = { subject: "Offer\nof May ".repeat(100), body: "x".repeat(300) }
    const [field, ...more] = summarize({ type: "object" }, letter)
    assert.deepStrictEqual([field?.label, String(field?.value).slice(0, 12), more], ["subject", "Offer of May", []])
    assert.lengthOf(Array.from(String(field?.value)), 80)
    assert.deepStrictEqual(summarize({ type: "object" }, { ...letter, to: "ada" }).map(({ label }) => label), ["to"])
  })

  it("reads a limited number of schemas where references and branches multiply", () => {
    const wide = { anyOf: Array.from({ length: 40 }, () => ({ $ref: "#/$defs/a" })) }
    const looped = {
      ...wide,
      $defs: {
        a: { anyOf: Array.from({ length: 40 }, () => ({ $ref: "#/$defs/b" })) },
        b: { ...wide, properties: { x: { title: "X" } } }
      }
    }
    assert.deepStrictEqual(summarize(looped, { x: 1 }), [{ path: "/x", label: "x", value: 1 }])
  })

  it("is refused with an invalid pointer", () => {
    const service = Schema.decodeUnknownSync(ServiceDefinition)({
      name: "shop",
      kind: "http",
      base_url: "https://api.example.com",
      operations: [{
        name: "buy",
        method: "POST",
        path: "/",
        payload_schema: {},
        price: { type: "fixed", cents: 1 },
        summary: ["/payee", "payee"]
      }]
    })
    assert.deepStrictEqual(checkService(service).map(({ path }) => path), ["operations.0.summary.1"])
  })

  it("is declared for every shipped operation except echo, and its pointers lead to described fields", () => {
    for (const file of readdirSync("resources/catalog").filter((name) => name.endsWith(".json"))) {
      const { name, operations } = JSON.parse(readFileSync(`resources/catalog/${file}`, "utf8"))
      for (const operation of operations) {
        assert.isTrue(name === "echo" || operation.summary.length > 0, `${name}.${operation.name}`)
        for (const pointer of operation.summary ?? []) {
          const [, first] = pointer.split("/")
          assert.property(operation.payload_schema.properties, first, `${name}.${operation.name} ${pointer}`)
        }
      }
    }
  })
})

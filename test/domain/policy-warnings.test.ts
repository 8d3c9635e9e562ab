/** Likely mistakes in a valid rule. Spec: reference/policies.md "Warnings". */
import { policyWarnings, type RuledOperation } from "@countersign/domain/policy-warnings"
import { assert, describe, it } from "@effect/vitest"

const object = (properties: object, required: ReadonlyArray<string> = [], rest: object = {}) => ({
  type: "object",
  properties,
  required,
  ...rest
})
const operation = (name: string, payload_schema: object): RuledOperation => {
  const [service = "", own = ""] = name.split(".")
  return { service, operation: own, payload_schema: payload_schema as RuledOperation["payload_schema"] }
}
const text = { type: "string" }
const number = { type: "number" }
const operations = [
  operation("shop.buy", object({ amount: number, note: text, to: object({ city: text }, ["city"]) }, ["amount", "to"])),
  operation("shop.list", object({ page: number }, [], { additionalProperties: false })),
  operation("mail.send", {
    $ref: "#/$defs/Mail",
    $defs: {
      Mail: {
        allOf: [object({ to: text }, ["to"]), object({ cc: text }, ["cc"])],
        anyOf: [object({ a: text }, ["a"]), object({ b: text }, ["b"])]
      }
    }
  })
]
const messages = (when: string, among = operations) => policyWarnings(when, among).map(({ message }) => message)

describe("warnings of a policy rule", () => {
  for (
    const when of [
      "true",
      "ceiling_cents > 500",
      "service == 'shop' && operation == 'buy' && payload.amount > 10",
      "service == 'shop' && operation == 'buy' && payload.to.city == 'Berlin'",
      "service == 'shop' && operation == 'buy' && has(payload.note) && payload.note.contains('x')",
      "service == 'shop' && operation in ['buy'] && ('note' in payload ? payload.note == 'x' : false)",
      "service != 'mail' || (payload.to != '' && payload.cc == 'x')",
      "!has(payload.amount) || payload.amount > 1",
      "service == 'mail' && payload.to.endsWith('@example.com') && payload.cc != ''"
    ]
  ) it(`has none for ${when}`, () => assert.deepStrictEqual(policyWarnings(when, operations), []))

  it("names the operations whose schema leaves a field optional", () => {
    assert.deepStrictEqual(
      policyWarnings("service == 'shop' && operation == 'buy' && payload.note == 'x'", operations),
      [{
        path: "when",
        message: "payload.note is optional in shop.buy: without it the rule fails, and the hub blocks the request. " +
          "Check has(payload.note) first, or make the field required."
      }]
    )
    assert.include(messages("service == 'mail' && payload.a == 'x'")[0], "payload.a is optional in mail.send")
    const many = Array.from({ length: 12 }, (_, at) => operation(`s${at}.do`, object({ n: number })))
    assert.include(messages("payload.n > 3", many)[0], "s0.do, s1.do, s2.do, and 9 more")
  })

  it("names the operations without the field, including those of other services that the rule does not exclude", () => {
    const found = messages("service == 'shop' && payload.amount > 10")
    assert.lengthOf(found, 1)
    assert.include(found[0], "payload.amount is not a field of shop.list")
  })

  it("names services and operations that do not exist", () => {
    assert.deepStrictEqual(messages("service == 'shopp' && payload.amount > 10"), ["There is no service \"shopp\"."])
    assert.deepStrictEqual(messages("operation in ['buyy', 'buy'] && ceiling_cents > 3"), [
      "No service has an operation \"buyy\"."
    ])
  })

  for (
    const [when, among] of [["1/0 == 1", "shop.buy, shop.list, mail.send"], [
      "service == 'shop' && 1/0 == 1",
      "shop.buy, shop.list"
    ]] as const
  ) {
    it(`reports that ${when} fails for every request`, () => {
      const found = messages(when)
      assert.lengthOf(found, 1)
      assert.include(found[0], `The rule fails for every request to ${among}, and the hub blocks them: `)
    })
  }

  it("reports that a rule divides by zero, also where the result is infinite", () => {
    for (const when of ["ceiling_cents/0 > 1", "service == 'shop' || ceiling_cents % 0 == 1"]) {
      assert.match(messages(when).join(), /divides by zero|fails for every request/u, when)
    }
    assert.deepStrictEqual(messages("ceiling_cents / 10 > 1 && 0 / ceiling_cents == 0"), [])
  })

  it("has none for a rule that fails at one price only", () => {
    assert.deepStrictEqual(messages("1000 / (ceiling_cents - 100) > 1"), [])
  })

  it("tries the rule on a sample payload where every field is there", () => {
    const [found] = messages("service == 'shop' && operation == 'buy' && payload.amount.startsWith('x')")
    assert.include(found, "The rule fails on a sample payload of shop.buy")
  })

  it("has none for a rule that does not compile, which is refused anyway", () => {
    assert.deepStrictEqual(policyWarnings("payload.", operations), [])
  })
})

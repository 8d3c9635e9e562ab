import { checkDefinition } from "@countersign/ui/catalog/checks"
import { emptyService } from "@countersign/ui/catalog/service-draft"
import { describe, expect, test } from "vitest"

const operation = {
  name: "send",
  method: "POST",
  path: "/send",
  payload_schema: { type: "object" },
  price: { type: "fixed", cents: 1 }
}
const service = { name: "sms", kind: "http", base_url: "https://sms.example", operations: [operation] }
const paths = (value: unknown) => checkDefinition(value).map(({ path }) => path)

describe("checks of a service draft", () => {
  test("find nothing in a service that the hub accepts", () => {
    expect(paths(service)).toEqual([])
  })

  test("report a missing member at its field", () => {
    expect(paths(emptyService())).toEqual(["name", "operations.0.name", "operations.0.price.cents", "base_url"])
  })

  test("continue after a missing member: each expression, template, and credential is checked", () => {
    expect(
      paths({
        ...service,
        name: "",
        base_url: "ftp://x",
        auth: { type: "bearer" },
        surprise: true,
        operations: [
          { ...operation, price: { type: "quoted", ceiling: "payload." } },
          { name: "two", path: "/${payload.x", extra: 1 }
        ]
      }).toSorted()
    ).toEqual([
      "auth.secret",
      "base_url",
      "name",
      "operations.0.price.ceiling",
      "operations.1.extra",
      "operations.1.method",
      "operations.1.path",
      "operations.1.payload_schema",
      "operations.1.price",
      "surprise"
    ])
  })

  test.each([undefined, null, 3, [], {}, { operations: 3 }, { operations: [null, 3] }])(
    "do not throw on %j",
    (value) => {
      expect(checkDefinition(value).length).toBeGreaterThan(0)
    }
  )
})

import SwaggerParser from "@apidevtools/swagger-parser"
import { HubApi } from "@countersign/domain/api"
import { endpointsOf, idempotentOperations, openApiOf } from "@countersign/domain/openapi"
import { groupDescriptions, operationSummaries } from "@countersign/domain/summaries"
import { assert, describe, it } from "@effect/vitest"

interface Operation {
  readonly operationId: string
  readonly security: ReadonlyArray<Record<string, unknown>>
  readonly parameters: ReadonlyArray<
    { readonly $ref?: string; readonly name?: string; readonly in?: string; readonly schema?: Record<string, unknown> }
  >
  readonly responses: Record<string, { readonly $ref?: string }>
  readonly summary?: string
  readonly description?: string
}
const document = openApiOf(HubApi) as unknown as {
  readonly paths: Record<string, Record<string, Operation>>
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly components: Record<string, Record<string, Record<string, unknown>>>
}
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
const operation = (id: string) => operations.find(({ operationId }) => operationId === id)!

describe("the OpenAPI document", () => {
  it("is a valid OpenAPI 3.1 document", async () => {
    const validated = await SwaggerParser.validate(structuredClone(document) as never) as unknown as {
      readonly openapi: string
    }
    assert.match(validated.openapi, /^3\.1/)
  })

  it("has every endpoint of the contract once, with its access", () => {
    const endpoints = endpointsOf(HubApi)
    assert.sameMembers(operations.map(({ operationId }) => operationId), endpoints.map(({ id }) => id))
    const schemes = {
      agent: ["agentKey"],
      user: ["personalToken", "session"],
      session: ["session"],
      any: ["agentKey", "personalToken", "session"],
      device: ["deviceKey", "personalToken", "session"],
      public: []
    }
    const own = {
      "password": [],
      "device code": [],
      "logout token": [],
      "setup token": [],
      "pairing secret": ["pairingSecret"],
      "signature": ["standardWebhooks", "svcSignature"],
      "metrics token": ["metricsToken"],
      "optional agent key": ["agentKey"]
    }
    for (const { access, checks, id, permission, refusesTokens } of endpoints) {
      const accepted = checks === undefined ? schemes[access] : own[checks]
      const expected = accepted.filter((scheme) => refusesTokens !== true || scheme !== "personalToken")
      assert.deepStrictEqual(operation(id).security.flatMap((each) => Object.keys(each)), expected, id)
      assert.strictEqual("401" in operation(id).responses, access !== "public" || checks !== undefined, `${id} 401`)
      if (permission !== undefined) assert.include(operation(id).description, `\`${permission}\``, id)
    }
  })

  it("has a summary of each operation and each group, in plain words and without a full stop", () => {
    for (const { operationId, summary } of operations) assert.match(summary ?? "", /^[A-Z][^.]{3,79}$/u, operationId)
    assert.sameMembers(Object.keys(operationSummaries), operations.map(({ operationId }) => operationId))
    assert.sameMembers(Object.keys(groupDescriptions), document.tags.map(({ name }) => name))
  })

  it("has integers of queries as integers, with their bounds", () => {
    const limit = operation("audit.list").parameters.find(({ name }) => name === "limit")!
    assert.deepStrictEqual(limit.schema, { type: "integer", minimum: 1, maximum: 200, default: 50 })
    for (const { operationId, parameters } of operations) {
      for (const { name, schema } of parameters) {
        if (name === "limit") assert.strictEqual(schema!["type"], "integer", operationId)
      }
    }
  })

  it("documents the headers that endpoints cannot declare", () => {
    const refs = (id: string) =>
      operation(id).parameters.flatMap(({ $ref }) => $ref === undefined ? [] : [$ref.split("/").at(-1)])
    assert.includeMembers(refs("service_requests.dispatch"), [
      "IdempotencyKey",
      "TestOutcome",
      "Workspace",
      "RequestId"
    ])
    assert.includeMembers(refs("events.stream"), ["LastEventId"])
    assert.includeMembers(refs("discovery.openapi"), ["IfNoneMatch"])
    for (const id of idempotentOperations) assert.include(refs(id), "IdempotencyKey", id)
    assert.notInclude(refs("discovery.health"), "Workspace")
  })

  it("has one shape for all errors, ids with one pattern, closed objects and no stray schema", () => {
    const text = JSON.stringify(document)
    assert.notInclude(text, "[\\\\s\\\\S]*?$")
    for (const each of operations) {
      for (const [status, { $ref }] of Object.entries(each.responses)) {
        if (Number(status) >= 400) {
          assert.match($ref ?? "", /^#\/components\/responses\//, `${each.operationId} ${status}`)
        }
      }
    }
    assert.strictEqual(document.components["schemas"]!["TopUpInput"]!["additionalProperties"], false)
    for (const name of Object.keys(document.components["schemas"]!)) {
      assert.include(text, `"#/components/schemas/${name}"`, name)
    }
  })

  it("is the same text every time", () => {
    assert.strictEqual(JSON.stringify(openApiOf(HubApi)), JSON.stringify(document))
  })
})

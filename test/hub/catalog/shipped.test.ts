import { compileSchema } from "@countersign/domain/json-schema"
import { ceilingOf, defaultRatesOf, tokensCeiling } from "@countersign/domain/price"
import { operationOf } from "@countersign/domain/services"
import { microCentsOf, noTokens } from "@countersign/domain/token-price"
import { readShippedServices } from "@countersign/hub/catalog/shipped"
import { readSnapshot } from "@countersign/hub/models/snapshot"
import { makeTable } from "@countersign/hub/models/table"
import type { AdapterCall } from "@countersign/hub/providers/adapter"
import { requestProblems } from "@countersign/hub/providers/http-request"
import { tokenBoundsOf } from "@countersign/hub/providers/llm/bounds"
import { mockAdapter } from "@countersign/hub/providers/mock"
import { maxTokensDefault } from "@countersign/hub/providers/model-prompt"
import { Effect, Result } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const services = readShippedServices()

const valid = (schema: unknown, value: unknown) => {
  const compiled = compileSchema(schema)
  return Result.isSuccess(compiled) ? compiled.success.validate(value) : compiled.failure
}

describe("the shipped catalog", () => {
  it("contains the services that the contract and its examples name", () => {
    assert.deepStrictEqual([...services.keys()], [
      "device",
      "echo",
      "email",
      "http",
      "knowledge",
      "llm",
      "memory",
      "search",
      "speech",
      "storage",
      "voice",
      "webhook",
      "workflow"
    ])
    assert.deepStrictEqual(operationOf(services.get("echo")!, "say")?.price, { type: "fixed", cents: 1 })
  })

  for (const definition of services.values()) {
    for (const operation of definition.operations) {
      const name = `${definition.name}.${operation.name}`
      it(`${name} has an example that fits its schema, has a price, and can be written`, () => {
        assert.isDefined(operation.example)
        assert.deepStrictEqual(valid(operation.payload_schema, operation.example), [])
        if (operation.price.type !== "tokens") {
          assert.isTrue(Result.isSuccess(ceilingOf(operation.price, operation.example)))
        }
        const values = { payload: operation.example, requestId: "req_1", callbackUrl: "https://hub.example/x" }
        assert.deepStrictEqual(requestProblems(definition, operation, values), [])
      })

      it(`${name} answers a test key with a value that its response schema allows, always the same`, async () => {
        const call = {
          requestId: "req_1",
          orgId: "org_1",
          agent: { id: "agt_1", name: "Scout" },
          service: definition.name,
          operation: operation.name,
          payload: operation.example,
          timeoutMs: 1000,
          ceilingCents: 1,
          secretOf: () => Effect.succeed(undefined),
          appOf: () => Effect.succeed({ kind: "missing", detail: "No app." })
        } satisfies AdapterCall
        const [first, second] = [
          await Effect.runPromise(mockAdapter.execute(definition, call)),
          await Effect.runPromise(mockAdapter.execute(definition, call))
        ]
        assert.deepStrictEqual(first, second)
        assert.strictEqual(first.kind, "executed")
        if (first.kind === "executed") assert.deepStrictEqual(valid(operation.response_schema, first.result), [])
      })
    }
  }

  it("fails to load with the name of a file that is not a service", () => {
    const dir = mkdtempSync(join(tmpdir(), "catalog-"))
    try {
      for (
        const text of [
          "{",
          "{}",
          JSON.stringify({ ...services.get("echo"), surplus: 1 }),
          JSON.stringify({ ...services.get("search"), base_url: "ftp://x" })
        ]
      ) {
        writeFileSync(join(dir, "broken.json"), text)
        assert.throws(() => readShippedServices(dir), /broken\.json/)
      }
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})

describe("the price of llm.chat", () => {
  const chat = operationOf(services.get("llm")!, "chat")!
  const table = makeTable(readSnapshot().data)
  const price = chat.price.type === "tokens" ? chat.price : undefined

  for (const model of ["gpt-4o", "openai/gpt-4.1-mini", "anthropic/claude-sonnet-4.5", "another-model"]) {
    it(`covers for ${model} the cost of the most tokens that the payload can cause`, () => {
      const rates = table.ratesOf(model) ?? defaultRatesOf(price!)!
      for (const content of ["hello", "zażółć gęślą jaźń ".repeat(30_000)]) {
        for (const maxTokens of [undefined, 1, 200_000]) {
          const payload = {
            model,
            messages: [{ role: "user", content }, { role: "assistant", content }],
            ...maxTokens === undefined ? {} : { max_tokens: maxTokens }
          }
          const input = 2 * Buffer.byteLength(content) + 2 * 16 + 64
          const output = maxTokens ?? maxTokensDefault
          const ceiling = Result.getOrThrow(tokensCeiling(price!, tokenBoundsOf(payload), table.ratesOf))
          for (const written of [0, input]) {
            for (const tokens of [1, input]) {
              const most = microCentsOf(rates, {
                ...noTokens,
                input: tokens,
                written: Math.min(written, tokens),
                output
              })
              assert.isAtMost(most, ceiling * 1e6, `${written} ${tokens}`)
            }
          }
          assert.isAtLeast(ceiling, 1)
        }
      }
    })
  }

  it("refuses a model without a price when the operator has set no default", () => {
    const bounds = tokenBoundsOf({ model: "another-model", messages: [] })
    const refused = tokensCeiling({ type: "tokens" }, bounds, table.ratesOf)
    assert.isTrue(Result.isFailure(refused))
    if (Result.isFailure(refused)) assert.include(refused.failure.message, "another-model")
  })
})

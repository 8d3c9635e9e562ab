import type { Mode } from "@countersign/domain/auth"
import type { ServiceDefinition } from "@countersign/domain/services"
import { readShippedServices } from "@countersign/hub/catalog/shipped"
import type { Adapter } from "@countersign/hub/providers/adapter"
import { Adapters, providersLayer, type ProviderSettings } from "@countersign/hub/providers/adapters"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { httpUpstream } from "../../support/upstream.ts"

const bare: ProviderSettings = { egressAllow: [], smtpUrl: Option.none(), mailFrom: Option.none(), llm: Option.none() }
const shipped = readShippedServices()

const run = (
  definition: ServiceDefinition, operation: string, payload: unknown, mode: Mode = "live", settings = bare, builtins: Record<string, Adapter> = {}
) =>
  Effect.gen(function*() {
    const adapters = yield* Adapters
    return yield* adapters.adapterOf(definition, mode).execute(definition, {
      requestId: "req_1", orgId: "org_1", service: definition.name, operation, payload, timeoutMs: 20_000, ceilingCents: 1,
      secretOf: () => Effect.succeed(undefined)
    })
  }).pipe(Effect.provide(providersLayer(settings, builtins), { local: true }))

describe("which adapter does the work", () => {
  it.live("echo says it back, live and test", () => Effect.gen(function*() {
    for (const mode of ["live", "test"] as const) {
      assert.deepStrictEqual(yield* run(shipped.get("echo")!, "say", { a: "\u0000" }, mode), { kind: "executed", result: { echo: { a: "\u0000" } } })
    }
  }))

  it.live("a test key reaches no network", () => Effect.gen(function*() {
    const server = yield* httpUpstream((_, response) => response.end("{}"))
    const settings = { ...bare, egressAllow: ["127.0.0.1"] }
    const outcome = yield* run(shipped.get("http")!, "fetch", { url: server.origin }, "test", settings)
    assert.strictEqual(outcome.kind, "executed")
    assert.strictEqual(server.received.length, 0)
    assert.strictEqual((yield* run(shipped.get("http")!, "fetch", { url: server.origin }, "live", settings)).kind, "executed")
    assert.strictEqual(server.received.length, 1)
  }))

  it.live("the operator's model provider may be inner, and nothing else gets there by it", () => Effect.gen(function*() {
    const server = yield* httpUpstream((_, response) => response.end("{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}"))
    const settings = { ...bare, llm: Option.some({ baseUrl: `${server.origin}/v1`, apiKey: Option.none() }) }
    assert.deepInclude(yield* run(shipped.get("llm")!, "chat", { model: "gpt-4o-mini", messages: [] }, "live", settings), { kind: "executed", actual: 0.000075 })
    assert.strictEqual((yield* run(shipped.get("http")!, "fetch", { url: server.origin }, "live", settings)).kind, "failed")
    assert.strictEqual(server.received.length, 1)
  }))

  it.live("a further builtin is found by its name, an unknown one is failed", () => Effect.gen(function*() {
    const definition: ServiceDefinition = { name: "device", kind: "builtin", adapter: "device", operations: [] }
    const device: Adapter = { execute: () => Effect.succeed({ kind: "running", ref: "dev_1" }) }
    assert.deepStrictEqual(yield* run(definition, "run", {}, "live", bare, { device }), { kind: "running", ref: "dev_1" })
    assert.strictEqual((yield* run(definition, "run", {})).kind, "failed")
  }))
})

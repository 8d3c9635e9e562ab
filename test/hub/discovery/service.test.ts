import { Outcome } from "@countersign/domain/device-protocol"
import { compileSchema } from "@countersign/domain/json-schema"
import { failureCodes } from "@countersign/domain/outcomes"
import { ClockRepository } from "@countersign/hub/clock/repository"
import { ClockWatch } from "@countersign/hub/clock/watch"
import { parseConfig, Settings } from "@countersign/hub/config"
import { agentDocs } from "@countersign/hub/discovery/agent-docs"
import { DiscoveryRepository } from "@countersign/hub/discovery/repository"
import { Discovery } from "@countersign/hub/discovery/service"
import { matches } from "@countersign/hub/edge/etag"
import { newestMigration } from "@countersign/hub/platform/migrations"
import { Readiness } from "@countersign/hub/platform/readiness"
import { httpRequests } from "@countersign/hub/platform/telemetry"
import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect, Layer, Metric, Result } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PgTest } from "../../support/pg.ts"

const config = parseConfig({ HUB_PUBLIC_URL: "https://hub.example.test" }, { projectDir: "/tmp", terminal: false })
const Live = Discovery.layer.pipe(
  Layer.provideMerge(ClockWatch.layer.pipe(Layer.provide(ClockRepository.layer))),
  Layer.provideMerge(Layer.mergeAll(Settings.layerOf(config), Readiness.layerOf("serving"), DiscoveryRepository.layer)),
  Layer.provideMerge(PgTest)
)

interface Docs extends ReturnType<typeof agentDocs> {}

describe("a version in If-None-Match", () => {
  plain("is recognised in a list, weak or strong, and as any", () => {
    for (const header of ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*", " \"b\" ,W/\"a\" "]) {
      assert.isTrue(matches(header, "\"a\""), header)
    }
    for (const header of [undefined, "", "a", "\"b\"", "\"a", "W/\"b\""]) {
      assert.isFalse(matches(header, "\"a\""), header)
    }
  })
})

layer(Live, { excludeTestServices: true })("discovery", (it) => {
  it.effect("agent docs list every shipped service with schema, price, and a valid example", () =>
    Effect.gen(function*() {
      const document = (yield* Discovery).agentDocs()
      const docs = JSON.parse(document.body) as Docs
      assert.strictEqual(docs.base_url, "https://hub.example.test/api/v1")
      assert.include(docs.services.map(({ name }) => name), "echo")
      for (const service of docs.services) {
        for (const operation of service.operations) {
          const compiled = compileSchema(operation.payload_schema, "payload_schema")
          assert.isTrue(Result.isSuccess(compiled), `${service.name}.${operation.name}`)
          assert.deepInclude(operation.example, { service: service.name, operation: operation.name })
          assert.property(operation, "price")
        }
      }
      assert.isAtLeast(docs.endpoints.length, 40)
      assert.deepInclude(docs.endpoints.find(({ id }) => id === "service_requests.dispatch")!, {
        method: "POST",
        path: "/api/v1/service-requests",
        credential: "agent key"
      })
      assert.notInclude(document.body, "base_url\":\"http://127")
      assert.match(document.etag, /^"[\w-]{27}"$/)
    }))

  it.effect("agent docs list every code of an answer to a request or an approval", () =>
    Effect.gen(function*() {
      const document = (yield* Discovery).agentDocs()
      const { dispatch: { outcomes }, errors } = JSON.parse(document.body) as Docs
      assert.includeMembers(Object.keys(outcomes.blocked.reason_codes), [
        "policy_violation",
        "spending_frozen",
        "daily_limit_exceeded",
        "monthly_budget_exceeded",
        "agent_budget_exceeded",
        "task_budget_exceeded",
        "insufficient_balance",
        "approval_rejected",
        "approval_expired",
        "approval_cancelled",
        "approval_stale"
      ])
      assert.includeMembers(Object.keys(outcomes.failed.codes), [
        "adapter_error",
        "fate_unknown",
        "agent_disabled",
        "interrupted",
        "invalid_request",
        "cancelled",
        "settled_failed",
        "device_failed"
      ])
      assert.includeMembers(errors.codes.map(({ code }) => code), [
        "idempotency_conflict",
        "idempotency_in_progress",
        "approval_not_pending",
        "already_approved",
        "digest_mismatch",
        "standing_not_allowed",
        "separation_of_duties",
        "step_up_required",
        "not_cancellable",
        "not_running",
        "already_settled",
        "last_owner"
      ])
    }))

  it.effect("agent docs tell when a failed request may have been executed", () =>
    Effect.gen(function*() {
      const { failed } = (JSON.parse((yield* Discovery).agentDocs().body) as Docs).dispatch.outcomes
      for (const text of [failed.next, failed.codes.interrupted, failed.codes.fate_unknown]) {
        assert.include(text, "unknown")
        assert.match(text ?? "", /new idempotency-key/u)
        assert.match(text ?? "", /twice/u)
      }
    }))

  it.effect("every failure code in the hub's sources is in the document, with those of device commands", () =>
    Effect.sync(() => {
      const root = join(import.meta.dirname, "../../../apps/hub/src")
      const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
      const used = sources.flatMap((file) =>
        [
          ...readFileSync(join(root, file), "utf8").matchAll(
            /failedResult\("([a-z_]+)"|kind: "failed"(?: as const)?,\s+code: "([a-z_]+)"/g
          )
        ]
          .map(([, plain, decided]) => plain ?? decided ?? "")
      )
      assert.isAbove(used.length, 5)
      const devices = Outcome.literals.filter((outcome) => outcome !== "succeeded").map((outcome) =>
        `device_${outcome}`
      )
      assert.deepStrictEqual(
        [...new Set([...used, ...devices])].filter((code) => !Object.hasOwn(failureCodes, code)),
        []
      )
    }))

  it.effect("liveness returns the hub's id, which does not change", () =>
    Effect.gen(function*() {
      const { health } = yield* Discovery
      const again = yield* Effect.flatMap(DiscoveryRepository, ({ hubId }) => hubId)
      assert.deepInclude(health, { status: "ok", version: "0.2.0", min_app_version: "0.1.0" })
      assert.strictEqual(health.hub_id, again)
    }))

  it.effect("is ready while all checks pass, and names failures: silent workers, a missing migration, a stopping hub", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { ready } = yield* Discovery
      const readiness = yield* Readiness
      readiness.beat("sweeper", 60_000)
      assert.strictEqual((yield* ready).status, "ready")
      readiness.beat("poller", -1)
      yield* sql`delete from migrations where migration_id = ${newestMigration()}`
      readiness.drain()
      const { error } = yield* Effect.flip(ready)
      assert.deepInclude(error, { code: "unavailable" })
      for (const reason of ["the hub is stopping", "poller", `this hub needs ${newestMigration()}`]) {
        assert.include(error.message, reason)
      }
      assert.deepStrictEqual(
        (error.data!["checks"] as ReadonlyArray<{ name: string; ok: boolean }>).map(({ name, ok }) => [name, ok]),
        [
          ["serving", false],
          ["database", true],
          ["migrations", false],
          ["clock", true],
          ["disk", true],
          ["workers", false]
        ]
      )
    }))

  it.effect("metrics are in Prometheus' text format", () =>
    Effect.gen(function*() {
      yield* Metric.update(Metric.withAttributes(httpRequests, { method: "GET", route: "/", status: "299" }), 1)
      const text = yield* (yield* Discovery).metrics
      assert.match(text, /# TYPE countersign_http_requests_total counter\n/)
      assert.match(text, /countersign_http_requests_total\{method="GET",route="\/",status="299"\} 1\n/)
      assert.match(text, /process_resident_memory_bytes \d+/)
    }))
})

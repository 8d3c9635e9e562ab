import { rotateDemoKey } from "@countersign/hub/demo/rotation"
import { ensureDemo } from "@countersign/hub/demo/workspace"
import { Doctor, doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { firstOwner, type HubInTest, startHub } from "../../support/hub.ts"
import { freshDatabase } from "../../support/pg.ts"

const say = { service: "echo", operation: "say", payload: { text: "hello" } }
const workspaces = (hub: HubInTest, cookie: string) =>
  Effect.map(
    hub.api("GET", "/workspaces", { cookie }),
    ({ body }) => body.data as ReadonlyArray<{ readonly id: string; readonly name: string }>
  )

const demoOf = Effect.fnUntraced(function*(hub: HubInTest, cookie: string) {
  const demo = (yield* workspaces(hub, cookie)).find(({ name }) => name === "Demo")
  return { cookie, headers: { "svc-workspace": demo?.id ?? "none" } }
})

const outcomes = (requests: ReadonlyArray<{ readonly status: string; readonly reason_code?: string }>) =>
  requests.map(({ reason_code, status }) => [status, reason_code].filter(Boolean).join(" ")).reverse()

const history = [
  "executed",
  "executed",
  "executed",
  "executed",
  "executed",
  "executed",
  "executed",
  "executed",
  "blocked monthly_budget_exceeded",
  "executed",
  "blocked policy_violation",
  "approval_required approval_threshold",
  "approval_required approval_threshold",
  "executed"
]

describe("the workspace Demo", () => {
  it.live("has funds, agents, services, a rule, and a history, and the first owner joins it", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const key = Option.getOrThrow(yield* hub.run(ensureDemo({ asked: false }))).apiKey
      const owner = yield* firstOwner(hub)
      assert.deepStrictEqual((yield* workspaces(hub, owner.cookie)).map(({ name }) => name).sort(), ["Default", "Demo"])
      const call = yield* demoOf(hub, owner.cookie)
      const [requests, approvals, agents, policies, balance] = yield* Effect.all(
        ["/service-requests", "/approvals", "/agents", "/policies", "/balance"].map((path) =>
          hub.api("GET", path, call)
        )
      )
      assert.deepStrictEqual(outcomes(requests!.body.data), history)
      assert.deepStrictEqual(approvals!.body.data.map(({ service }: { service: string }) => service), [
        "flights",
        "refunds"
      ])
      assert.deepStrictEqual(approvals!.body.data[1].payload.card_ending, { $masked: true })
      assert.deepStrictEqual(agents!.body.data.map(({ name }: { name: string }) => name), ["Concierge", "Scout"])
      assert.lengthOf(policies!.body.data, 1)
      assert.strictEqual(
        balance!.body.balance_cents,
        25_000 -
          requests!.body.data.reduce((sum: number, { cost_cents }: { cost_cents: number }) => sum + cost_cents, 0)
      )
      const tried = yield* hub.api("POST", "/service-requests", { key, body: say })
      assert.deepStrictEqual([tried.status, tried.body.status, tried.body.result], [200, "executed", {
        echo: say.payload
      }])
      const found = yield* hub.run(Effect.provide(doctor, Doctor.layer.pipe(Layer.provide(DoctorRepository.layer))))
      assert.deepStrictEqual(found.filter(({ bad }) => bad > 0), [])
    }))

  it.live("leaves enough funds to approve both pending requests", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      yield* hub.run(ensureDemo({ asked: false }))
      const owner = yield* firstOwner(hub)
      const call = yield* demoOf(hub, owner.cookie)
      for (const { id } of (yield* hub.api("GET", "/approvals", call)).body.data) {
        const decided = yield* hub.api("POST", `/approvals/${id}/approve`, call)
        assert.deepStrictEqual([decided.status, decided.body.service_request.status], [200, "executed"])
      }
    }))

  it.live("is shown to no agent and no person of another workspace", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      yield* hub.run(ensureDemo({ asked: false }))
      const owner = yield* firstOwner(hub)
      const here = yield* hub.api("GET", "/services", { cookie: owner.cookie })
      const names: ReadonlyArray<string> = here.body.data.map(({ name }: { name: string }) => name)
      assert.include(names, "echo")
      assert.notIncludeMembers([...names], ["flights", "images", "refunds"])
    }))

  it.live("is created once: a later start returns no key and adds nothing", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      assert.isTrue(Option.isSome(yield* hub.run(ensureDemo({ asked: true }))))
      assert.isTrue(Option.isNone(yield* hub.run(ensureDemo({ asked: true }))))
      assert.isTrue(Option.isNone(yield* hub.run(ensureDemo({ asked: false }))))
      const owner = yield* firstOwner(hub)
      assert.deepStrictEqual(
        outcomes((yield* hub.api("GET", "/service-requests", yield* demoOf(hub, owner.cookie))).body.data),
        history
      )
    }))

  it.live("is not created on a hub that has a workspace, unless requested; then its first person owns it", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const owner = yield* firstOwner(hub)
      assert.isTrue(Option.isNone(yield* hub.run(ensureDemo({ asked: false }))))
      assert.lengthOf(yield* workspaces(hub, owner.cookie), 1)
      assert.isTrue(Option.isSome(yield* hub.run(ensureDemo({ asked: true }))))
      assert.lengthOf(yield* workspaces(hub, owner.cookie), 2)
    }))

  it.live("is created by one of two hubs that start at once on one database", () =>
    Effect.gen(function*() {
      const database = yield* freshDatabase
      const hubs = yield* Effect.all([startHub({ database }), startHub({ database })], { concurrency: 2 })
      const made = yield* Effect.forEach(hubs, (hub) => hub.run(ensureDemo({ asked: true })), { concurrency: 2 })
      assert.lengthOf(made.filter(Option.isSome), 1)
      const owner = yield* firstOwner(hubs[0])
      assert.lengthOf(yield* workspaces(hubs[0], owner.cookie), 2)
      assert.deepStrictEqual(
        outcomes((yield* hubs[1].api("GET", "/service-requests", yield* demoOf(hubs[1], owner.cookie))).body.data),
        history
      )
    }))

  it.live("whose history was interrupted is completed without repetition, and a key that was never shown is replaced", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const unseen = Option.getOrThrow(yield* hub.run(ensureDemo({ asked: false }))).apiKey
      // The state that a killed hub leaves: not finished, with two requests missing.
      yield* hub.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update demo set finished = false`
        yield* sql`delete from idempotency_keys where key in ('demo-12', 'demo-14')`
      }))
      const key = Option.getOrThrow(yield* hub.run(ensureDemo({ asked: false }))).apiKey
      const owner = yield* firstOwner(hub)
      const requests = (yield* hub.api("GET", "/service-requests", yield* demoOf(hub, owner.cookie))).body.data
      assert.deepStrictEqual(outcomes(requests), [...history, "approval_required approval_threshold", "executed"])
      assert.strictEqual((yield* hub.api("POST", "/service-requests", { key: unseen, body: say })).status, 401)
      assert.strictEqual((yield* hub.api("POST", "/service-requests", { key, body: say })).body.status, "executed")
    }))

  it.live("gives its agent a new key, and the old one ends on every hub", () =>
    Effect.gen(function*() {
      const database = yield* freshDatabase
      const [one, other] = yield* Effect.all([startHub({ database }), startHub({ database })])
      const old = Option.getOrThrow(yield* one.run(ensureDemo({ asked: true }))).apiKey
      assert.strictEqual(
        (yield* other.api("POST", "/service-requests", { key: old, body: say })).body.status,
        "executed"
      )
      const { apiKey } = Option.getOrThrow(yield* one.run(rotateDemoKey))
      assert.strictEqual((yield* other.api("POST", "/service-requests", { key: old, body: say })).status, 401)
      assert.strictEqual(
        (yield* other.api("POST", "/service-requests", { key: apiKey, body: say })).body.status,
        "executed"
      )
    }))

  it.live("returns no key if it was never created", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      assert.isTrue(Option.isNone(yield* hub.run(rotateDemoKey)))
    }))
})

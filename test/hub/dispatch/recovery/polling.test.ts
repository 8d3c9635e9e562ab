/**
 * Polls of providers: bounded, fair between workspaces and operations, and independent of each other.
 * Spec: reference/requests.md "Asynchronous operations".
 */
import { Db } from "@countersign/hub/platform/db"
import { OrgHeads } from "@countersign/hub/platform/org-heads"
import { eachWorkspace } from "@countersign/hub/platform/rounds"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { until } from "../../../support/health.ts"
import { firstOwner, type HubInTest, HubTest, makeAgent, startHub, TestHub } from "../../../support/hub.ts"
import type { PersonInTest } from "../../../support/people.ts"
import { makePolledService, makeTenant } from "../../../support/silent-provider.ts"

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })("polling", (it) => {
  const sql = <A extends object>(statement: string, ...parameters: ReadonlyArray<unknown>) =>
    Effect.flatMap(
      TestHub,
      (hub) =>
        hub.run(
          Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe<A>(statement, [...parameters])))
        )
    )

  it.effect("continues for other workspaces and operations while 120 polls of one provider stay unanswered", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const silent = yield* makePolledService(hub, hub.owner, () => undefined, { name: "silent" })
      yield* silent.start(120)
      yield* until("polls of the silent provider are open", Effect.sync(() => silent.open() >= 8))
      const answered = (poll: number) => poll < 3 ? { state: "working" } : { state: "done" }
      const sibling = yield* makePolledService(hub, hub.owner, answered, { name: "sibling" })
      const other = yield* makePolledService(hub, yield* makeTenant(hub), answered, { name: "other" })
      const before = silent.polls()
      yield* Effect.forEach(
        [sibling, other],
        Effect.fnUntraced(function*(service) {
          const [id] = yield* service.start(1)
          const done = yield* hub.api("GET", `/service-requests/${id}?wait=30`, { key: service.agent.key })
          assert.deepStrictEqual([service.name, done.body.status, service.polls()], [service.name, "executed", 3])
        }),
        { concurrency: "unbounded", discard: true }
      )
      assert.isAtLeast(silent.open(), 8, "the silent provider was silent all the while")
      assert.isBelow(silent.polls() - before, 120)
      assert.strictEqual((yield* hub.api("GET", "/ready")).status, 200)
    }))

  it.effect("abandons a poll after the operation's own timeout and repeats it", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const slow = yield* makePolledService(
        hub,
        yield* makeTenant(hub),
        (poll) => poll === 1 ? undefined : { state: "done" },
        { timeoutMillis: 300 }
      )
      const [id] = yield* slow.start(1)
      const done = yield* hub.api("GET", `/service-requests/${id}?wait=30`, { key: slow.agent.key })
      assert.deepStrictEqual([done.body.status, slow.polls(), slow.open()], ["executed", 2, 0])
    }))

  it.effect("leaves a request to the hub that leased it until the lease expires", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const service = yield* makePolledService(hub, yield* makeTenant(hub), () => ({ state: "working" }))
      const [leased] = yield* service.start(1)
      yield* sql(
        "update holds set leased_until = clock_timestamp() + interval '1 hour', due_at = clock_timestamp() where request_id = $1",
        leased
      )
      yield* service.start(1)
      yield* until("the other request is polled twice", Effect.sync(() => service.pollsOf(2) >= 2))
      assert.strictEqual(service.pollsOf(1), 0)
      yield* sql(
        "update holds set leased_until = clock_timestamp() - interval '1 second' where request_id = $1",
        leased
      )
      yield* until("the request is polled once its lease has lapsed", Effect.sync(() => service.pollsOf(1) > 0))
    }))

  it.effect("releases the leases of a stopping hub, so that another hub continues at once", () =>
    Effect.gen(function*() {
      const env = { HUB_EGRESS_ALLOW: "127.0.0.1" }
      const first = yield* startHub({ env })
      const service = yield* makePolledService(
        first,
        yield* firstOwner(first),
        (poll) => poll === 1 ? undefined : { state: "done" }
      )
      const [id] = yield* service.start(1)
      yield* until("the first hub's poll is open", Effect.sync(() => service.open() === 1))
      const second = yield* startHub({ env, database: first.target })
      yield* first.stop
      const done = yield* second.api("GET", `/service-requests/${id}?wait=30`, { key: service.agent.key })
      assert.deepStrictEqual([done.body.status, service.polls()], ["executed", 2])
    }))

  it.effect("and the expiry of approvals continue for other workspaces while one is locked", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const answered = () => ({ state: "done" })
      const [lockedOwner, freeOwner] = [yield* makeTenant(hub), yield* makeTenant(hub)]
      const [locked, free] = [
        yield* makePolledService(hub, lockedOwner, answered),
        yield* makePolledService(hub, freeOwner, answered)
      ]
      const waiting = yield* Effect.forEach([lockedOwner, freeOwner], (owner) => pendingApproval(hub, owner))
      const [lockedRequest] = yield* locked.start(1)
      const [freeRequest] = yield* free.start(1)
      const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.forkChild(hub.run(Effect.flatMap(Db, (db) =>
        db.transaction(Effect.gen(function*() {
          yield* Effect.flatMap(OrgHeads, (heads) => heads.lock(lockedOwner.org))
          yield* Deferred.succeed(held, undefined)
          yield* Deferred.await(release)
        })))))
      yield* Deferred.await(held)
      const statusOf = (id: string | undefined) =>
        Effect.map(
          sql<{ status: string }>("select status from settlements where request_id = $1", id),
          ([row]) => row?.status
        )
      yield* sql("update approvals set expires_at = clock_timestamp() where request_id = any($1)", waiting)
      yield* until(
        "the free workspace's approval has expired",
        Effect.map(statusOf(waiting[1]), (status) => status === "blocked")
      )
      yield* until(
        "the free workspace's request is settled",
        Effect.map(statusOf(freeRequest), (status) => status === "executed")
      )
      assert.deepStrictEqual([yield* statusOf(waiting[0]), yield* statusOf(lockedRequest)], [undefined, undefined])
      assert.strictEqual((yield* hub.api("GET", "/ready")).status, 200)
      // A round of background work: a locked workspace or a failing item does not block the others.
      const done: Array<string> = []
      const items = [
        { org_id: lockedOwner.org, name: "locked" },
        { org_id: lockedOwner.org, name: "locked too" },
        { org_id: freeOwner.org, name: "fails" },
        { org_id: freeOwner.org, name: "free" }
      ]
      yield* hub.run(Effect.gen(function*() {
        const [db, heads] = [yield* Db, yield* OrgHeads]
        yield* eachWorkspace("items", items, ({ name, org_id }) =>
          db.transaction(Effect.gen(function*() {
            yield* heads.waitBriefly
            yield* heads.lock(org_id)
            if (name === "fails") return yield* Effect.die(name)
            done.push(name)
          })))
      }))
      assert.deepStrictEqual(done, ["free"])
      yield* Deferred.succeed(release, undefined)
      yield* until(
        "the locked workspace's approval has expired",
        Effect.map(statusOf(waiting[0]), (status) => status === "blocked")
      )
      yield* until(
        "the locked workspace's request is settled",
        Effect.map(statusOf(lockedRequest), (status) => status === "executed")
      )
    }))
})

/** A request that requires approval; returns its id. */
const pendingApproval = Effect.fnUntraced(function*(hub: HubInTest, owner: PersonInTest) {
  const { key } = yield* makeAgent(hub, owner, {
    bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
  })
  const answer = yield* hub.api("POST", "/service-requests", {
    key,
    body: { service: "echo", operation: "say", payload: {} }
  })
  assert.strictEqual(answer.body.status, "approval_required")
  return String(answer.body.id)
})

/** A hub that stops while devices and people have pending calls. */
import { drainSeconds } from "@countersign/hub/platform/readiness"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { makeDevice } from "../../support/device.ts"
import { spawnHub } from "../../support/hub-program.ts"
import { apiOf, cookieOf, expectStatus } from "../../support/hub.ts"
import { freshDatabase } from "../../support/pg.ts"

const owner = { email: "ada@countersign.test", password: "correct horse battery" }

describe("a hub that stops", () => {
  it.live("answers a long poll and ends an output stream without waiting for them", () =>
    Effect.gen(function*() {
      const hub = yield* spawnHub({
        database: yield* freshDatabase,
        env: { HUB_OWNER_EMAIL: owner.email, HUB_OWNER_PASSWORD: owner.password }
      })
      const as = { cookie: cookieOf(expectStatus(yield* hub.api("POST", "/auth/login", { body: owner }), 200)) }
      const device = yield* makeDevice(hub, as)
      const { session_id: session } = expectStatus(yield* device.heartbeat(), 200).body
      const { id } = expectStatus(
        yield* hub.api("POST", `/devices/sessions/${session}/commands`, {
          ...as,
          body: { tool: "shell.run", input: { argv: ["true"] } }
        }),
        201
      ).body
      const [leased] = expectStatus(yield* device.call("GET", `/devices/sessions/${session}/commands`), 200).body.data
      expectStatus(yield* device.call("POST", `/devices/commands/${id}/ack`, { lease: leased.lease.number }), 200)
      const stream = yield* Effect.promise(() =>
        fetch(`${hub.url}/api/v1/devices/commands/${id}/output`, { headers: { ...as, accept: "text/event-stream" } })
      )
      assert.strictEqual(stream.status, 200)
      const events = yield* Effect.forkChild(Effect.promise(() => stream.text()))
      // Each pending call has its own connection.
      const waiting = yield* Effect.forkChild(
        apiOf(hub.url)("GET", `/devices/sessions/${session}/commands?wait=50`, { key: device.key })
      )
      // The poll is pending: it gets a command that is queued now, and the device polls again.
      const second = expectStatus(
        yield* hub.api("POST", `/devices/sessions/${session}/commands`, {
          ...as,
          body: { tool: "shell.run", input: { argv: ["true"] } }
        }),
        201
      ).body
      assert.strictEqual((yield* Fiber.join(waiting)).body.data[0].id, second.id)
      const again = yield* Effect.forkChild(
        apiOf(hub.url)("GET", `/devices/sessions/${session}/commands?wait=50`, { key: device.key })
      )
      // The hub reads its connections in turn: after these calls it has read the poll. A later request may find its
      // connection closed.
      for (let turn = 0; turn < 5; turn++) expectStatus(yield* device.heartbeat(), 200)
      yield* hub.kill("SIGTERM")
      assert.deepStrictEqual(expectStatus(yield* Fiber.join(again), 200).body.data, [])
      assert.notInclude(yield* Fiber.join(events), "event: command")
      // Less than the drain time for requests in progress: the hub does not wait for idle connections.
      assert.deepStrictEqual(
        Option.getOrUndefined(yield* Effect.timeoutOption(hub.ended, (drainSeconds - 10) * 1_000)),
        { code: 0, signal: null }
      )
    }))
})

/** A hub that is told to stop while devices and people wait for something to happen. */
import { drainSeconds } from "@countersign/hub/platform/readiness"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { makeDevice } from "../../support/device.ts"
import { spawnHub } from "../../support/hub-program.ts"
import { apiOf, cookieOf, expectStatus } from "../../support/hub.ts"
import { freshDatabase } from "../../support/pg.ts"

const owner = { email: "ada@countersign.test", password: "correct horse battery" }

describe("a hub that stops", () => {
  it.live("answers a long poll and ends a stream of output, rather than wait for them", () =>
    Effect.gen(function*() {
      const hub = yield* spawnHub({
        database: yield* freshDatabase,
        env: { HUB_OWNER_EMAIL: owner.email, HUB_OWNER_PASSWORD: owner.password }
      })
      const as = { cookie: cookieOf(expectStatus(yield* hub.api("POST", "/auth/login", { body: owner }), 200)) }
      const device = yield* makeDevice(hub, as)
      const { session_id: session } = expectStatus(yield* device.heartbeat(), 200).body
      const { id } =
        expectStatus(
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
      const told = yield* Effect.forkChild(Effect.promise(() => stream.text()))
      // Answers that wait are of connections of their own.
      const waiting = yield* Effect.forkChild(
        apiOf(hub.url)("GET", `/devices/sessions/${session}/commands?wait=50`, { key: device.key })
      )
      // It waits: what is queued now reaches it, and it asks again.
      const second =
        expectStatus(
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
      // The hub reads its connections in turn: after these it has read the poll. A request that it reads later may find its connection closed.
      for (let turn = 0; turn < 5; turn++) expectStatus(yield* device.heartbeat(), 200)
      yield* hub.kill("SIGTERM")
      assert.deepStrictEqual(expectStatus(yield* Fiber.join(again), 200).body.data, [])
      assert.notInclude(yield* Fiber.join(told), "event: command")
      // Less than requests under way are given: it does not wait for idle connections.
      assert.deepStrictEqual(
        Option.getOrUndefined(yield* Effect.timeoutOption(hub.ended, (drainSeconds - 10) * 1_000)),
        { code: 0, signal: null }
      )
    }), 60_000)
})

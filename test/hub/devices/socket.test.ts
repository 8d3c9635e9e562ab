/** Devices on a socket: the same rules as over HTTP, and commands the moment they are queued; with two hubs. */
import { DeviceSockets } from "@countersign/hub/devices/sockets"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { connect, makeDevice } from "../../support/device.ts"
import { type Answer, expectStatus, HubTest, startHub, TestHub } from "../../support/hub.ts"

/** Repeats a read until its answer fits. */
const until = <A>(read: Effect.Effect<A>, enough: (answer: A) => boolean): Effect.Effect<A> =>
  Effect.repeat(read, { until: enough, schedule: Schedule.spaced("50 millis") })

const statusAndCode = ({ body, status }: Answer) => [status, body?.error?.code]
const hello = {
  type: "hello",
  min_protocol: 1,
  max_protocol: 1,
  app_version: "0.2.0",
  roots: ["/srv/work"],
  instance_id: "i1",
  boot_id: "b1"
}

layer(HubTest(), { excludeTestServices: true })("devices on a socket", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const device = yield* makeDevice(hub, hub.owner)
    const as = { cookie: hub.owner.cookie }
    const queue = (session: string, input: object = { argv: ["true"] }) =>
      Effect.map(
        hub.api("POST", `/devices/sessions/${session}/commands`, { ...as, body: { tool: "shell.run", input } }),
        (answer) => expectStatus(answer, 201).body
      )
    const read = (id: string) => Effect.map(hub.api("GET", `/devices/commands/${id}`, as), ({ body }) => body)
    return { ...hub, as, device, queue, read }
  })

  it.effect("get a command the moment it is queued, and report its end", () =>
    Effect.gen(function*() {
      const { device, queue, read, ...hub } = yield* world
      const socket = yield* connect(hub, device)
      socket.send({ ...hello, tools: ["shell.run"] })
      const welcome = yield* socket.next("welcome")
      assert.deepInclude(welcome, {
        protocol: 1,
        interval_seconds: 15,
        lease_ms: 30_000,
        kept: [],
        lost: [],
        controls: []
      })
      const { id } = yield* queue(welcome.session_id)
      const { command, lease } = yield* socket.next("command")
      assert.deepInclude(command, { id, tool: "shell.run" })
      socket.send({ type: "ack", command_id: id, lease: lease.number })
      assert.deepInclude(yield* socket.next("acked"), { command_id: id, status: "leased" })
      socket.send({ type: "state", command_id: id, lease: 1, state: "running" })
      assert.deepInclude(yield* socket.next("acked"), { status: "running" })
      socket.send({ type: "output", command_id: id, lease: 1, seq: 0, stream: "stdout", data: "hello" })
      assert.deepInclude(yield* socket.next("output_ack"), { command_id: id, next_seq: 1 })
      socket.send({ type: "output", command_id: id, lease: 1, seq: 5, stream: "stdout", data: "!" })
      const gap = yield* socket.next("error")
      assert.deepInclude(gap, { to: "output", command_id: id })
      assert.deepInclude(gap.error, { code: "seq_gap", data: { next_seq: 1 } })
      socket.send({ type: "done", command_id: id, lease: 1, outcome: "succeeded", exit_code: 0 })
      assert.deepInclude(yield* socket.next("done"), { command_id: id, status: "done", outcome: "succeeded" })
      assert.deepInclude(yield* read(id), { status: "done", output_bytes: 5 })
      // While the socket delivers, a poll gets no command.
      assert.deepStrictEqual(
        statusAndCode(yield* device.call("GET", `/devices/sessions/${welcome.session_id}/commands`)),
        [
          409,
          "socket_active"
        ]
      )
    }))

  it.effect("end a pending poll when a socket begins to deliver, or when a newer start takes over", () =>
    Effect.gen(function*() {
      const { device, queue, ...hub } = yield* world
      const { body } = expectStatus(yield* device.heartbeat({ instance_id: "i1", boot_id: "b1" }), 200)
      const poll = (boot: string) =>
        device.call("GET", `/devices/sessions/${body.session_id}/commands?wait=50&boot_id=${boot}`)
      const waiting = yield* Effect.forkChild(poll("b1"))
      const socket = yield* connect(hub, device)
      socket.send(hello)
      yield* socket.next("welcome")
      assert.deepStrictEqual(statusAndCode(yield* Fiber.join(waiting)), [409, "socket_active"])
      const { id } = yield* queue(body.session_id)
      assert.strictEqual((yield* socket.next("command")).command.id, id)
      socket.close()
      yield* socket.closed

      const older = yield* Effect.forkChild(until(poll("b1"), (answer) => statusAndCode(answer)[1] !== "socket_active"))
      expectStatus(yield* device.heartbeat({ instance_id: "i1", boot_id: "b2" }), 200)
      assert.deepStrictEqual(statusAndCode(yield* Fiber.join(older)), [409, "superseded"])
      // The superseded start is refused whether or not the hub has registered the close of its socket.
      const newer = yield* until(poll("b2"), (answer) => statusAndCode(answer)[1] !== "socket_active")
      assert.strictEqual(expectStatus(newer, 200).body.data[0].id, id)
      assert.strictEqual((yield* poll("a boot")).status, 400)
    }))

  it.effect("can upgrade only with the device's own key; an invalid hello or another protocol closes with 4406", () =>
    Effect.gen(function*() {
      const { api, device, owner, ...hub } = yield* world
      const other = yield* makeDevice({ api }, owner)
      const upgrade = (id: string, key: string) => Effect.exit(Effect.scoped(connect(hub, { id, key })))
      for (
        const [id, key] of [[device.id, "svc_device_live_wrong"], [device.id, other.key], [
          device.id,
          "agent_key_live_x"
        ]] as const
      ) {
        assert.strictEqual((yield* upgrade(id, key))._tag, "Failure")
      }
      assert.strictEqual((yield* api("GET", `/devices/${device.id}/connect`, { key: device.key })).status, 426)
      assert.deepStrictEqual(statusAndCode(yield* api("GET", `/devices/${device.id}/connect`)), [401, "unauthorized"])
      for (
        const first of [{ type: "heartbeat" }, { ...hello, min_protocol: 2, max_protocol: 3 }, "{", "\u0000", {
          type: "hello"
        }]
      ) {
        const socket = yield* connect(hub, device)
        socket.send(first)
        assert.strictEqual((yield* socket.closed).code, 4406)
      }
    }))

  it.effect("get a cancel, a pause and a revoke at once; a revoke closes the socket with 4003", () =>
    Effect.gen(function*() {
      const { api, as, device, queue, read, ...hub } = yield* world
      const socket = yield* connect(hub, device)
      socket.send(hello)
      const { session_id } = yield* socket.next("welcome")
      const { id } = yield* queue(session_id)
      yield* socket.next("command")
      socket.send({ type: "ack", command_id: id, lease: 1 })
      yield* socket.next("acked")
      yield* api("POST", `/devices/commands/${id}/cancel`, as)
      assert.deepStrictEqual(yield* socket.next("cancel"), { type: "cancel", command_id: id })
      socket.send({ type: "done", command_id: id, lease: 1, outcome: "cancelled" })
      yield* socket.next("done")
      assert.strictEqual((yield* read(id)).status, "cancelled")
      yield* api("PATCH", `/devices/${device.id}`, { ...as, body: { state: "paused" } })
      assert.deepStrictEqual((yield* socket.next("control")).control, { type: "pause" })
      yield* api("DELETE", `/devices/${device.id}`, as)
      assert.strictEqual((yield* socket.closed).code, 4003)
    }))

  it.effect("lose an older start's socket with 4001; the same start on a new socket keeps its running commands", () =>
    Effect.gen(function*() {
      const { device, queue, read, ...hub } = yield* world
      const first = yield* connect(hub, device)
      first.send(hello)
      const { session_id } = yield* first.next("welcome")
      const { id } = yield* queue(session_id)
      yield* first.next("command")
      first.send({ type: "ack", command_id: id, lease: 1 })
      yield* first.next("acked")
      const again = yield* connect(hub, device)
      again.send({ ...hello, running: [{ command_id: id, lease: 1 }] })
      assert.deepInclude(yield* again.next("welcome"), { kept: [id], lost: [], session_id })
      const newer = yield* connect(hub, device)
      newer.send({ ...hello, boot_id: "b2", running: [] })
      yield* newer.next("welcome")
      assert.strictEqual((yield* again.closed).code, 4001)
      assert.deepInclude(yield* read(id), { status: "done", outcome: "interrupted" })
      const stale = yield* connect(hub, device)
      stale.send(hello)
      assert.strictEqual((yield* stale.closed).code, 4001)
    }))

  it.effect("lose their socket on another hub after a revoke; a stopping hub closes with 1012", () =>
    Effect.gen(function*() {
      const { api, as, device, owner, target } = yield* world
      const second = yield* startHub({ database: target })
      const there = yield* connect(second, device)
      there.send(hello)
      const { session_id } = yield* there.next("welcome")
      // Queued on one hub, delivered by the other.
      expectStatus(
        yield* api("POST", `/devices/sessions/${session_id}/commands`, {
          ...as,
          body: { tool: "shell.run", input: { argv: ["true"] } }
        }),
        201
      )
      yield* there.next("command")
      yield* api("DELETE", `/devices/${device.id}`, as)
      assert.strictEqual((yield* there.closed).code, 4003)
      const another = yield* makeDevice({ api }, owner)
      const leaving = yield* connect(second, another)
      leaving.send(hello)
      yield* leaving.next("welcome")
      yield* second.run(Effect.flatMap(DeviceSockets, ({ endAll }) => endAll))
      assert.strictEqual((yield* leaving.closed).code, 1012)
    }))

  it.effect("get no command for a tool without a grant, even if a row has one", () =>
    Effect.gen(function*() {
      const { device, run } = yield* world
      const forced = yield* run(
        Effect.exit(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update devices set granted = '{}' where id = ${device.id}`)
        )
      )
      assert.strictEqual(forced._tag, "Failure")
    }))
})

/** A device at rest on a socket: its heartbeats keep it online, and changes in them are recorded as usual. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { connect, makeDevice } from "../../support/device.ts"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"

const until = <A>(read: Effect.Effect<A>, enough: (answer: A) => boolean): Effect.Effect<A> =>
  Effect.repeat(read, { until: enough, schedule: Schedule.spaced("30 millis") })

const copy = { app_version: "0.2.0", instance_id: "i1", boot_id: "b1", roots: ["/srv/work"] }
const hello = { type: "hello", min_protocol: 1, max_protocol: 1, ...copy }
const beat = { type: "heartbeat", status: "online", running: [], load: { busy: 1 }, ...copy }

layer(HubTest(), { excludeTestServices: true })("a device at rest", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const device = yield* makeDevice(hub, hub.owner)
    const as = { cookie: hub.owner.cookie }
    const socket = yield* connect(hub, device)
    socket.send({ ...hello, status: "online" })
    const { session_id: session } = yield* socket.next("welcome")
    const read = Effect.map(hub.api("GET", `/devices/${device.id}`, as), ({ body }) => body)
    const sql = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
      hub.run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, statement)))
    /** Simulates silence for so many seconds. */
    const silent = (seconds: number) =>
      Effect.andThen(
        sql((sql) =>
          sql`update devices set heard_at = heard_at - ${seconds}::int * interval '1 second' where id = ${device.id}`
        ),
        sql((sql) =>
          sql`update device_sessions set heard_at = heard_at - ${seconds}::int * interval '1 second' where id = ${session}`
        )
      )
    return { ...hub, hub, device, as, socket, session: session as string, read, sql, silent }
  })

  it.effect("is online by its heartbeats, keeps its session, and gets no message", () =>
    Effect.gen(function*() {
      const { read, session, silent, socket, sql, device } = yield* world
      yield* silent(30)
      yield* sql((sql) =>
        sql`update devices set socket_until = clock_timestamp() + interval '5 seconds' where id = ${device.id}`
      )
      assert.strictEqual((yield* read).presence, "late")
      socket.send(beat)
      const now = yield* until(read, ({ presence }) => presence === "online")
      assert.deepInclude(now.session, { id: session, status: "online" })
      assert.deepStrictEqual(now.load, { busy: 1 })
      const [row] = (yield* sql((sql) =>
        sql`select socket_until > clock_timestamp() + interval '40 seconds' as held from devices
      where id = ${device.id}`
      )) as ReadonlyArray<{ readonly held: boolean }>
      assert.isTrue(row?.held)
    }))

  it.effect("records a change in a heartbeat (roots, tools, a pause, a newer version) and gets pending commands", () =>
    Effect.gen(function*() {
      const { api, as, read, session, socket, device } = yield* world
      socket.send({ ...beat, roots: ["/srv/other"] })
      yield* until(read, (now) => now.session.roots[0] === "/srv/other")
      socket.send({ ...beat, capabilities: ["shell.run"] })
      yield* until(read, ({ capabilities }) => capabilities.length === 1)
      socket.send({ ...beat, app_version: "0.3.0" })
      yield* until(read, ({ app_version }) => app_version === "0.3.0")
      socket.send({ ...beat, status: "paused" })
      yield* until(read, ({ paused_by }) => paused_by === "device")
      socket.send(beat)
      yield* until(read, ({ state }) => state === "active")
      yield* api("PATCH", `/devices/${device.id}`, { ...as, body: { state: "draining" } })
      assert.deepStrictEqual((yield* socket.next("control")).control, { type: "drain" })
      socket.send(beat)
      yield* api("PATCH", `/devices/${device.id}`, { ...as, body: { state: "active" } })
      const { body } = expectStatus(
        yield* api("POST", `/devices/sessions/${session}/commands`, {
          ...as,
          body: { tool: "shell.run", input: { argv: ["true"] } }
        }),
        201
      )
      socket.send(beat)
      const { command, lease } = yield* socket.next("command")
      assert.strictEqual(command.id, body.id)
      socket.send({ type: "ack", command_id: command.id, lease: lease.number })
      yield* socket.next("acked")
      // It reports that it runs nothing, although it has commands.
      socket.send({ ...beat, running: [{ command_id: command.id, lease: 7 }] })
      assert.deepStrictEqual(yield* socket.next("cancel"), { type: "cancel", command_id: command.id, lost: true })
    }))

  it.effect("is closed after too long a silence, and so is a socket that another one replaced", () =>
    Effect.gen(function*() {
      const { device, hub, socket, sql } = yield* world
      const again = yield* connect(hub, device)
      again.send(hello)
      yield* again.next("welcome")
      assert.strictEqual((yield* socket.closed).code, 1000)
      yield* sql((sql) =>
        sql`update devices set socket_until = clock_timestamp() - interval '1 second' where id = ${device.id}`
      )
      assert.strictEqual((yield* again.closed).code, 1000)
    }))
})

/**
 * The surface of a device: it gets only commands for granted tools, from its own workspace, through any endpoint. Spec:
 * reference/devices.md "Security rules".
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { connect, deviceOf, makeDevice, offer } from "../../support/device.ts"
import { type Answer, expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"

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

layer(HubTest(), { excludeTestServices: true })("the surface of a device", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const as = { cookie: hub.owner.cookie }
    const queue = (session: string, tool = "shell.run", input: object = { argv: ["true"] }) =>
      hub.api("POST", `/devices/sessions/${session}/commands`, { ...as, body: { tool, input } })
    const poll = (device: ReturnType<typeof deviceOf>, session: string) =>
      Effect.map(
        device.call("GET", `/devices/sessions/${session}/commands?max=4`),
        (answer) => expectStatus(answer, 200).body.data
      )
    const patch = (id: string, body: object) => hub.api("PATCH", `/devices/${id}`, { ...as, body })
    const sql = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
      hub.run(Effect.exit(Effect.flatMap(SqlClient.SqlClient, statement)))
    return { ...hub, hub, as, queue, poll, patch, sql }
  })

  it.effect("D1: a device without an approved surface gets no command through any endpoint, even if a row has one", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner, patch, poll, queue, sql } = yield* world
      yield* topUp({ api }, owner, 100)
      const agent = yield* makeAgent({ api }, owner, { bindings: [{ service: "device", operations: ["*"] }] })
      const { body } = expectStatus(yield* api("POST", "/devices", { ...as, body: offer }), 201)
      const device = deviceOf({ api }, body.id, body.device_key)
      expectStatus(yield* patch(device.id, { agents: "*", labels: ["bare"] }), 200)
      const { body: beat } = expectStatus(yield* device.heartbeat(), 200)
      const session = beat.session_id
      assert.deepStrictEqual(statusAndCode(yield* queue(session)), [403, "not_granted"])
      for (const target of [{ device_id: device.id }, { label: "bare" }]) {
        const asked = yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "device", operation: "shell.run", payload: { ...target, input: { argv: ["true"] } } }
        })
        assert.strictEqual(asked.body.status, "failed", JSON.stringify(asked.body))
      }
      // An invalid row is not delivered either, by poll or socket.
      assert.strictEqual(
        (yield* sql((sql) =>
          sql`insert into device_commands (id, org_id, session_id, device_id, tool, input, requested_by_type,
        requested_by_id, requested_by_name, timeout_seconds, queue_until)
      values (${`cmd_${
            "0".repeat(26)
          }`}, ${owner.org}, ${session}, ${device.id}, 'shell.run', '{"argv":["true"]}', 'user', 'usr', 'Eve', 30,
        now() + interval '1 hour')`
        ))._tag,
        "Success"
      )
      assert.deepStrictEqual(yield* poll(device, session), [])
      assert.deepStrictEqual((yield* device.heartbeat()).body.waiting, [])
      const socket = yield* connect(hub, device)
      socket.send(hello)
      assert.deepInclude(yield* socket.next("welcome"), { session_id: session })
      socket.send({ type: "heartbeat", boot_id: "b1", instance_id: "i1", status: "online" })
      socket.send({ type: "ack", command_id: `cmd_${"0".repeat(26)}`, lease: 1 })
      assert.strictEqual((yield* socket.next("error")).error.code, "lease_lost")
      // The database refuses an active device without a grant and a grant without an approval.
      assert.strictEqual(
        (yield* sql((sql) => sql`update devices set state = 'active' where id = ${device.id}`))._tag,
        "Failure"
      )
      assert.strictEqual(
        (yield* sql((sql) => sql`update devices set granted = '{shell.run}' where id = ${device.id}`))._tag,
        "Failure"
      )
    }))

  it.effect("D2: a command for a tool reaches only devices with a grant for the tool at the moment of delivery", () =>
    Effect.gen(function*() {
      const { api, hub, owner, patch, poll, queue } = yield* world
      yield* topUp({ api }, owner, 100)
      const agent = yield* makeAgent({ api }, owner, { bindings: [{ service: "device", operations: ["*"] }] })
      const reader = yield* makeDevice(hub, owner, { granted: ["fs.read"], agents: "*", labels: ["pair"] })
      const runner = yield* makeDevice(hub, owner, { granted: ["shell.run"], agents: "*", labels: ["pair"] })
      const sessions = yield* Effect.forEach(
        [reader, runner],
        (device) => Effect.map(device.heartbeat(), ({ body }) => body.session_id as string)
      )
      assert.deepStrictEqual(statusAndCode(yield* queue(sessions[0]!)), [403, "not_granted"])
      // Both devices have the label, one has the grant.
      for (
        const [operation, input, at] of [["fs.read", { path: "a" }, 0], ["shell.run", { argv: ["true"] }, 1]] as const
      ) {
        const asked = yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "device", operation, payload: { label: "pair", input } }
        })
        assert.strictEqual(asked.body.status, "running")
        const offered = yield* Effect.forEach([reader, runner], (device, each) => poll(device, sessions[each]!))
        assert.deepStrictEqual(
          offered.map((commands) => commands.map(({ tool }: { tool: string }) => tool)),
          at === 0 ? [["fs.read"], []] : [[], ["shell.run"]]
        )
      }
      // The grant is removed while the command is pending.
      const { body: waiting } = expectStatus(yield* queue(sessions[1]!), 201)
      expectStatus(yield* patch(runner.id, { granted: ["fs.list"] }), 200)
      assert.deepStrictEqual(yield* poll(runner, sessions[1]!), [])
      const { body: ended } = yield* api("GET", `/devices/commands/${waiting.id}`, { cookie: owner.cookie })
      assert.deepStrictEqual([ended.status, ended.error.code], ["expired", "not_granted"])
    }))

  it.effect("D4: the rights of a device come from the stored grant, never from its own messages", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner, queue } = yield* world
      const device = yield* makeDevice(hub, owner, { granted: ["fs.read"] })
      const socket = yield* connect(hub, device)
      socket.send({ ...hello, tools: offer.capabilities })
      const { session_id: session } = yield* socket.next("welcome")
      assert.deepStrictEqual(statusAndCode(yield* queue(session)), [403, "not_granted"])
      expectStatus(yield* device.heartbeat({ instance_id: "i1", boot_id: "b1", capabilities: ["shell.run"] }), 200)
      assert.deepStrictEqual(statusAndCode(yield* queue(session)), [403, "not_granted"])
      // A hello that names its own grants is refused.
      const claims = yield* connect(hub, device)
      claims.send({ ...hello, granted: ["shell.run"], state: "active" })
      assert.strictEqual((yield* claims.closed).code, 4406)
      const { body } = yield* api("GET", `/devices/${device.id}`, as)
      assert.deepInclude(body, { granted: ["fs.read"], capabilities: ["shell.run"], state: "active" })
      assert.deepStrictEqual(
        statusAndCode(yield* device.call("PATCH", `/devices/${device.id}`, { granted: ["shell.run"] })),
        [
          401,
          "unauthorized"
        ]
      )
    }))

  it.effect("a device of another workspace reaches nothing, and a caller of another workspace reaches no device", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner, queue } = yield* world
      const device = yield* makeDevice(hub, owner)
      const { body: beat } = expectStatus(yield* device.heartbeat(), 200)
      const session = beat.session_id as string
      const { body: command } = expectStatus(yield* queue(session), 201)
      const made = expectStatus(yield* api("POST", "/workspaces", { ...as, body: { name: "Other" } }), 201)
      const elsewhere = { ...as, headers: { "svc-workspace": made.body.id } }
      const { body } = expectStatus(yield* api("POST", "/devices", { ...elsewhere, body: offer }), 201)
      const stranger = deviceOf({ api }, body.id, body.device_key)
      expectStatus(yield* stranger.heartbeat(), 200)
      for (
        const [method, path, sent] of [
          ["GET", `/devices/commands/${command.id}`],
          ["GET", `/devices/commands/${command.id}/output`],
          ["GET", `/devices/sessions/${session}/commands`],
          ["PATCH", `/devices/sessions/${session}`, { status: "ended" }],
          ["POST", `/devices/${device.id}/heartbeat`, {}],
          ["POST", `/devices/commands/${command.id}/ack`, { lease: 1 }],
          ["POST", `/devices/commands/${command.id}/state`, { lease: 1, state: "running" }],
          ["POST", `/devices/commands/${command.id}/output`, { lease: 1, seq: 0, stream: "stdout", data: "x" }],
          ["POST", `/devices/commands/${command.id}/done`, { lease: 1, outcome: "succeeded" }]
        ] as const
      ) {
        assert.deepStrictEqual(
          statusAndCode(yield* stranger.call(method, path, sent)),
          [404, "not_found"],
          `${method} ${path}`
        )
      }
      for (
        const [method, path, sent] of [
          ["GET", `/devices/${device.id}`],
          ["PATCH", `/devices/${device.id}`, { state: "paused" }],
          ["DELETE", `/devices/${device.id}`],
          ["GET", `/devices/sessions/${session}`],
          ["POST", `/devices/sessions/${session}/commands`, { tool: "shell.run", input: { argv: ["true"] } }],
          ["GET", `/devices/commands/${command.id}`],
          ["POST", `/devices/commands/${command.id}/cancel`]
        ] as const
      ) {
        assert.deepStrictEqual(
          statusAndCode(yield* api(method, path, { ...elsewhere, ...sent === undefined ? {} : { body: sent } })),
          [404, "not_found"],
          `${method} ${path}`
        )
      }
      assert.deepStrictEqual((yield* api("GET", `/devices?q=${device.id}`, elsewhere)).body.data, [])
      assert.strictEqual((yield* api("GET", `/devices/commands/${command.id}`, as)).body.status, "queued")
    }))
})

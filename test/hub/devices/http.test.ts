/** Devices over HTTP. Spec: reference/devices.md "Devices". */
import { DeviceSweeper } from "@countersign/hub/devices/sweeper"
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { deviceOf, makeDevice, offer } from "../../support/device.ts"
import { type Answer, expectStatus, HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"

/** Repeats a read until its answer fits. */
const until = <A>(read: Effect.Effect<A>, enough: (answer: A) => boolean): Effect.Effect<A> =>
  Effect.repeat(read, { until: enough, schedule: Schedule.spaced("50 millis") })

const statusAndCode = ({ body, status }: Answer) => [status, body?.error?.code]

layer(HubTest(), { excludeTestServices: true })("devices over HTTP", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const as = { cookie: hub.owner.cookie }
    const queue = (session: string, body: Readonly<Record<string, unknown>> = {}) =>
      hub.api("POST", `/devices/sessions/${session}/commands`, {
        ...as,
        body: { tool: "shell.run", input: { argv: ["true"] }, ...body }
      })
    const read = (id: string) => Effect.map(hub.api("GET", `/devices/commands/${id}`, as), ({ body }) => body)
    const sql = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
      hub.run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, statement)))
    return { ...hub, as, queue, read, sql }
  })
  /** An active device with a live session. */
  const online = Effect.gen(function*() {
    const w = yield* world
    const device = yield* makeDevice(w, w.owner)
    const { body } = expectStatus(yield* device.heartbeat(), 200)
    const lease = (max = 1) =>
      Effect.map(
        device.call("GET", `/devices/sessions/${body.session_id}/commands?max=${max}`),
        (answer) => expectStatus(answer, 200).body.data
      )
    return { ...w, device, session: body.session_id as string, lease }
  })

  it.effect("creates a device as pending without grants, accepts its heartbeat, and refuses every command", () =>
    Effect.gen(function*() {
      const { api, as, owner, queue } = yield* world
      const made = expectStatus(yield* api("POST", "/devices", { ...as, body: offer }), 201)
      assert.match(made.body.device_key, /^svc_device_live_/)
      assert.deepInclude(made.body, {
        state: "pending",
        granted: [],
        agents: [],
        presence: "never",
        owner_user_id: owner.user,
        running: 0
      })
      assert.strictEqual(made.headers.get("location"), `/api/v1/devices/${made.body.id}`)
      const device = deviceOf({ api }, made.body.id, made.body.device_key)
      const beat = expectStatus(yield* device.heartbeat(), 200)
      assert.deepInclude(beat.body, { interval_seconds: 15, waiting: [], controls: [], kept: [], lost: [] })
      assert.deepStrictEqual(statusAndCode(yield* queue(beat.body.session_id)), [403, "not_granted"])
      const shown = yield* api("GET", `/devices/${made.body.id}`, as)
      assert.deepInclude(shown.body, { presence: "online", state: "pending" })
      assert.strictEqual(shown.body.session.id, beat.body.session_id)
      assert.isUndefined(shown.body.device_key)
    }))

  it.effect("activates a device at its first grant; shell.run needs its own permission; a tool that the device does not offer cannot be granted", () =>
    Effect.gen(function*() {
      const { api, as, owner } = yield* world
      const { body } = expectStatus(
        yield* api("POST", "/devices", { ...as, body: { ...offer, capabilities: ["shell.run", "fs.read"] } }),
        201
      )
      const patch = (call: object, granted: ReadonlyArray<string>) =>
        api("PATCH", `/devices/${body.id}`, { ...call, body: { granted } })
      const token = yield* makeToken({ api }, owner, ["devices:read", "devices:write"])
      const refused = yield* patch({ pat: token }, ["shell.run"])
      assert.deepStrictEqual([statusAndCode(refused), refused.body.error.data], [[403, "forbidden"], {
        permission: "devices:grant_shell"
      }])
      assert.deepStrictEqual(statusAndCode(yield* patch(as, ["fs.write"])), [400, "invalid_request"])
      assert.strictEqual((yield* patch({ pat: token }, ["fs.read"])).body.state, "active")
      assert.strictEqual((yield* patch(as, ["fs.read", "shell.run"])).body.state, "active")
      // A member without the permission to grant it may keep or remove it.
      assert.deepStrictEqual((yield* patch({ pat: token }, ["shell.run"])).body.granted, ["shell.run"])
      assert.deepInclude((yield* patch({ pat: token }, [])).body, { granted: [], state: "pending" })
    }))

  it.effect("takes a command from queued through ack, state and output to done, and logs each step", () =>
    Effect.gen(function*() {
      const { api, as, device, lease, queue, read, session } = yield* online
      const { body: queued } = expectStatus(
        yield* queue(session, { reason: "see", timeout_seconds: 5, working_directory: "/srv/work/a" }),
        201
      )
      assert.deepInclude(queued, {
        status: "queued",
        lost: false,
        timeout_seconds: 5,
        device_id: device.id,
        output_bytes: 0,
        reason: "see"
      })
      const { body: beat } = yield* device.heartbeat()
      assert.deepStrictEqual(beat.waiting, [queued.id])
      const [leased] = yield* lease()
      assert.deepInclude(leased, {
        id: queued.id,
        tool: "shell.run",
        input: { argv: ["true"] },
        working_directory: "/srv/work/a",
        timeout_seconds: 5
      })
      assert.deepInclude(leased.lease, { number: 1, ttl_ms: 30_000 })
      assert.strictEqual((yield* read(queued.id)).status, "leased")
      assert.deepStrictEqual(yield* lease(), [])
      const at = `/devices/commands/${queued.id}`
      assert.strictEqual((yield* device.call("POST", `${at}/ack`, { lease: 1 })).status, 200)
      assert.strictEqual((yield* device.call("POST", `${at}/ack`, { lease: 1 })).status, 200)
      assert.strictEqual(
        (yield* device.call("POST", `${at}/state`, {
          lease: 1,
          state: "awaiting_consent",
          plan_digest: "a".repeat(64)
        })).body
          .status,
        "awaiting_consent"
      )
      assert.strictEqual(
        (yield* device.call("POST", `${at}/state`, { lease: 1, state: "running" })).body.status,
        "running"
      )
      assert.deepStrictEqual(
        statusAndCode(yield* device.call("POST", `${at}/state`, { lease: 1, state: "awaiting_consent" })),
        [
          409,
          "already_running"
        ]
      )
      assert.strictEqual(
        (yield* device.call("POST", `${at}/output`, { lease: 1, seq: 0, stream: "stdout", data: "hé\n" })).body
          .next_seq,
        1
      )
      const done = yield* device.call("POST", `${at}/done`, {
        lease: 1,
        outcome: "succeeded",
        exit_code: 0,
        result: { n: 1 }
      })
      assert.deepInclude(done.body, {
        status: "done",
        outcome: "succeeded",
        exit_code: 0,
        result: { n: 1 },
        output_bytes: 4,
        dropped_bytes: 0,
        plan_digest: "a".repeat(64)
      })
      // A repeat, with any lease, gets the final status.
      const again = yield* device.call("POST", `${at}/done`, { lease: 9, outcome: "failed", exit_code: 1 })
      assert.deepInclude(again.body, { status: "done", outcome: "succeeded" })
      assert.isUndefined(again.body.late_result)
      const { body: page } = yield* api("GET", `${at}/output`, as)
      assert.deepInclude(page.data[0], { seq: 0, stream: "stdout", data: "hé\n", encoding: "utf8", offset: 0 })
      assert.isNull(page.next_seq)
      const log = yield* api("GET", `/audit-logs?subject_id=${queued.id}`, as)
      assert.deepStrictEqual(log.body.data.map(({ action }: { action: string }) => action), [
        "device_command.done",
        "device_command.running",
        "device_command.awaiting_consent",
        "device_command.queued"
      ])
    }))

  it.effect("stores output without gaps or duplicates; keeps the first MiB and the last 3 MiB, and counts the dropped bytes", () =>
    Effect.gen(function*() {
      const { api, as, device, lease, queue, session } = yield* online
      const { body: { id } } = yield* queue(session)
      yield* lease()
      const write = (seq: number, data: string, more: object = {}) =>
        device.call("POST", `/devices/commands/${id}/output`, { lease: 1, seq, stream: "stdout", data, ...more })
      assert.strictEqual((yield* write(0, "a")).body.next_seq, 1)
      const gap = yield* write(2, "c")
      assert.deepStrictEqual([statusAndCode(gap), gap.body.error.data], [[409, "seq_gap"], { next_seq: 1 }])
      assert.strictEqual((yield* write(0, "a")).body.next_seq, 1)
      assert.deepStrictEqual(statusAndCode(yield* write(0, "b")), [409, "seq_conflict"])
      assert.deepStrictEqual(statusAndCode(yield* write(1, "!", { encoding: "base64" })), [400, "invalid_request"])
      assert.deepStrictEqual(statusAndCode(yield* write(1, "b", { offset: 0 })), [400, "invalid_request"])
      assert.deepStrictEqual(statusAndCode(yield* write(1, "x".repeat(64 * 1024 + 1))), [413, "payload_too_large"])
      // The device itself omitted ten bytes.
      assert.strictEqual((yield* write(1, "/w==", { encoding: "base64", offset: 11 })).body.next_seq, 2)
      const chunk = "x".repeat(64 * 1024)
      for (let seq = 2; seq < 82; seq++) expectStatus(yield* write(seq, chunk), 200)
      const { body: command } = yield* api("GET", `/devices/commands/${id}`, as)
      assert.strictEqual(command.output_bytes, 12 + 80 * 64 * 1024)
      const kept: Array<{ seq: number; data: string; encoding: string; offset: number }> = []
      for (let after = -1;;) {
        const { body } = yield* api("GET", `/devices/commands/${id}/output?after_seq=${after}&limit=20`, as)
        if (body.data.length === 0) break
        kept.push(...body.data)
        after = body.next_seq
      }
      assert.deepInclude(kept[1], { data: "/w==", encoding: "base64", offset: 11 })
      const bytes = kept.reduce(
        (sum, { data, encoding }) => sum + Buffer.from(data, encoding as BufferEncoding).length,
        0
      )
      assert.strictEqual(command.dropped_bytes, command.output_bytes - bytes)
      // Only whole chunks are dropped: at most one extra chunk is kept at each side of the gap.
      assert.isAtMost(bytes, (1 + 3) * 1024 * 1024 + 2 * 64 * 1024)
      assert.strictEqual(kept.at(-1)?.seq, 81)
      const spans = kept.slice(2).map(({ data, offset }) => [offset, offset + data.length] as const)
      const [gapAt = -1, ...more] = spans.flatMap(([, end], at) =>
        spans[at + 1]?.[0] === end || at === spans.length - 1 ? [] : [at]
      )
      assert.deepStrictEqual(more, [])
      assert.isAtLeast(spans[gapAt]![1], 1024 * 1024)
      assert.isAtMost(spans[gapAt + 1]![0], command.output_bytes - 3 * 1024 * 1024)
    }))

  it.effect("accepts only writes with the newest lease number; repeats an offer without an answer up to three times", () =>
    Effect.gen(function*() {
      const { device, lease, queue, read, session, sql } = yield* online
      const { body: { id } } = yield* queue(session)
      const late = sql((sql) =>
        sql`update device_commands set offered_at = offered_at - interval '16 seconds' where id = ${id}`
      )
      assert.strictEqual((yield* lease())[0].lease.number, 1)
      yield* late
      assert.strictEqual((yield* lease())[0].lease.number, 2)
      assert.deepStrictEqual(statusAndCode(yield* device.call("POST", `/devices/commands/${id}/ack`, { lease: 1 })), [
        409,
        "lease_lost"
      ])
      assert.deepStrictEqual(statusAndCode(yield* device.call("POST", `/devices/commands/${id}/ack`, { lease: 7 })), [
        409,
        "lease_lost"
      ])
      yield* late
      assert.strictEqual((yield* lease())[0].lease.number, 3)
      yield* late
      assert.deepStrictEqual(yield* lease(), [])
      const ended = yield* until(read(id), ({ status }) => status === "expired")
      assert.strictEqual(ended.error.code, "not_acknowledged")
    }))

  it.effect("marks a command as lost after its lease, accepts its late report, and interrupts it five minutes later", () =>
    Effect.gen(function*() {
      const { device, lease, queue, read, session, sql } = yield* online
      const run = Effect.gen(function*() {
        const { body: { id } } = yield* queue(session)
        yield* lease()
        expectStatus(yield* device.call("POST", `/devices/commands/${id}/ack`, { lease: 1 }), 200)
        return id as string
      })
      const first = yield* run
      yield* sql((sql) =>
        sql`update device_commands set lease_until = clock_timestamp() - interval '10 seconds' where id = ${first}`
      )
      assert.isTrue((yield* read(first)).lost)
      assert.strictEqual(
        (yield* device.call("POST", `/devices/commands/${first}/done`, { lease: 1, outcome: "succeeded" })).body
          .outcome,
        "succeeded"
      )
      const second = yield* run
      yield* sql((sql) =>
        sql`update device_commands set lease_until = clock_timestamp() - interval '301 seconds' where id = ${second}`
      )
      const ended = yield* until(read(second), ({ status }) => status === "done")
      assert.deepInclude(ended, { outcome: "interrupted" })
      const late = yield* device.call("POST", `/devices/commands/${second}/done`, {
        lease: 1,
        outcome: "succeeded",
        exit_code: 0
      })
      assert.deepInclude(late.body, { outcome: "interrupted", late_result: { outcome: "succeeded", exit_code: 0 } })
    }))

  it.effect("cancels a queued command at once and requests a cancel of a running one; an earlier success remains", () =>
    Effect.gen(function*() {
      const { api, as, device, lease, queue, read, session, sql } = yield* online
      const cancel = (id: string) =>
        Effect.map(api("POST", `/devices/commands/${id}/cancel`, as), (answer) => expectStatus(answer, 200).body)
      const { body: waiting } = yield* queue(session)
      assert.deepInclude(yield* cancel(waiting.id), { status: "cancelled", outcome: "cancelled" })
      const begin = Effect.gen(function*() {
        const { body: { id } } = yield* queue(session)
        yield* lease()
        expectStatus(yield* device.call("POST", `/devices/commands/${id}/ack`, { lease: 1 }), 200)
        return id as string
      })
      const obeyed = yield* begin
      assert.isString((yield* cancel(obeyed)).cancel_requested_at)
      assert.deepStrictEqual((yield* device.heartbeat()).body.controls, [{ type: "cancel", command_id: obeyed }])
      assert.deepInclude(
        (yield* device.call("POST", `/devices/commands/${obeyed}/done`, { lease: 1, outcome: "cancelled" })).body,
        { status: "cancelled", controls: [] }
      )
      const raced = yield* begin
      yield* cancel(raced)
      assert.deepInclude(
        (yield* device.call("POST", `/devices/commands/${raced}/done`, { lease: 1, outcome: "succeeded" })).body,
        { status: "done", outcome: "succeeded" }
      )
      const ignored = yield* begin
      yield* cancel(ignored)
      yield* sql((sql) =>
        sql`update device_commands
          set cancel_requested_at = clock_timestamp() - interval '61 seconds',
            lease_until = clock_timestamp() - interval '61 seconds'
          where id = ${ignored}`
      )
      assert.deepInclude(yield* until(read(ignored), ({ status }) => status === "cancelled"), { unconfirmed: true })
    }))

  it.effect("closes a command whose connected device reports no start, no end, or no answer to a cancel", () =>
    Effect.gen(function*() {
      const { api, as, device, lease, queue, read, run, session, sql } = yield* online
      const states = [["not_started", "leased"], ["timed_out", "running"], ["cancel", "running"]] as const
      for (const [because, state] of states) {
        const { body: { id } } = yield* queue(session)
        yield* lease()
        expectStatus(yield* device.call("POST", `/devices/commands/${id}/ack`, { lease: 1 }), 200)
        if (state === "running") {
          expectStatus(yield* device.call("POST", `/devices/commands/${id}/state`, { lease: 1, state }), 200)
        }
        if (because === "cancel") expectStatus(yield* api("POST", `/devices/commands/${id}/cancel`, as), 200)
        const shift = (seconds: number) =>
          sql((sql) =>
            sql`update device_commands set acked_at = acked_at - ${seconds}::int * interval '1 second',
              started_at = started_at - ${because === "cancel" ? 0 : seconds}::int * interval '1 second',
              queue_until = queue_until - ${seconds}::int * interval '1 second',
              cancel_requested_at = cancel_requested_at - ${seconds}::int * interval '1 second' where id = ${id}`
          )
        const heartbeat = device.heartbeat({ running: [{ command_id: id, lease: 1 }] })
        const bound = { not_started: 21_600 + 300, timed_out: 30, cancel: 0 }[because] + 300
        yield* shift(bound - 30)
        yield* run(Effect.flatMap(DeviceSweeper, ({ commands }) => commands))
        assert.deepStrictEqual((yield* heartbeat).body.kept, [id], because)
        yield* shift(31)
        const ended = yield* until(read(id), ({ status }) => status === "done" || status === "cancelled")
        assert.deepStrictEqual((yield* heartbeat).body.lost, [id])
        assert.deepStrictEqual(
          [ended.outcome, ended.error?.code, ended.unconfirmed],
          because === "cancel"
            ? ["cancelled", undefined, true]
            : ["interrupted", because === "timed_out" ? "end_not_reported" : "start_not_reported", undefined]
        )
      }
    }))

  it.effect("accepts the newest start: interrupts the commands that the older acknowledged, offers the others again, and refuses the older", () =>
    Effect.gen(function*() {
      const { device, lease, queue, read, session } = yield* online
      const first = { instance_id: "i1", boot_id: "b1" }
      expectStatus(yield* device.heartbeat(first), 200)
      const { body: a } = yield* queue(session)
      const { body: b } = yield* queue(session)
      assert.strictEqual((yield* lease(2)).length, 2)
      expectStatus(yield* device.call("POST", `/devices/commands/${a.id}/ack`, { lease: 1 }), 200)
      const kept = yield* device.heartbeat({ ...first, running: [{ command_id: a.id, lease: 1, last_seq: 0 }] })
      assert.deepStrictEqual([kept.body.kept, kept.body.lost], [[a.id], []])
      const second = expectStatus(
        yield* device.heartbeat({ instance_id: "i1", boot_id: "b2", running: [{ command_id: a.id, lease: 1 }] }),
        200
      )
      assert.deepStrictEqual([second.body.kept, second.body.lost, second.body.session_id], [[], [a.id], session])
      assert.deepInclude(yield* read(a.id), { status: "done", outcome: "interrupted" })
      assert.strictEqual((yield* read(b.id)).status, "queued")
      assert.strictEqual((yield* lease(2))[0].lease.number, 2)
      assert.deepStrictEqual(statusAndCode(yield* device.heartbeat(first)), [409, "superseded"])
    }))

  it.effect("ends key, commands and queue at once and permanently at a revoke", () =>
    Effect.gen(function*() {
      const { api, as, device, lease, queue, read, session } = yield* online
      const { body: running } = yield* queue(session)
      yield* lease()
      expectStatus(yield* device.call("POST", `/devices/commands/${running.id}/ack`, { lease: 1 }), 200)
      const { body: queued } = yield* queue(session)
      expectStatus(yield* api("PATCH", `/devices/${device.id}`, { ...as, body: { state: "revoked" } }), 200)
      assert.deepStrictEqual(statusAndCode(yield* device.heartbeat()), [401, "device_revoked"])
      assert.deepInclude(yield* read(running.id), { status: "done", outcome: "interrupted" })
      assert.deepInclude((yield* read(queued.id)).error, { code: "device_revoked" })
      assert.deepStrictEqual(
        statusAndCode(yield* api("PATCH", `/devices/${device.id}`, { ...as, body: { state: "active" } })),
        [
          409,
          "device_revoked"
        ]
      )
      assert.strictEqual((yield* api("DELETE", `/devices/${device.id}`, as)).status, 204)
      assert.deepStrictEqual((yield* api("GET", `/devices?q=${device.id}`, as)).body.data, [])
      assert.strictEqual((yield* api("GET", `/devices?state=revoked&q=${device.id}`, as)).body.data.length, 1)
    }))

  it.effect("stops new offers for drain and pause; only the device ends its own pause", () =>
    Effect.gen(function*() {
      const { api, as, device, lease, queue, session } = yield* online
      const set = (state: string) => api("PATCH", `/devices/${device.id}`, { ...as, body: { state } })
      yield* queue(session)
      yield* set("draining")
      assert.deepStrictEqual([yield* lease(), (yield* device.heartbeat()).body.controls], [[], [{ type: "drain" }]])
      yield* set("paused")
      assert.deepStrictEqual((yield* device.heartbeat({ status: "draining" })).body.controls, [{ type: "pause" }])
      assert.strictEqual((yield* set("active")).body.state, "active")
      // An echo of the hub's own pause, sent before the device received the resume control.
      assert.deepStrictEqual((yield* device.heartbeat({ status: "paused" })).body.controls, [{ type: "resume" }])
      assert.strictEqual((yield* api("GET", `/devices/${device.id}`, as)).body.state, "active")
      yield* device.heartbeat()
      assert.deepStrictEqual((yield* device.heartbeat({ status: "paused" })).body.controls, [])
      assert.deepInclude((yield* api("GET", `/devices/${device.id}`, as)).body, {
        state: "paused",
        paused_by: "device"
      })
      assert.deepStrictEqual(statusAndCode(yield* set("active")), [409, "paused_by_device"])
      assert.deepStrictEqual(yield* lease(), [])
      yield* device.heartbeat()
      const [taken] = yield* lease()
      expectStatus(yield* device.call("POST", `/devices/commands/${taken.id}/ack`, { lease: 1 }), 200)
      yield* set("paused")
      const ended = yield* device.call("POST", `/devices/commands/${taken.id}/done`, { lease: 1, outcome: "succeeded" })
      assert.deepInclude(ended.body, { status: "done", controls: [{ type: "pause" }] })
    }))

  it.effect("checks tool, input, root, time and key of a command", () =>
    Effect.gen(function*() {
      const { api, as, device, queue, session } = yield* online
      assert.deepStrictEqual(statusAndCode(yield* queue(session, { input: { argv: [] } })), [400, "invalid_request"])
      assert.deepStrictEqual(statusAndCode(yield* queue(session, { tool: "fs.read", input: { path: "a\u0000b" } })), [
        400,
        "invalid_request"
      ])
      for (const directory of ["/etc", "/srv/work/../../etc", "relative", "/srv/workshop"]) {
        assert.deepStrictEqual(
          statusAndCode(yield* queue(session, { working_directory: directory })),
          [409, "outside_root"],
          directory
        )
      }
      assert.deepStrictEqual(statusAndCode(yield* queue(session, { timeout_seconds: 601 })), [400, "timeout_too_long"])
      yield* device.heartbeat({ timeout_seconds_max: 3_600 })
      assert.strictEqual((yield* queue(session, { timeout_seconds: 3_600 })).status, 201)
      const [one, two] = [
        yield* queue(session, { idempotency_key: "k" }),
        yield* queue(session, { idempotency_key: "k" })
      ]
      assert.strictEqual(one.body.id, two.body.id)
      assert.deepStrictEqual(
        statusAndCode(yield* queue(session, { idempotency_key: "k", input: { argv: ["false"] } })),
        [
          409,
          "idempotency_conflict"
        ]
      )
      assert.deepStrictEqual(
        statusAndCode(yield* api("PATCH", `/devices/sessions/${session}`, { ...as, body: { working_directory: "/" } })),
        [409, "outside_root"]
      )
      assert.strictEqual(
        (yield* device.call("PATCH", `/devices/sessions/${session}`, { working_directory: "/srv/work/x" })).body
          .working_directory,
        "/srv/work/x"
      )
      assert.strictEqual((yield* queue(session)).body.working_directory, "/srv/work/x")
      expectStatus(yield* api("PATCH", `/devices/sessions/${session}`, { ...as, body: { status: "ended" } }), 200)
      assert.deepStrictEqual(statusAndCode(yield* queue(session)), [409, "session_ended"])
      const next = expectStatus(yield* device.heartbeat(), 200)
      assert.notStrictEqual(next.body.session_id, session)
    }))

  it.effect("refuses a device every object of another device", () =>
    Effect.gen(function*() {
      const { api, as, owner, queue, session } = yield* online
      const other = yield* makeDevice({ api }, owner)
      yield* other.heartbeat()
      const { body: { id } } = yield* queue(session)
      for (const path of ["ack", "done", "output", "state"]) {
        const body = {
          ack: { lease: 1 },
          done: { lease: 1, outcome: "succeeded" },
          output: { lease: 1, seq: 0, stream: "stdout", data: "" },
          state: { lease: 1, state: "running" }
        }[path]
        assert.deepStrictEqual(statusAndCode(yield* other.call("POST", `/devices/commands/${id}/${path}`, body)), [
          404,
          "not_found"
        ], path)
      }
      assert.deepStrictEqual(statusAndCode(yield* other.call("GET", `/devices/commands/${id}`)), [404, "not_found"])
      assert.deepStrictEqual(statusAndCode(yield* other.call("GET", `/devices/sessions/${session}/commands`)), [
        404,
        "not_found"
      ])
      assert.deepStrictEqual(statusAndCode(yield* other.call("GET", "/devices")), [401, "unauthorized"])
      assert.deepStrictEqual(statusAndCode(yield* other.call("GET", "/service-requests")), [401, "unauthorized"])
      assert.deepStrictEqual(
        statusAndCode(
          yield* api("POST", `/devices/${other.id}/heartbeat`, {
            key: (yield* makeAgent({ api }, owner)).key,
            body: {}
          })
        ),
        [401, "unauthorized"]
      )
      assert.strictEqual((yield* api("GET", `/devices/commands/${id}`, as)).status, 200)
    }))

  it.effect("pairs with a code for people and a secret for the device, and gives out the key exactly once", () =>
    Effect.gen(function*() {
      const { api, as } = yield* world
      const { body: started } = expectStatus(
        yield* api("POST", "/devices/pair", { body: offer, headers: { "x-request-id": "pair" } }),
        201
      )
      assert.match(started.code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
      const current = (wait = 0) =>
        api("GET", `/devices/pair/current?wait=${wait}`, {
          headers: { authorization: `Bearer ${started.pairing_secret}` }
        })
      assert.deepStrictEqual((yield* current()).body, { status: "waiting" })
      assert.deepStrictEqual(statusAndCode(yield* api("GET", "/devices/pair/current")), [401, "unauthorized"])
      const shown = yield* api("GET", `/devices/pair/${started.code.toLowerCase().replace("-", "")}`, as)
      assert.deepInclude(shown.body, { code: started.code, name: "build-1", address: "127.0.0.1" })
      const [found, confirmed] = yield* Effect.all([
        current(30),
        Effect.delay(
          api("POST", `/devices/pair/${started.code}/confirm`, {
            ...as,
            body: { granted: ["fs.read"], name: "Build" }
          }),
          "20 millis"
        )
      ], { concurrency: 2 })
      assert.deepInclude(confirmed.body, { state: "active", granted: ["fs.read"], name: "Build" })
      assert.deepInclude(found.body, { status: "confirmed", device_id: confirmed.body.id })
      assert.strictEqual(
        (yield* deviceOf({ api }, found.body.device_id, found.body.device_key).heartbeat()).status,
        200
      )
      assert.deepStrictEqual(statusAndCode(yield* current()), [410, "gone"])
      assert.deepStrictEqual(statusAndCode(yield* api("GET", `/devices/pair/${started.code}`, as)), [410, "gone"])
      const { body: another } = expectStatus(yield* api("POST", "/devices/pair", { body: offer }), 201)
      assert.strictEqual((yield* api("POST", `/devices/pair/${another.code}/reject`, as)).status, 204)
      assert.deepStrictEqual(
        (yield* api("GET", "/devices/pair/current", { headers: { authorization: `Bearer ${another.pairing_secret}` } }))
          .body,
        { status: "rejected" }
      )
      for (let n = 0; n < 2; n++) yield* api("POST", "/devices/pair", { body: offer })
      const { body: last } = expectStatus(yield* api("POST", "/devices/pair", { body: offer }), 201)
      assert.deepStrictEqual(statusAndCode(yield* api("POST", "/devices/pair", { body: offer })), [429, "rate_limited"])
      const wrong = yield* Effect.forEach(Array.from({ length: 11 }), () => api("GET", "/devices/pair/ZZZZ-ZZZZ", as))
      assert.deepStrictEqual(
        wrong.map(statusAndCode),
        wrong.map((_, at) => at < 10 ? [404, "not_found"] : [429, "rate_limited"])
      )
      // Until the minute is over a correct code is refused too, so that a caller cannot find out which of many tries
      // was correct.
      for (
        const call of [
          api("GET", `/devices/pair/${last.code}`, as),
          api("POST", `/devices/pair/${last.code}/confirm`, { ...as, body: { granted: ["fs.read"] } })
        ]
      ) {
        assert.deepStrictEqual(statusAndCode(yield* call), [429, "rate_limited"])
      }
    }))

  it.effect("runs an agent's request on the device that it names, and charges by the outcome", () =>
    Effect.gen(function*() {
      const { api, as, owner } = yield* world
      yield* topUp({ api }, owner, 100)
      const agent = yield* makeAgent({ api }, owner, { bindings: [{ service: "device", operations: ["*"] }] })
      const device = yield* makeDevice({ api }, owner, {
        granted: ["shell.run", "fs.read"],
        agents: [agent.id],
        labels: ["build"]
      })
      const { body: { session_id: session } } = expectStatus(yield* device.heartbeat(), 200)
      const ask = (operation: string, payload: object, key = agent.key) =>
        api("POST", "/service-requests", { key, body: { service: "device", operation, payload } })
      const request = (id: string) =>
        Effect.map(api("GET", `/service-requests/${id}?wait=10`, { key: agent.key }), ({ body }) => body)
      const finish = (body: object) =>
        Effect.gen(function*() {
          const [leased] = (yield* device.call("GET", `/devices/sessions/${session}/commands?wait=10`)).body.data
          expectStatus(
            yield* device.call("POST", `/devices/commands/${leased.id}/ack`, { lease: leased.lease.number }),
            200
          )
          expectStatus(
            yield* device.call("POST", `/devices/commands/${leased.id}/done`, { lease: leased.lease.number, ...body }),
            200
          )
          return leased
        })
      const asked = expectStatus(
        yield* ask("shell.run", { label: "build", input: { argv: ["true"] }, reason: "try" }),
        202
      )
      const leased = yield* finish({ outcome: "succeeded", exit_code: 0 })
      assert.deepInclude(leased, { service_request_id: asked.body.id, reason: "try" })
      assert.strictEqual(leased.agent.id, agent.id)
      const executed = yield* request(asked.body.id)
      assert.deepInclude(executed, { status: "executed", cost_cents: 1 })
      assert.deepInclude(executed.result, { exit_code: 0, command_id: leased.id })
      const second = expectStatus(yield* ask("shell.run", { device_id: device.id, input: { argv: ["false"] } }), 202)
      yield* finish({ outcome: "failed", exit_code: 1 })
      const failed = yield* request(second.body.id)
      assert.deepInclude(failed, { status: "failed", cost_cents: 0 })
      assert.strictEqual(failed.result.code, "device_failed")
      // Not granted, or not named: no command is created.
      assert.deepInclude((yield* ask("fs.write", { label: "build", input: { path: "a", content: "" } })).body, {
        status: "failed",
        cost_cents: 0
      })
      const stranger = yield* makeAgent({ api }, owner, { bindings: [{ service: "device", operations: ["*"] }] })
      assert.deepInclude(
        (yield* ask("shell.run", { device_id: device.id, input: { argv: ["true"] } }, stranger.key)).body,
        {
          status: "failed"
        }
      )
      // Canceling the request cancels its command.
      const third = expectStatus(yield* ask("shell.run", { label: "build", input: { argv: ["true"] } }), 202)
      expectStatus(yield* api("POST", `/service-requests/${third.body.id}/cancel`, { key: agent.key }), 200)
      assert.strictEqual((yield* request(third.body.id)).status, "failed")
      assert.deepStrictEqual((yield* device.call("GET", `/devices/sessions/${session}/commands`)).body.data, [])
      // For a running command the device gets a cancel request, and its report decides.
      const fourth = expectStatus(yield* ask("shell.run", { label: "build", input: { argv: ["sleep"] } }), 202)
      const [taken] = (yield* device.call("GET", `/devices/sessions/${session}/commands?wait=10`)).body.data
      expectStatus(yield* device.call("POST", `/devices/commands/${taken.id}/ack`, { lease: 1 }), 200)
      const cancelling = yield* api("POST", `/service-requests/${fourth.body.id}/cancel`, { key: agent.key })
      assert.deepInclude(expectStatus(cancelling, 200).body, { id: fourth.body.id, status: "running" })
      assert.deepStrictEqual((yield* device.heartbeat()).body.controls, [{ type: "cancel", command_id: taken.id }])
      expectStatus(
        yield* device.call("POST", `/devices/commands/${taken.id}/done`, { lease: 1, outcome: "cancelled" }),
        200
      )
      const ended = yield* request(fourth.body.id)
      assert.deepInclude(ended, { status: "failed", cost_cents: 0 })
      assert.strictEqual(ended.result.code, "device_cancelled")
      assert.strictEqual((yield* api("GET", "/devices", { key: stranger.key })).body.data.length, 0)
      assert.deepStrictEqual(
        (yield* api("GET", "/devices", { key: agent.key })).body.data.map(({ id }: { id: string }) => id),
        [
          device.id
        ]
      )
      assert.strictEqual(
        (yield* api("GET", `/devices/sessions/${session}/commands?status=cancelled`, as)).body.data.length,
        2
      )
    }))

  it.effect("derives presence from the hub's clock and restores it at the next message; ends the session after a day of silence", () =>
    Effect.gen(function*() {
      const { api, as, device, session, sql } = yield* online
      const presence = Effect.map(api("GET", `/devices/${device.id}`, as), ({ body }) => body.presence)
      const silent = (seconds: number) =>
        sql((sql) =>
          sql`update devices set heard_at = clock_timestamp() - ${seconds}::int * interval '1 second' where id = ${device.id}`
        )
      assert.strictEqual(yield* presence, "online")
      yield* silent(25)
      assert.strictEqual(yield* presence, "late")
      yield* silent(46)
      assert.strictEqual(yield* presence, "offline")
      yield* until(
        api("GET", `/audit-logs?subject_id=${device.id}&action=device.unheard`, as),
        ({ body }) => body.data.length === 1
      )
      assert.strictEqual((yield* device.heartbeat()).body.session_id, session)
      assert.strictEqual(yield* presence, "online")
      // After two weeks the device is pending again.
      yield* sql((sql) =>
        sql`update devices
          set heard_at = clock_timestamp() - interval '15 days', confirmed_at = clock_timestamp() - interval '15 days'
          where id = ${device.id}`
      )
      yield* device.heartbeat()
      assert.deepInclude((yield* api("GET", `/devices/${device.id}`, as)).body, { state: "pending", granted: [] })
    }))
})

/** Contents of device commands: kept for `device_output_days` after a command ended, then removed from every table. */
import { Approval } from "@countersign/domain/approvals"
import type { DevicePlan } from "@countersign/domain/device-plan"
import { Command, OutputPage } from "@countersign/domain/devices"
import { canonicalize } from "@countersign/domain/json"
import { Doctor, doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { Retention } from "@countersign/hub/retention/service"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { fitting } from "../../support/contract.ts"
import { makeDevice } from "../../support/device.ts"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"

const planDigest = (plan: DevicePlan) => createHash("sha256").update(canonicalize(plan)).digest("hex")
const dayMillis = 86_400_000
const whisper = "whisper-7f3a"
const input = { argv: ["deploy", whisper], env: { TOKEN: whisper }, stdin: whisper }

layer(HubTest(), { excludeTestServices: true })("contents of device commands", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner, run } = hub
    const as = { cookie: owner.cookie }
    const device = yield* makeDevice(hub, owner, { agents: "*" })
    const { body: { session_id } } = expectStatus(yield* device.heartbeat(), 200)
    const post = (path: string, body: unknown) =>
      Effect.map(device.call("POST", path, body), (answer) => expectStatus(answer, 200).body)
    const queue = (key: string) =>
      api("POST", `/devices/sessions/${session_id}/commands`, {
        ...as,
        body: { tool: "shell.run", input, idempotency_key: key }
      })
    const lease = Effect.map(device.call("GET", `/devices/sessions/${session_id}/commands`), ({ body }) => body.data[0])
    const finish = (id: string, outcome: string) =>
      Effect.gen(function*() {
        const at = `/devices/commands/${id}`
        const leased = { lease: 1 }
        yield* post(`${at}/state`, { ...leased, state: "running" })
        yield* post(`${at}/output`, { ...leased, seq: 0, stream: "stdout", data: `${whisper}\n` })
        yield* post(`${at}/done`, {
          ...leased,
          outcome,
          exit_code: 0,
          result: { said: whisper },
          artifacts: [whisper],
          ...outcome === "failed" ? { error: { code: "exit", message: whisper } } : {}
        })
      })
    const get = (path: string) => Effect.map(api("GET", path, as), (answer) => expectStatus(answer, 200).body)
    const round = (days: number) =>
      run(Effect.flatMap(Retention, (retention) => retention.deviceRound(Date.now() + days * dayMillis)))
    const keep = (days: number) =>
      api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { device_output_days: days } })
    const sql = <A extends object>(text: string) =>
      run(Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql.unsafe<A>(text))))
    /** Tables of device commands that still contain the secret. */
    const holding = Effect.map(
      sql<{ place: string }>(`
      select 'commands' as place from device_commands where concat_ws(' ', input, result, artifacts, late_result, error_message) like '%${whisper}%'
      union select 'output' from device_output where position('${whisper}'::bytea in data) > 0
      union select 'plans' from approvals where plan like '%${whisper}%'
      union select 'audit' from audit where data like '%${whisper}%'`),
      (rows) => rows.map(({ place }) => place).sort()
    )
    return {
      ...hub,
      as,
      device,
      session: session_id as string,
      post,
      queue,
      lease,
      finish,
      get,
      round,
      keep,
      sql,
      holding
    }
  })

  it.effect("are kept 90 days by default and then removed, with a marker; the chain and the figures stay", () =>
    Effect.gen(function*() {
      const w = yield* world
      const { api, as, device, finish, get, holding, keep, lease, owner, post, queue, round, run } = w
      const asked = expectStatus(yield* queue("first"), 201).body
      assert.strictEqual((yield* lease).id, asked.id)
      yield* post(`/devices/commands/${asked.id}/ack`, { lease: 1 })
      const plan: DevicePlan = { version: 1, tool: "shell.run", input, timeout_seconds: 30 }
      yield* post(`/devices/commands/${asked.id}/state`, {
        lease: 1,
        state: "awaiting_consent",
        plan,
        plan_digest: planDigest(plan)
      })
      const { approval_id } = yield* get(`/devices/commands/${asked.id}`)
      expectStatus(yield* api("POST", `/approvals/${approval_id}/approve`, as), 200)
      yield* finish(asked.id, "failed")
      yield* topUp(w, owner, 100)
      const agent = yield* makeAgent(w, owner, { bindings: [{ service: "device", operations: ["*"] }] })
      const request = expectStatus(
        yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "device", operation: "shell.run", payload: { device_id: device.id, input } }
        }),
        202
      ).body
      const second = yield* lease
      yield* post(`/devices/commands/${second.id}/ack`, { lease: 1 })
      const before = [yield* get(`/devices/commands/${asked.id}`), yield* get("/balance"), yield* get("/ledger")]
      assert.deepStrictEqual(before[0].input, input)
      assert.deepStrictEqual(yield* holding, ["commands", "output", "plans"])

      assert.strictEqual((yield* get(`/workspaces/${owner.org}`)).device_output_days, 90)
      assert.strictEqual(yield* round(89), 0)
      const rounds = yield* Effect.all([round(91), round(91)], { concurrency: "unbounded" })
      assert.strictEqual(rounds[0] + rounds[1], 1, "each ended command once")
      const gone = fitting(Command, yield* get(`/devices/commands/${asked.id}`))
      assert.strictEqual(gone.removed_after_days, 90)
      for (const field of ["input", "result", "artifacts", "late_result"]) assert.notProperty(gone, field)
      assert.deepInclude(gone, {
        status: "done",
        outcome: "failed",
        exit_code: 0,
        error: { code: "exit", message: "" },
        output_bytes: 13,
        requested_by: before[0].requested_by,
        plan_digest: planDigest(plan)
      })
      const page = fitting(OutputPage, yield* get(`/devices/commands/${asked.id}/output`))
      assert.deepInclude(page, { data: [], next_seq: null, output_bytes: 13, removed_after_days: 90 })
      const followed = yield* api("GET", `/devices/commands/${asked.id}/output`, {
        ...as,
        headers: { accept: "text/event-stream" }
      })
      assert.include(followed.text, "event: command")
      assert.include(followed.text, "\"removed_after_days\":90")
      const approval = fitting(Approval, yield* get(`/approvals/${approval_id}`))
      assert.deepStrictEqual([approval.payload, approval.payload_digest, approval.status], [
        { $removed: true },
        planDigest(plan),
        "approved"
      ])

      // The open command keeps everything until it ended long enough ago and its request is settled.
      assert.deepStrictEqual(yield* holding, ["commands"])
      yield* finish(second.id, "succeeded")
      yield* Effect.repeat(get(`/service-requests/${request.id}`), {
        until: ({ status }) => status === "executed",
        schedule: Schedule.spaced("50 millis")
      })
      assert.strictEqual(yield* round(91), 1)
      assert.deepStrictEqual(yield* holding, [])
      assert.deepStrictEqual(
        (yield* get(`/service-requests/${request.id}`)).result.result,
        { said: whisper },
        "a request is kept by retention_days"
      )

      // A repeated key returns the command that ran, a repeated `done` the stored result, and neither restores
      // contents.
      assert.strictEqual(expectStatus(yield* queue("first"), 201).body.id, asked.id)
      assert.notProperty(
        yield* post(`/devices/commands/${asked.id}/done`, { lease: 1, outcome: "succeeded", result: whisper }),
        "input"
      )
      assert.deepStrictEqual(yield* holding, [])

      assert.isTrue((yield* get("/audit-logs/verify")).ok)
      const entries = (yield* get("/audit-logs?action=workspace.device_contents_removed")).data
      assert.deepStrictEqual(
        entries.map((
          { data }: { data: { device_commands: number; device_output_days: number } }
        ) => [data.device_commands, data.device_output_days]),
        [[1, 90], [1, 90]]
      )
      const diagnoses = yield* run(Effect.provide(doctor, Doctor.layer.pipe(Layer.provide(DoctorRepository.layer))))
      assert.isAbove(diagnoses.length, 5)
      assert.deepStrictEqual(diagnoses.filter(({ bad }) => bad > 0), [])

      // A late result of a command that the hub closed is not stored either after its contents were removed.
      expectStatus(yield* keep(1), 200)
      assert.strictEqual(expectStatus(yield* queue("third"), 201).status, 201)
      const third = yield* lease
      yield* post(`/devices/commands/${third.id}/ack`, { lease: 1 })
      yield* w.sql(`update device_commands set lease_until = lease_until - interval '1 hour' where id = '${third.id}'`)
      yield* Effect.repeat(get(`/devices/commands/${third.id}`), {
        until: ({ outcome }) => outcome === "interrupted",
        schedule: Schedule.spaced("50 millis")
      })
      assert.strictEqual(yield* round(2), 1)
      yield* post(`/devices/commands/${third.id}/done`, { lease: 1, outcome: "succeeded", result: whisper })
      assert.deepStrictEqual(yield* holding, [])
      assert.strictEqual((yield* get(`/devices/commands/${third.id}`)).removed_after_days, 1)
    }))

  it.effect("are kept as long as each workspace sets: bounded, audited, and many at a time", () =>
    Effect.gen(function*() {
      const { as, api, get, keep, owner, queue, round, run, sql } = yield* world
      const notices = run(
        Effect.provide(
          Effect.flatMap(Doctor, (doctor) => doctor.notices),
          Doctor.layer.pipe(Layer.provide(DoctorRepository.layer))
        )
      )
      for (const wrong of [0, 3_651, 1.5, null]) assert.strictEqual((yield* keep(wrong as number)).status, 400)
      expectStatus(yield* keep(7), 200)
      const [entry] = (yield* get("/audit-logs?action=workspace.updated")).data
      assert.deepStrictEqual(entry.data, { device_output_days: 7 })
      const ids: Array<string> = []
      for (let count = 0; count < 3; count++) ids.push(expectStatus(yield* queue(`many-${count}`), 201).body.id)
      for (const id of ids) expectStatus(yield* api("POST", `/devices/commands/${id}/cancel`, as), 200)
      // More than one batch of them.
      yield* sql(
        `insert into device_commands (id, org_id, session_id, device_id, tool, input, requested_by_type, requested_by_id, requested_by_name, status,
        outcome, timeout_seconds, queue_until, done_at) select left(id, 24) || lpad(n::text, 6, '0'), org_id, session_id, device_id, tool, input, requested_by_type,
        requested_by_id, requested_by_name, status, outcome, timeout_seconds, queue_until, done_at from device_commands, generate_series(1, 120) n where id = '${
          ids[0]
        }'`
      )
      assert.strictEqual(yield* round(6), 0)
      yield* sql(`update device_commands set done_at = done_at - interval '9 days' where id = '${ids[1]}'`)
      assert.match((yield* notices).join(), /: 1 device commands keep input and output longer than device_output_days/)
      assert.strictEqual(yield* round(8), 123)
      assert.strictEqual(yield* round(8), 0)
      assert.deepStrictEqual(yield* notices, [])
      assert.strictEqual((yield* get(`/workspaces/${owner.org}`)).device_output_days, 7)
    }))
})

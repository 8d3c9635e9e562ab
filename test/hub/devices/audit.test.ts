/** The audit log of device commands: device, tool, and requester, and never the input. */
import { canonicalize } from "@countersign/domain/json"
import { Doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { makeDevice } from "../../support/device.ts"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"

const secret = "hunter2-correct-horse"
const inputs = [
  { tool: "shell.run", input: { argv: ["deploy", `--token=${secret}`], env: { TOKEN: secret }, stdin: secret } },
  { tool: "fs.write", input: { path: "/srv/work/.netrc", content: secret } },
  { tool: "http.get", input: { url: "https://files.example/", headers: { authorization: secret } } }
]

layer(HubTest(), { excludeTestServices: true })("the audit log of device commands", (it) => {
  it.effect("names tool, device, requester, size and digest of the input, and never contains the input", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner, run } = hub
      const as = { cookie: owner.cookie }
      const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "device", operations: ["*"] }] })
      yield* topUp(hub, owner, 100)
      const device = yield* makeDevice(hub, owner, { agents: [agent.id] })
      const { body: { session_id } } = expectStatus(yield* device.heartbeat(), 200)
      const queued: Array<{ readonly id: string; readonly by: string }> = []
      for (const { input, tool } of inputs) {
        const command = expectStatus(
          yield* api("POST", `/devices/sessions/${session_id}/commands`, { ...as, body: { tool, input } }),
          201
        ).body
        queued.push({ id: command.id, by: owner.user })
        const sent = yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "device", operation: tool, payload: { device_id: device.id, input } }
        })
        assert.strictEqual(expectStatus(sent, 202).body.status, "running")
      }
      const commands = (yield* api("GET", `/devices/sessions/${session_id}/commands`, as)).body.data
      assert.lengthOf(commands, 2 * inputs.length)
      for (const { id, input, requested_by, tool } of commands) {
        const [entry] = (yield* api("GET", `/audit-logs?subject_id=${id}&action=device_command.queued`, as)).body.data
        const text = canonicalize(input)
        assert.strictEqual(entry.actor.id, requested_by.id)
        assert.deepInclude(entry.data, {
          device_id: device.id,
          tool,
          input: { bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") }
        })
      }
      for (const { id } of queued) expectStatus(yield* api("POST", `/devices/commands/${id}/cancel`, as), 200)
      const [found] = yield* run(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.orDie(
            sql<
              { entries: number; leaks: number }
            >`select count(*) as entries, count(*) filter (where strpos(data, ${secret}) > 0) as leaks from audit`
          ))
      )
      assert.isAbove(found?.entries ?? 0, 3 * inputs.length)
      assert.strictEqual(found?.leaks, 0)
      assert.isTrue((yield* api("GET", "/audit-logs/verify", as)).body.ok)
    }))

  it.effect("keeps entries of earlier versions verifiable, and the doctor counts entries that hold inputs", () =>
    Effect.gen(function*() {
      const { api, owner, run } = yield* TestHub
      const data = JSON.stringify({ device_id: "dev_1", tool: "shell.run", input: { argv: ["true"], stdin: secret } })
      yield* run(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            Effect.orDie(sql`select append_audit(${owner.org}, 'aud_old', 'device_command.queued',
      'user', ${owner.user}, 'Ada', 'device_command', 'cmd_old', null, null, null, null, null, ${data})`)
        )
      )
      assert.isTrue((yield* api("GET", "/audit-logs/verify", { cookie: owner.cookie })).body.ok)
      const doctor = Doctor.layer.pipe(Layer.provide(DoctorRepository.layer))
      const notices = yield* run(Effect.provide(Effect.flatMap(Doctor, (each) => each.notices), doctor))
      assert.lengthOf(notices, 1)
      assert.include(notices[0], `${owner.org}: 1 audit entries`)
    }))
})

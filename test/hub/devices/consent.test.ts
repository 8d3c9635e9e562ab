/**
 * Consent through the hub: an approval of kind `device_command`, bound to the plan. Spec: reference/devices.md "Consent
 * through the hub".
 */
import { canonicalize } from "@countersign/domain/json"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { connect, makeDevice } from "../../support/device.ts"
import { type Answer, expectStatus, HubTest, TestHub } from "../../support/hub.ts"

const statusAndCode = ({ body, status }: Answer) => [status, body?.error?.code]
const plan = {
  version: 1,
  tool: "shell.run",
  input: { argv: ["deploy", "--now"] },
  directory: "/srv/work",
  program: { path: "/usr/bin/deploy", real_path: "/usr/bin/deploy" },
  sandbox: "none",
  timeout_seconds: 30
}
const digestOf = (value: unknown) => createHash("sha256").update(canonicalize(value)).digest("hex")
const digest = digestOf(plan)

layer(HubTest(), { excludeTestServices: true })("consent through the hub", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const as = { cookie: hub.owner.cookie }
    const device = yield* makeDevice(hub, hub.owner)
    const { body: { session_id: session } } = expectStatus(yield* device.heartbeat(), 200)
    /** Queues a command; the device leases and acknowledges it. */
    const leasing = (more: object) =>
      Effect.gen(function*() {
        const { body: { id } } = expectStatus(
          yield* hub.api("POST", `/devices/sessions/${session}/commands`, {
            ...as,
            body: { tool: "shell.run", input: plan.input, reason: "The release of Friday", ...more }
          }),
          201
        )
        const { body } = expectStatus(yield* device.call("GET", `/devices/sessions/${session}/commands`), 200)
        assert.deepStrictEqual(body.data.map((each: { readonly id: string }) => each.id), [id])
        const lease: number = body.data[0].lease.number
        expectStatus(yield* device.call("POST", `/devices/commands/${id}/ack`, { lease }), 200)
        const report = (facts: object) => device.call("POST", `/devices/commands/${id}/state`, { lease, ...facts })
        return { id: id as string, lease, queueUntil: body.data[0].queue_until as string, report }
      })
    const leased = leasing({})
    const requesting = (more: object) =>
      Effect.gen(function*() {
        const command = yield* leasing(more)
        expectStatus(yield* command.report({ state: "awaiting_consent", plan, plan_digest: digest }), 200)
        const { body } = expectStatus(yield* hub.api("GET", `/devices/commands/${command.id}`, as), 200)
        return { ...command, approval: body.approval_id as string }
      })
    const requested = requesting({})
    const read = (path: string) => Effect.map(hub.api("GET", path, as), (answer) => expectStatus(answer, 200).body)
    const controls = Effect.map(device.heartbeat(), ({ body }) => body.controls)
    const decide = (approval: string, what: "approve" | "reject", body: object = { payload_digest: digest }) =>
      hub.api("POST", `/approvals/${approval}/${what}`, { ...as, body })
    return { ...hub, as, requested, requesting, controls, decide, device, read, session, leased }
  })

  it.effect("shows the plan in the inbox with requester and reason; the approval costs nothing and cannot be remembered or edited", () =>
    Effect.gen(function*() {
      const { api, as, requested, decide, device, owner, read } = yield* world
      const { approval, id } = yield* requested
      const shown = yield* read(`/approvals/${approval}`)
      assert.deepInclude(shown, {
        status: "pending",
        kind: "device_command",
        subject: { type: "device_command", id },
        service: "device",
        operation: "shell.run",
        payload: plan,
        payload_digest: digest,
        cost_cents: 0,
        request_reason: "The release of Friday",
        device: { id: device.id, name: "build-1" }
      })
      assert.deepInclude(shown.requested_by, { type: "user", id: owner.user })
      assert.strictEqual(Date.parse(shown.expires_at) - Date.parse(shown.requested_at), 300_000)
      const waiting = (yield* read("/approvals?kind=device_command")).data
      assert.include(waiting.map((each: { readonly id: string }) => each.id), approval)
      assert.isEmpty((yield* read("/approvals?kind=service_request")).data)
      const remember = { max_cost_cents: 1, max_uses: 1, expires_at: new Date(Date.now() + 60_000).toISOString() }
      assert.deepStrictEqual(statusAndCode(yield* decide(approval, "approve", { remember })), [
        409,
        "standing_not_allowed"
      ])
      const edit = yield* api("POST", `/approvals/${approval}/edit`, {
        ...as,
        body: { payload: {}, payload_digest: digest }
      })
      assert.deepStrictEqual(statusAndCode(edit), [409, "not_editable"])
      assert.deepStrictEqual(statusAndCode(yield* decide(approval, "approve", { payload_digest: "0".repeat(64) })), [
        409,
        "digest_mismatch"
      ])
      assert.strictEqual((yield* read(`/approvals/${approval}`)).status, "pending")
    }))

  it.effect("sends an approval to the device on every answer until the command runs, and reports the start to the approver", () =>
    Effect.gen(function*() {
      const { requested, controls, decide, read } = yield* world
      const { approval, id, report } = yield* requested
      assert.isEmpty(yield* controls)
      const deciding = yield* Effect.forkChild(decide(approval, "approve"))
      const consent = { type: "consent", command_id: id, decision: "approved", plan_digest: digest }
      const received = yield* Effect.repeat(controls, { until: (all) => all.length > 0 })
      assert.deepStrictEqual(received, [consent])
      assert.deepStrictEqual(yield* controls, [consent])
      expectStatus(yield* report({ state: "running" }), 200)
      const decided = expectStatus(yield* Fiber.join(deciding), 200).body
      assert.strictEqual(decided.approval.status, "approved")
      assert.deepInclude(decided.device_command, { id, status: "running", approval_id: approval })
      assert.isEmpty(yield* controls)
      assert.deepStrictEqual(statusAndCode(yield* decide(approval, "reject")), [409, "approval_not_pending"])
      assert.strictEqual((yield* read(`/approvals/${approval}`)).status, "approved")
    }))

  it.effect("sends a rejection to the device, whose denial ends the command", () =>
    Effect.gen(function*() {
      const { requested, controls, decide, device, read } = yield* world
      const { approval, id, lease } = yield* requested
      const rejected = expectStatus(
        yield* decide(approval, "reject", { payload_digest: digest, comment: "Not on a Friday" }),
        200
      )
      assert.deepInclude(rejected.body, { status: "rejected", comment: "Not on a Friday" })
      assert.deepStrictEqual(yield* controls, [{
        type: "consent",
        command_id: id,
        decision: "denied",
        plan_digest: digest
      }])
      const done = yield* device.call("POST", `/devices/commands/${id}/done`, {
        lease,
        outcome: "denied",
        error: { code: "consent_denied", message: "A person said no" }
      })
      expectStatus(done, 200)
      assert.deepInclude(yield* read(`/devices/commands/${id}`), { status: "done", outcome: "denied" })
      assert.isEmpty(yield* controls)
    }))

  it.effect("sends a decision over a socket at once", () =>
    Effect.gen(function*() {
      const { api, as, decide, device, url } = yield* world
      const socket = yield* connect({ url }, device)
      socket.send({
        type: "hello",
        min_protocol: 1,
        max_protocol: 1,
        app_version: "0.2.0",
        instance_id: "i",
        boot_id: "b",
        roots: ["/srv/work"]
      })
      const { session_id } = yield* socket.next("welcome")
      const queued = yield* api("POST", `/devices/sessions/${session_id}/commands`, {
        ...as,
        body: { tool: "shell.run", input: plan.input }
      })
      const { id: command_id } = expectStatus(queued, 201).body
      const lease = (yield* socket.next("command")).lease.number
      socket.send({ type: "ack", command_id, lease })
      yield* socket.next("acked")
      socket.send({ type: "state", command_id, lease, state: "awaiting_consent", plan, plan_digest: digest })
      assert.deepInclude(yield* socket.next("acked"), { command_id, status: "awaiting_consent" })
      const { approval_id } = (yield* api("GET", `/devices/commands/${command_id}`, as)).body
      expectStatus(yield* decide(approval_id, "reject"), 200)
      assert.deepStrictEqual(yield* socket.next("control"), {
        type: "control",
        control: { type: "consent", command_id, decision: "denied", plan_digest: digest }
      })
    }))

  it.effect("accepts a plan only with its own digest, for its own tool, and once per command; without a plan the device asks on its own screen", () =>
    Effect.gen(function*() {
      const { read, leased } = yield* world
      const { id, report } = yield* leased
      const waiting = { state: "awaiting_consent" }
      assert.deepStrictEqual(statusAndCode(yield* report({ ...waiting, plan })), [400, "invalid_request"])
      assert.deepStrictEqual(statusAndCode(yield* report({ ...waiting, plan, plan_digest: "0".repeat(64) })), [
        400,
        "invalid_request"
      ])
      const other = { ...plan, tool: "fs.read" }
      assert.deepStrictEqual(statusAndCode(yield* report({ ...waiting, plan: other, plan_digest: digestOf(other) })), [
        400,
        "invalid_request"
      ])
      assert.deepStrictEqual(statusAndCode(yield* report({ state: "running", plan, plan_digest: digest })), [
        400,
        "invalid_request"
      ])
      expectStatus(yield* report({ ...waiting, plan_digest: digest }), 200)
      const atScreen = yield* read(`/devices/commands/${id}`)
      assert.deepInclude(atScreen, { status: "awaiting_consent", plan_digest: digest })
      assert.notProperty(atScreen, "approval_id")
      expectStatus(yield* report({ ...waiting, plan, plan_digest: digest }), 200)
      const { approval_id } = yield* read(`/devices/commands/${id}`)
      expectStatus(yield* report({ ...waiting, plan, plan_digest: digest }), 200)
      assert.strictEqual((yield* read(`/devices/commands/${id}`)).approval_id, approval_id)
      const changed = { ...plan, input: { argv: ["deploy", "--force"] } }
      assert.deepStrictEqual(
        statusAndCode(yield* report({ ...waiting, plan: changed, plan_digest: digestOf(changed) })),
        [
          409,
          "plan_changed"
        ]
      )
    }))

  it.effect("cancels the approval of a command that ends otherwise", () =>
    Effect.gen(function*() {
      const { api, as, requested, decide, device, read } = yield* world
      const { approval, id, lease } = yield* requested
      expectStatus(yield* api("POST", `/devices/commands/${id}/cancel`, as), 200)
      expectStatus(yield* device.call("POST", `/devices/commands/${id}/done`, { lease, outcome: "cancelled" }), 200)
      assert.strictEqual((yield* read(`/approvals/${approval}`)).status, "cancelled")
      assert.deepStrictEqual(statusAndCode(yield* decide(approval, "approve")), [409, "approval_not_pending"])
      const second = yield* requested
      expectStatus(yield* api("PATCH", `/devices/${device.id}`, { ...as, body: { state: "revoked" } }), 200)
      assert.strictEqual((yield* read(`/approvals/${second.approval}`)).status, "cancelled")
    }))

  it.effect("denies the command when the approval expires", () =>
    Effect.gen(function*() {
      const { requested, controls, decide, read, run } = yield* world
      const { approval, id } = yield* requested
      yield* run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`update approvals set expires_at = clock_timestamp() - interval '1 second' where id = ${approval}`)))
      assert.deepStrictEqual(statusAndCode(yield* decide(approval, "approve")), [409, "approval_not_pending"])
      const received = yield* Effect.repeat(controls, {
        until: (all) =>
          all.length > 0
      })
      assert.deepStrictEqual(received, [{ type: "consent", command_id: id, decision: "denied", plan_digest: digest }])
      assert.strictEqual((yield* read(`/approvals/${approval}`)).status, "expired")
    }))

  it.effect("expires no later than the command's time in the queue", () =>
    Effect.gen(function*() {
      const { requesting, read } = yield* world
      const { approval, queueUntil } = yield* requesting({ queue_seconds: 60 })
      assert.strictEqual((yield* read(`/approvals/${approval}`)).expires_at, queueUntil)
    }))

  it.effect("accepts exactly one of several concurrent decisions", () =>
    Effect.gen(function*() {
      const { requested, controls, decide, read } = yield* world
      const command = yield* requested
      yield* Effect.forkChild(Effect.gen(function*() {
        const [received] = yield* Effect.repeat(controls, { until: (all) => all.length > 0 })
        if (received.decision === "approved") yield* command.report({ state: "running" })
      }))
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, (_, at) => decide(command.approval, at % 2 === 0 ? "reject" : "approve")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [
        200,
        ...Array.from({ length: 19 }, () => 409)
      ])
      assert.include(["approved", "rejected"], (yield* read(`/approvals/${command.approval}`)).status)
    }))

  it.effect("lets the requester reject a command but not approve it, under separation of duties", () =>
    Effect.gen(function*() {
      const { api, as, requested, decide, owner, read } = yield* world
      expectStatus(
        yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { separation_of_duties: true } }),
        200
      )
      const { approval } = yield* requested
      assert.deepStrictEqual(statusAndCode(yield* decide(approval, "approve")), [403, "separation_of_duties"])
      const allowed = (yield* read(`/approvals/${approval}`)).allowed_decisions
      assert.deepStrictEqual(allowed, [
        { decision: "approve", allowed: false, denied_because: "separation_of_duties" },
        { decision: "reject", allowed: true }
      ])
      expectStatus(yield* decide(approval, "reject"), 200)
      expectStatus(yield* api("POST", "/auth/step-up", { ...as, body: { password: owner.password } }), 200)
      expectStatus(
        yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { separation_of_duties: false } }),
        200
      )
    }))
})

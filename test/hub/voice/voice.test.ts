/** Phone calls through a fake Telnyx, from the request to the call's end. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { expectHealthy } from "../../support/health.ts"
import { expectStatus, firstOwner, type HubInTest, makeAgent, startHub, topUp } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { type TelnyxFake, telnyxFake, telnyxHeaders, telnyxKey, twilioHeaders } from "../../support/telephony.ts"

class World extends Context.Service<World, { readonly telnyx: TelnyxFake; readonly hub: HubInTest }>()(
  "test/hub/voice/World"
) {}

const publicUrl = "https://hub.example"

const WorldTest = Layer.effect(
  World,
  Effect.gen(function*() {
    const telnyx = yield* telnyxFake
    const hub = yield* startHub({
      env: { ...telnyx.env, HUB_EGRESS_ALLOW: "127.0.0.1", HUB_PUBLIC_URL: publicUrl }
    })
    yield* firstOwner(hub)
    return { telnyx, hub }
  })
)

const scene = Effect.gen(function*() {
  const { hub, telnyx } = yield* World
  const owner = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
  const { cookie } = owner
  yield* topUp(hub, owner, 10_000)
  expectStatus(yield* hub.api("PUT", "/secrets/telnyx", { cookie, body: { value: telnyxKey } }), 201)
  const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "voice", operations: ["call"] }] })
  return {
    hub,
    telnyx,
    balance: Effect.map(hub.api("GET", "/balance", { cookie }), ({ body }) => [body.balance_cents, body.held_cents]),
    /** Places a call of at most five minutes: its ceiling is 10 cents. */
    dial: hub.api("POST", "/service-requests", {
      key: agent.key,
      body: {
        service: "voice",
        operation: "call",
        payload: { connection_id: "1", from: "+15550100001", to: "+15550100002", max_seconds: 300 }
      }
    }),
    requestOf: (id: string) =>
      Effect.map(hub.api("GET", `/service-requests/${id}?wait=5`, { key: agent.key }), ({ body }) => body)
  }
})

layer(WorldTest, { excludeTestServices: true })("voice.call", (it) => {
  it.effect("runs at Telnyx under its id, and the hang-up settles it at the price of its duration", () =>
    Effect.gen(function*() {
      const { balance, dial, hub, requestOf, telnyx } = yield* scene
      const { id, status } = expectStatus(yield* dial, 202).body
      assert.deepStrictEqual([status, yield* balance], ["running", [10_000, 10]])
      const call = telnyx.calls.at(-1)
      assert.deepStrictEqual(
        [call.to, call.webhook_url, Buffer.from(call.client_state, "base64").toString()],
        ["+15550100002", `${publicUrl}/api/v1/webhooks/voice-status`, id]
      )
      for (const type of ["call.initiated", "call.answered"]) {
        assert.deepStrictEqual((yield* telnyx.report(hub, call, type)).body, { received: true })
      }
      const hangup = telnyx.report(hub, call, "call.hangup", {
        hangup_cause: "normal_clearing",
        start_time: "2026-11-27T10:00:00.000Z",
        end_time: "2026-11-27T10:01:12.000Z"
      })
      const answers = yield* Effect.all([hangup, hangup, hangup], { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200])
      const request = yield* requestOf(id)
      assert.deepStrictEqual([request.status, request.cost_cents, request.result], ["executed", 4, {
        call_control_id: call.call_control_id,
        hangup_cause: "normal_clearing",
        duration_seconds: 72
      }])
      assert.deepStrictEqual(yield* balance, [9_996, 0])
      // A report about a settled or an unknown call changes nothing.
      assert.strictEqual((yield* telnyx.report(hub, call, "call.hangup", { hangup_cause: "user_busy" })).status, 200)
      assert.strictEqual((yield* telnyx.report(hub, { call_control_id: "v3:x" }, "call.hangup", {})).status, 200)
      assert.deepStrictEqual(yield* balance, [9_996, 0])
      yield* expectHealthy(hub.target)
    }))

  it.effect("fails without charge when nobody answers, the line is busy, or the call is canceled", () =>
    Effect.gen(function*() {
      const { balance, dial, hub, requestOf, telnyx } = yield* scene
      for (const cause of ["user_busy", "timeout", "originator_cancel", "call_rejected"]) {
        const { id } = expectStatus(yield* dial, 202).body
        yield* telnyx.report(hub, telnyx.calls.at(-1), "call.hangup", { hangup_cause: cause })
        const request = yield* requestOf(id)
        assert.deepStrictEqual([request.status, request.cost_cents, request.result.detail], [
          "failed",
          0,
          `The call ended: ${cause}.`
        ])
      }
      assert.deepStrictEqual(yield* balance, [10_000, 0])
    }))

  it.effect("settles by a report that arrives before Telnyx has answered the call", () =>
    Effect.gen(function*() {
      const { dial, hub, requestOf, telnyx } = yield* scene
      telnyx.before.push((call) => telnyx.report(hub, call, "call.hangup", { hangup_cause: "user_busy" }))
      const { id } = (yield* dial).body
      assert.strictEqual((yield* requestOf(id)).status, "failed")
    }))

  it.effect("settles by Twilio's status callback over the public address", () =>
    Effect.gen(function*() {
      const { dial, hub, requestOf, telnyx } = yield* scene
      const { id } = expectStatus(yield* dial, 202).body
      const fields = {
        CallSid: telnyx.calls.at(-1).call_control_id,
        CallStatus: "completed",
        CallDuration: "59",
        From: "+1"
      }
      const post = (path: string, headers: Record<string, string>, change: object = {}) =>
        Effect.map(
          hub.api("POST", path, { body: new URLSearchParams({ ...fields, ...change }).toString(), headers }),
          ({ status }) => status
        )
      const path = "/webhooks/voice-status?x=1"
      const headers = twilioHeaders(`${publicUrl}/api/v1${path}`, fields)
      assert.deepStrictEqual(
        [
          yield* post(path, headers, { CallDuration: "1" }),
          yield* post("/webhooks/voice-status", headers),
          yield* post(path, twilioHeaders(`${hub.url}/api/v1${path}`, fields)),
          yield* post(path, twilioHeaders(`${publicUrl}/api/v1${path}`, fields, "wrong")),
          yield* post(path, headers)
        ],
        [401, 401, 401, 401, 200]
      )
      const request = yield* requestOf(id)
      assert.deepStrictEqual([request.status, request.cost_cents], ["executed", 2])
    }))

  it.effect("refuses altered, unsigned, and old reports of Telnyx with 401", () =>
    Effect.gen(function*() {
      const { hub, telnyx } = yield* World
      const body = telnyx.eventOf({ call_control_id: "v3:1" }, "call.hangup", {})
      const post = (text: string, headers: Record<string, string>) =>
        Effect.map(hub.api("POST", "/webhooks/voice-status", { body: text, headers }), ({ status }) => status)
      assert.deepStrictEqual(
        [
          yield* post(`${body} `, telnyxHeaders(body)),
          yield* post(body, {}),
          yield* post(body, telnyxHeaders(body, Math.floor(Date.now() / 1_000) - 301)),
          yield* post("x".repeat(300_000), telnyxHeaders(body)),
          yield* post("{}", telnyxHeaders("{}"))
        ],
        [401, 401, 401, 413, 200]
      )
    }))
})

/** A fake of Telnyx that takes calls, and the signed reports of Telnyx and Twilio about their end. */
import { Effect } from "effect"
import { createHmac, generateKeyPairSync, sign } from "node:crypto"
import { type Answer, apiOf } from "./hub.ts"
import { rawPublicKey } from "./messengers.ts"
import { httpUpstream } from "./upstream.ts"

// eslint-disable-next-line typescript/no-explicit-any
type Json = any

export const telnyxKey = "KEY0123456789"
export const twilioToken = "12345"
const keys = generateKeyPairSync("ed25519")

export const telnyxHeaders = (body: string, seconds = Math.floor(Date.now() / 1_000)) => ({
  "telnyx-timestamp": String(seconds),
  "telnyx-signature-ed25519": sign(null, Buffer.from(`${seconds}|${body}`), keys.privateKey).toString("base64")
})

export const twilioHeaders = (url: string, fields: Readonly<Record<string, string>>, token = twilioToken) => ({
  "content-type": "application/x-www-form-urlencoded",
  "x-twilio-signature": createHmac("sha1", token).update(
    url + Object.keys(fields).sort().map((name) => name + fields[name]).join("")
  ).digest("base64")
})

export const telnyxFake = Effect.gen(function*() {
  const calls: Array<Json> = []
  /** Runs before the answer to a call is sent. */
  const before: Array<(call: Json) => Effect.Effect<unknown>> = []
  const upstream = yield* httpUpstream(({ body, headers, method, url }, response) => {
    const answer = (status: number, value: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
    if (headers.authorization !== `Bearer ${telnyxKey}`) return answer(401, { errors: [{ title: "Unauthorized" }] })
    if (method !== "POST" || url !== "/v2/calls") return answer(404, {})
    const call = { ...JSON.parse(body), call_control_id: `v3:${calls.length + 1}` }
    calls.push(call)
    const early = before.shift()
    Effect.runFork(Effect.andThen(
      early === undefined ? Effect.void : early(call),
      Effect.sync(() => answer(200, { data: { call_control_id: call.call_control_id, is_alive: true } }))
    ))
  })
  const eventOf = (call: Json, type: string, payload: object) =>
    JSON.stringify({
      data: {
        record_type: "event",
        event_type: type,
        id: crypto.randomUUID(),
        occurred_at: new Date().toISOString(),
        payload: { call_control_id: call.call_control_id, client_state: call.client_state, ...payload }
      }
    })
  return {
    calls,
    before,
    eventOf,
    env: {
      HUB_VOICE_API_BASE: `${upstream.origin}/v2`,
      HUB_TELNYX_PUBLIC_KEY: rawPublicKey(keys.publicKey).toString("base64"),
      HUB_TWILIO_AUTH_TOKEN: twilioToken
    },
    /** Reports an event of a call to a hub. */
    report: (hub: { readonly url: string }, call: Json, type: string, payload: object = {}): Effect.Effect<Answer> => {
      const body = eventOf(call, type, payload)
      return apiOf(hub.url)("POST", "/webhooks/voice-status", { body, headers: telnyxHeaders(body) })
    }
  }
})

export type TelnyxFake = Effect.Success<typeof telnyxFake>

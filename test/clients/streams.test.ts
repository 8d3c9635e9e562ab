/** Streams and chat turns resume after a cut and deliver each event once; webhooks are verified. In both languages. */
import { Countersign, CountersignError, SignatureError, TurnError, verifyWebhook } from "@countersign/client"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createHmac } from "node:crypto"
import { ChatTurn } from "../../packages/client/src/chat.ts"
import { pythonProgram, runPython } from "./python.ts"
import { eventText, json, type Play, type ScriptedServer, scriptedServer, stream } from "./scripted-server.ts"

class Server extends Context.Service<Server, ScriptedServer>()("test/clients/Server") {}

const changed = (at: number) =>
  eventText("approval.created", { id: `evt_${at}`, type: "approval.created", version: at }, `p${at}`)

const turnEvent = (seq: number, event: string, data: object): string =>
  eventText(event, { turn_id: "trn_1", seq, ...data }, `trn_1-${seq}`)
const delta = (seq: number, text: string, offset: number) =>
  turnEvent(seq, "message_delta", { delta: text, part: 0, offset })
const message = { id: "msg_1", role: "assistant", parts: [{ type: "text", text: "Hello" }], created_at: "now" }

/** By name: what the hub answers in turn, for clients of both languages. */
const scripts: Readonly<Record<string, ReadonlyArray<Play>>> = {
  "events": [
    stream([": here\n\n", changed(1), changed(2).slice(0, 20)], "cut"),
    json(503, { error: { code: "unavailable", message: "later" } }),
    stream([changed(2), changed(3)])
  ],
  "events-refused": [json(403, { error: { code: "forbidden", message: "no" } })],
  "turn": [
    stream([turnEvent(0, "model", { model: "m" }), delta(1, "Hel", 0)], "cut"),
    // The hub replays more than the position says: nothing is delivered twice.
    stream([
      delta(1, "Hel", 0),
      delta(2, "lo", 3),
      turnEvent(3, "event_of_tomorrow", { thing: 1 }),
      turnEvent(4, "message", { message }),
      turnEvent(5, "done", { reason: "end" })
    ])
  ],
  "turn-before": [
    (response) => void response.socket?.resetAndDestroy(),
    stream([turnEvent(0, "message", { message }), turnEvent(1, "done", { reason: "end" })])
  ],
  "turn-error": [
    stream([turnEvent(0, "error", { code: "insufficient_balance", message: "Add funds.", retryable: true })])
  ]
}

const addAll = (server: ScriptedServer, suffix: string) =>
  Object.fromEntries(Object.entries(scripts).map(([name, plays]) => [name, server.add(`${name}-${suffix}`, plays)]))

const checkStreams = (server: ScriptedServer, suffix: string, found: Readonly<Record<string, unknown>>) => {
  assert.deepStrictEqual(found["events"], [1, 2, 3])
  assert.deepStrictEqual(server.sent(`events-${suffix}`).map(({ headers }) => headers["last-event-id"]), [
    undefined,
    "p1",
    "p1"
  ])
  assert.deepStrictEqual(found["events-refused"], "forbidden")
  assert.deepStrictEqual(found["turn"], [
    ["model", "message_delta", "message_delta", "event_of_tomorrow", "message", "done"],
    "msg_1",
    "end"
  ])
  const [first, second] = server.sent(`turn-${suffix}`)
  assert.deepStrictEqual(JSON.parse(first!.body), { session_id: "cht_1", message: "hi" })
  assert.deepStrictEqual(JSON.parse(second!.body), { session_id: "cht_1", continue_from: "trn_1" })
  assert.strictEqual(second!.headers["last-event-id"], "trn_1-1")
  const before = server.sent(`turn-before-${suffix}`)
  assert.deepStrictEqual(before.map(({ body }) => JSON.parse(body) as unknown), [
    { session_id: "cht_1", message: "hi" },
    { session_id: "cht_1", message: "hi" }
  ])
  assert.strictEqual(before[0]!.headers["idempotency-key"], before[1]!.headers["idempotency-key"])
  assert.deepStrictEqual(found["turn-before"], "msg_1")
  assert.deepStrictEqual(found["turn-error"], ["insufficient_balance", true])
}

const secret = `whsec_${Buffer.from("a secret of a webhook").toString("base64")}`
const body = JSON.stringify({ type: "approval.created", data: { id: "apr_1" } })
const now = 1_795_000_000
const sign = (key: string, text = body, at = now) =>
  `v1,${createHmac("sha256", Buffer.from(key.slice(6), "base64")).update(`msg_1.${at}.${text}`).digest("base64")}`
const headersOf = (signature: string, at = now) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(at),
  "webhook-signature": signature
})

/** Deliveries, and the error code that each leads to. */
const deliveries = [
  { name: "valid", body, headers: headersOf(sign(secret)), code: null },
  {
    name: "valid, of the secret before a rotation",
    body,
    headers: headersOf(`v1,AAAA v2,${sign(secret)} ${sign(secret)}`),
    code: null
  },
  { name: "of another body", body: `${body} `, headers: headersOf(sign(secret)), code: "invalid_signature" },
  { name: "of another secret", body, headers: headersOf(sign("whsec_AAAA")), code: "invalid_signature" },
  { name: "at the edge", body, headers: headersOf(sign(secret, body, now - 300), now - 300), code: null },
  { name: "too old", body, headers: headersOf(sign(secret, body, now - 301), now - 301), code: "expired_timestamp" },
  {
    name: "of the future",
    body,
    headers: headersOf(sign(secret, body, now + 301), now + 301),
    code: "expired_timestamp"
  },
  {
    name: "without a signature",
    body,
    headers: { "webhook-id": "1", "webhook-timestamp": "1" },
    code: "missing_header"
  },
  { name: "not JSON", body: "text", headers: headersOf(sign(secret, "text")), code: "unreadable_body" }
]

layer(Layer.effect(Server, scriptedServer), { excludeTestServices: true })("a stream of a client", (it) => {
  it.effect("resumes after a cut in TypeScript", () =>
    Effect.gen(function*() {
      const server = yield* Server
      const addresses = addAll(server, "ts")
      const clientOf = (name: string) =>
        new Countersign({ baseUrl: addresses[name]!, token: "svc_pat_live_x", sleep: async () => {} })
      const turnOf = (name: string) => turn(addresses[name]!)
      const found = yield* Effect.promise(async () => {
        const versions: Array<number> = []
        for await (const { data } of clientOf("events").events.stream()) {
          versions.push(data.version)
          if (data.version === 3) break
        }
        const refused = await collect(clientOf("events-refused").events.stream()).catch((error: unknown) =>
          error instanceof CountersignError ? error.code : error
        )
        const one = turnOf("turn")
        const types = (await collect(one)).map(({ type }) => type)
        const failed = await turnOf("turn-error").finalMessage().catch((error: unknown) => error)
        assert.instanceOf(failed, TurnError)
        return {
          events: versions,
          "events-refused": refused,
          turn: [types, (await one.finalMessage())?.id, one.reason],
          "turn-before": (await turnOf("turn-before").finalMessage())?.id,
          "turn-error": [failed.code, failed.data?.["retryable"]]
        }
      })
      checkStreams(server, "ts", found)
    }))

  it.effect(
    "resumes after a cut in Python, and verifies webhooks as TypeScript does",
    (context) =>
      Effect.gen(function*() {
        const server = yield* Server
        const addresses = { sync: addAll(server, "sync"), async: addAll(server, "async") }
        const input = JSON.stringify({ addresses, secret, now, deliveries })
        const output = yield* runPython(context, pythonProgram("streams.py"), [], input)
        const found = JSON.parse(output) as {
          readonly sync: Readonly<Record<string, unknown>>
          readonly async: Readonly<Record<string, unknown>>
          readonly webhooks: ReadonlyArray<string | null>
        }
        checkStreams(server, "sync", found.sync)
        checkStreams(server, "async", found.async)
        assert.deepStrictEqual(found.webhooks, deliveries.map(({ code }) => code))
      }),
    600_000
  )

  it.effect.each(deliveries)(
    "a webhook that is $name is verified by its signature",
    ({ body, code, headers }) =>
      Effect.promise(async () => {
        const options = { now: new Date(now * 1_000) }
        const verified = await verifyWebhook(body, headers, secret, options).catch((error: unknown) => error)
        if (code === null) assert.deepStrictEqual(verified, JSON.parse(body))
        else {
          assert.instanceOf(verified, SignatureError)
          assert.strictEqual(verified.code, code)
        }
      })
  )
})

const collect = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const item of items) all.push(item)
  return all
}

/** A turn as `client.chat.turn` makes it. */
const turn = (base: string): ChatTurn =>
  (new Countersign({ baseUrl: base, token: "svc_pat_live_x", sleep: async () => {} }) as unknown as {
    readonly chat: { readonly turn: (input: object) => ChatTurn }
  }).chat.turn({ session_id: "cht_1", message: "hi" })

/** The examples that a hub calls, as programs: receivers of webhooks, and a service with a callback. */
import { Countersign } from "@countersign/client"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expectStatus, HubTest, makeAgent, makeToken, TestHub, topUp } from "../support/hub.ts"
import { closedPort } from "../support/upstream.ts"
import { python, pythonClient } from "./python.ts"

const examples = join(import.meta.dirname, "..", "..", "resources", "examples")

/** Starts an example; its lines are read from the queue. */
const startExample = Effect.fnUntraced(function*(program: string, file: string, env: Readonly<Record<string, string>>) {
  const lines = yield* Queue.unbounded<string>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(program, [join(examples, file)], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  createInterface(child.stdout).on("line", (line) => Queue.offerUnsafe(lines, line))
  return lines
})

/** Starts a receiver, sends it a test event, and a message with a wrong signature. */
const receives = Effect.fnUntraced(function*(program: string, file: string, env: Readonly<Record<string, string>>) {
  const { api, owner } = yield* TestHub
  const port = yield* closedPort
  const url = `http://127.0.0.1:${port}/`
  const endpoint = expectStatus(
    yield* api("POST", "/webhook-endpoints", { cookie: owner.cookie, body: { url, types: ["webhook.test"] } }),
    201
  ).body
  const lines = yield* startExample(program, file, {
    ...env,
    PORT: String(port),
    WEBHOOK_SECRET: endpoint.secret
  })
  assert.strictEqual(yield* Queue.take(lines), `listening on ${port}`)
  const forged = yield* Effect.promise(() =>
    fetch(url, {
      method: "POST",
      headers: {
        "webhook-id": "evt_1",
        "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
        "webhook-signature": "v1,AAAA"
      },
      body: "{}"
    })
  )
  assert.strictEqual(forged.status, 400)
  expectStatus(yield* api("POST", `/webhook-endpoints/${endpoint.id}/test`, { cookie: owner.cookie }), 202)
  assert.match(yield* Queue.take(lines), /^webhook\.test /u)
})

/** The callback address is the hub's public one. */
const HubWithUrl = Layer.unwrap(
  Effect.map(closedPort, (port) => HubTest({ env: { HUB_PORT: String(port), HUB_EGRESS_ALLOW: "127.0.0.1" } }))
)

layer(HubWithUrl, { excludeTestServices: true })("an example", (it) => {
  it.effect("in TypeScript verifies the signed event of a hub", () =>
    Effect.scoped(receives(process.execPath, "webhook-receiver.ts", {})))

  it.effect("in Python verifies the signed event of a hub", (context) =>
    Effect.scoped(receives(python(context), "webhook_receiver.py", { PYTHONPATH: join(pythonClient, "src") })))

  it.effect("is a service that accepts an order and reports its end and its cost by a callback", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const port = yield* closedPort
      yield* topUp(hub, hub.owner, 1_000)
      const env = {
        PORT: String(port),
        COUNTERSIGN_URL: hub.url,
        COUNTERSIGN_TOKEN: yield* makeToken(hub, hub.owner, ["catalog:write"])
      }
      // A second start declares the service again, with another secret.
      yield* Effect.scoped(Effect.flatMap(startExample(process.execPath, "custom-service.ts", env), Queue.take))
      const lines = yield* startExample(process.execPath, "custom-service.ts", env)
      assert.strictEqual(yield* Queue.take(lines), `prints is a service of the hub, on port ${port}`)
      const agent = yield* makeAgent(hub, hub.owner, { bindings: [{ service: "prints", operations: ["*"] }] })
      const client = new Countersign({ baseUrl: hub.url, apiKey: agent.key, sleep: async () => {} })
      const payload = { document_url: "https://files.example/flyer.pdf", copies: 10 }
      const sent = yield* Effect.promise(() => client.dispatch({ service: "prints", operation: "order", payload }))
      assert.deepStrictEqual([sent.status, sent.ceiling_cents], ["running", 300])
      assert.strictEqual(yield* Queue.take(lines), "reported po_1: 200")
      const ended = yield* Effect.promise(() => client.poll(sent.id))
      assert.deepStrictEqual([ended.status, ended.cost_cents, ended.status === "executed" ? ended.result : undefined], [
        "executed",
        250,
        { id: "po_1", state: "printed", total_cents: 250 }
      ])
    }).pipe(Effect.scoped))
})

/** The examples that receive webhooks, as programs: a real hub sends them a signed event. */
import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expectStatus, HubTest, TestHub } from "../support/hub.ts"
import { python, pythonClient } from "./python.ts"

const examples = join(import.meta.dirname, "..", "..", "resources", "examples")

const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
})

/** Starts a receiver, sends it a test event, and a message with a wrong signature. */
const receives = Effect.fnUntraced(function*(program: string, file: string, env: Readonly<Record<string, string>>) {
  const { api, owner } = yield* TestHub
  const port = yield* freePort
  const url = `http://127.0.0.1:${port}/`
  const endpoint = expectStatus(
    yield* api("POST", "/webhook-endpoints", { cookie: owner.cookie, body: { url, types: ["webhook.test"] } }),
    201
  ).body
  const lines = yield* Queue.unbounded<string>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(program, [join(examples, file)], {
        env: { ...process.env, ...env, PORT: String(port), WEBHOOK_SECRET: endpoint.secret },
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  createInterface(child.stdout).on("line", (line) => Queue.offerUnsafe(lines, line))
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

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "a receiver of webhooks verifies an event of a hub",
  (it) => {
    it.effect("in TypeScript", () => Effect.scoped(receives(process.execPath, "webhook-receiver.ts", {})))

    it.effect("in Python", (context) =>
      Effect.scoped(receives(python(context), "webhook_receiver.py", { PYTHONPATH: join(pythonClient, "src") })))
  }
)

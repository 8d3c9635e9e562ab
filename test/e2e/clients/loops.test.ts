/**
 * Agent loops in Python and TypeScript without a client: each reads `GET /agent-docs` with its key, sends the offered
 * operations, polls, and stops as the document requires. A provider on loopback answers, cuts the connection, and runs
 * work that is polled.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"
import { requireFor } from "../../support/required.ts"
import { missingPython } from "../../support/requirements.mjs"
import { closedPort, httpUpstream } from "../../support/upstream.ts"

const programs = join(import.meta.dirname, "programs")

interface Line {
  readonly operation: string
  readonly status: string
  readonly approval_id?: string | null
  readonly cost_cents?: number
  readonly fate?: string | null
  readonly next?: string
}

/** Runs a loop to its end; `onLine` gets each line as it is printed. */
const runLoop = (command: string, args: ReadonlyArray<string>, onLine: (line: Line) => void) =>
  Effect.callback<ReadonlyArray<Line>>((resume) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] })
    const lines: Array<Line> = []
    let errors = ""
    child.stderr.on("data", (text: Buffer) => void (errors += text.toString()))
    createInterface({ input: child.stdout }).on("line", (text) => {
      const line = JSON.parse(text) as Line
      lines.push(line)
      onLine(line)
    })
    child.on(
      "close",
      (code) => resume(code === 0 ? Effect.succeed(lines) : Effect.die(`the loop ended with ${code}: ${errors}`))
    )
    return Effect.sync(() => void child.kill())
  })

const operation = (name: string, more: object = {}) => ({
  name,
  method: "POST",
  path: `/${name}`,
  description: `Does ${name}`,
  price: { type: "fixed", cents: 10 },
  payload_schema: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
  example: { text: name },
  ...more
})
const operations = [
  operation("asked", { price: { type: "fixed", cents: 200 } }),
  operation("capped"),
  operation("cut"),
  operation("done"),
  operation("later", {
    async: {
      mode: "poll",
      ref: "/id",
      path: "/jobs/${ref}",
      interval_ms: 1_000,
      status: "/state",
      executed: ["ready"],
      failed: ["bad"]
    }
  })
]

const HubWithUrl = Layer.unwrap(
  Effect.map(closedPort, (port) => HubTest({ env: { HUB_PORT: String(port), HUB_EGRESS_ALLOW: "127.0.0.1" } }))
)

layer(HubWithUrl, { excludeTestServices: true })("a loop written from agent-docs alone", (it) => {
  const loop = Effect.fnUntraced(function*(service: string, command: string, program: string) {
    const hub = yield* TestHub
    const { api, owner: { cookie } } = hub
    const upstream = yield* httpUpstream(({ url }, response) => {
      if (url === "/cut") return void response.destroy()
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "j1", state: "ready" }))
    })
    yield* topUp(hub, hub.owner, 5_000)
    yield* makeService(hub, hub.owner, { name: service, kind: "http", base_url: upstream.origin, operations })
    const agent = yield* makeAgent(hub, hub.owner, {
      bindings: [{
        service,
        operations: ["*"],
        per_operation: { asked: { approval_threshold_cents: 100 }, capped: { monthly_cap_cents: 5 } }
      }]
    })
    const approved: Array<Promise<unknown>> = []
    const lines = yield* runLoop(
      command,
      [join(programs, program), `${hub.url}/api/v1/agent-docs`, agent.key],
      ({ approval_id: id, status }) => {
        if (status !== "approval_required" || id === undefined || id === null) return
        approved.push(
          Effect.runPromise(
            Effect.map(
              api("POST", `/approvals/${id}/approve`, { cookie, body: {} }),
              (answer) => expectStatus(answer, 200)
            )
          )
        )
      }
    )
    yield* Effect.promise(() => Promise.all(approved))
    const ended = lines.filter(({ next }) => next !== undefined)
    assert.deepStrictEqual(
      ended.map(({ cost_cents, fate, operation, status }) => [operation, status, cost_cents, fate]),
      [
        ["asked", "executed", 200, null],
        ["capped", "blocked", 0, null],
        ["cut", "failed", 0, "unknown"],
        ["done", "executed", 10, null],
        ["later", "executed", 10, null]
      ]
    )
    assert.lengthOf(approved, 1)
    const nextOf = (name: string) => ended.find((line) => line.operation === name)?.next ?? ""
    assert.include(nextOf("capped"), "Ask for a higher cap")
    assert.include(nextOf("cut"), "do not send it again with a new idempotency-key")
    assert.include(nextOf("done"), "result")
    // A request that may have been executed is not sent again, and refused requests never reach the provider.
    const count = (path: string) => upstream.received.filter(({ url }) => url === path).length
    assert.deepStrictEqual([count("/cut"), count("/capped"), count("/asked"), count("/done"), count("/later")], [
      1,
      0,
      1,
      1,
      1
    ])
    assert.strictEqual((yield* api("GET", `/agents/${agent.id}/budget`, { cookie })).body.spent_cents, 220)
  })

  it.effect("in TypeScript ends each operation with the expected outcome", () =>
    loop("typed", process.execPath, "loop.ts"))

  it.effect("in Python ends each operation with the expected outcome", (context) => {
    requireFor(context as never, missingPython())
    return loop("snake", "python3", "loop.py")
  })
})

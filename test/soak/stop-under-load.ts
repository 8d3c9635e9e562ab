/**
 * A hub that gets SIGTERM under load, repeatedly over one database. Long polls are answered at once, event streams end
 * with a hint to reconnect, idle connections do not delay the exit, and no refused request is charged.
 */
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { ServerResponse } from "node:http"
import { connect as dial, type Socket } from "node:net"
import { makeDevice } from "../support/device.ts"
import { expectHealthy, until } from "../support/health.ts"
import { type HubProgram, spawnHub } from "../support/hub-program.ts"
import { apiOf, cookieOf, expectStatus, makeAgent, makeService, topUp } from "../support/hub.ts"
import { freshDatabase } from "../support/pg.ts"
import { type Chance, chanceOf } from "../support/random.ts"
import { httpUpstream } from "../support/upstream.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

const owner = { email: "ada@countersign.test", password: "correct horse battery" }
const priceCents = 3
const funds = 1_000_000
/** The requirement: a hub without work in progress ends within 15 s. */
const idleExitMillisMax = 15_000
const workers = 6
const polls = 4

/** Sends `text` on a new connection and never reads an answer. */
const rawConnection = (hub: { readonly url: string }, text: string): Effect.Effect<Socket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = dial(Number(new URL(hub.url).port), "127.0.0.1", () => {
        socket.pause().write(text, () => resume(Effect.succeed(socket)))
      })
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

interface Outcome {
  readonly status: number
  readonly body: { readonly id?: string; readonly status?: string } | undefined
}

const round = Effect.fnUntraced(
  function*(database: { readonly database: string }, at: number, chance: Chance, log: (line: string) => void) {
    let held: Array<ServerResponse> = []
    let isHolding = false
    const answer = (response: ServerResponse) =>
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    const provider = yield* httpUpstream((_, response) => void (isHolding ? held.push(response) : answer(response)))
    const hub: HubProgram = yield* spawnHub({
      database,
      env: { HUB_OWNER_EMAIL: owner.email, HUB_OWNER_PASSWORD: owner.password, HUB_EGRESS_ALLOW: "127.0.0.1" }
    })
    const as = { cookie: cookieOf(expectStatus(yield* hub.api("POST", "/auth/login", { body: owner }), 200)) }
    const name = `work${at}`
    const operation = (operationName: string, cents: number) => ({
      name: operationName,
      method: "POST",
      path: `/${operationName}`,
      payload_schema: { type: "object" },
      price: { type: "fixed", cents }
    })
    yield* makeService(hub, as, {
      name,
      kind: "http",
      base_url: provider.origin,
      operations: [operation("quick", priceCents), operation("dear", 50_000)]
    })
    if (at === 0) yield* topUp(hub, as, funds)
    const agent = yield* makeAgent(hub, as, {
      bindings: [{ service: name, operations: ["*"], approval_threshold_cents: 1_000 }]
    })
    const submit = (operationName: string) =>
      apiOf(hub.url)("POST", "/service-requests", {
        key: agent.key,
        body: { service: name, operation: operationName, payload: {} }
      })
    const pending = expectStatus(yield* submit("dear"), 200).body
    assert.strictEqual(pending.status, "approval_required")

    // Idle callers and connections.
    const waiting = Array.from(
      { length: polls },
      () => Effect.runPromise(apiOf(hub.url)("GET", `/service-requests/${pending.id}?wait=30`, { key: agent.key }))
    )
    const streams = yield* Effect.promise(() =>
      Promise.all(
        ["/events", "/events?workspace=all"].map((path) => fetch(`${hub.url}/api/v1${path}`, { headers: as }))
      )
    )
    const ends = streams.map((stream) => stream.text())
    yield* rawConnection(hub, `GET /api/v1/events HTTP/1.1\r\nhost: hub\r\ncookie: ${as.cookie}\r\n\r\n`)
    yield* rawConnection(
      hub,
      `POST /api/v1/service-requests HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer ${agent.key}\r\n` +
        "content-type: application/json\r\ncontent-length: 100\r\n\r\n{\"service\":"
    )
    const device = yield* makeDevice(hub, as)
    yield* rawConnection(
      hub,
      `GET /api/v1/devices/${device.id}/connect HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer ${device.key}\r\n` +
        "connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )

    // Agents that send requests until the hub has ended.
    const outcomes: Array<Outcome> = []
    let isGone = false
    const load = Array.from({ length: workers }, async () => {
      while (!isGone) {
        const outcome = await Effect.runPromise(submit("quick")).catch(() => undefined)
        if (outcome === undefined) return
        outcomes.push(outcome)
        if (outcome.status === 503) return
      }
    })
    const sentBefore = 20 + chance.int(60)
    yield* until(`${sentBefore} requests are answered`, Effect.sync(() => outcomes.length >= sentBefore))

    // In every other round, the provider is still working when the signal arrives.
    const withWork = at % 2 === 0
    isHolding = withWork
    if (withWork) yield* until("the provider holds a request", Effect.sync(() => held.length > 0))
    const began = performance.now()
    yield* hub.kill("SIGTERM")
    for (const { body, status } of yield* Effect.promise(() => Promise.all(waiting))) {
      assert.deepStrictEqual([status, body.status], [200, "approval_required"])
    }
    for (const text of yield* Effect.promise(() => Promise.all(ends))) assert.match(text, /\nretry: \d+\n/)
    const toldAfter = Math.round(performance.now() - began)
    if (withWork) {
      isHolding = false
      for (const response of held.splice(0)) answer(response)
    }
    const ending = yield* hub.ended
    const exitedAfter = Math.round(performance.now() - began)
    isGone = true
    yield* Effect.promise(() => Promise.all(load))
    assert.deepStrictEqual(ending, { code: 0, signal: null }, hub.lines.join("\n"))
    assert.isBelow(exitedAfter, idleExitMillisMax)
    for (const { body, status } of outcomes) {
      assert.isTrue(
        status === 503 || (status === 200 && body?.status === "executed"),
        `${status} ${JSON.stringify(body)}`
      )
    }
    held = []
    log(`round ${at}: ${outcomes.length} answered, waiting callers after ${toldAfter} ms, exit after ${exitedAfter} ms`)
    return outcomes.filter(({ status }) => status === 200).length
  }
)

const run = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed)
    const database = yield* freshDatabase
    let executed = 0
    for (let at = 0; at < scale; at++) executed += yield* Effect.scoped(round(database, at, chance, log))
    yield* expectHealthy(database)
    const hub = yield* spawnHub({ database })
    const as = { cookie: cookieOf(expectStatus(yield* hub.api("POST", "/auth/login", { body: owner }), 200)) }
    const balance = expectStatus(yield* hub.api("GET", "/balance", as), 200).body.available_cents
    assert.strictEqual(balance, funds - executed * priceCents)
  }).pipe(Effect.scoped, Effect.runPromise)

export const soak: SoakScenario = {
  name: "stop-under-load",
  summary:
    "SIGTERM under load: waiting callers are answered at once, the hub exits in time, every refused request is free",
  run
}

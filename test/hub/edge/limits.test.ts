/**
 * Limits against greedy callers: one caller cannot use up another's share. Spec: reference/conventions.md "Rate
 * limits", "Open calls".
 */
import { HubApi } from "@countersign/domain/api"
import { StaysOpen } from "@countersign/domain/auth"
import { openApiOf } from "@countersign/domain/openapi"
import { parseConfig, Settings } from "@countersign/hub/config"
import { OpenCalls } from "@countersign/hub/edge/open-calls"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option, Queue, Result } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { makeDevice, offer } from "../../support/device.ts"
import { until } from "../../support/health.ts"
import { callbackFor, makeCallbackService, sendCallback, signatureOf } from "../../support/hooks.ts"
import {
  type Answer,
  cookieOf,
  expectStatus,
  HubTest,
  makeAgent,
  makeToken,
  TestHub,
  topUp
} from "../../support/hub.ts"
import { makePerson, password } from "../../support/people.ts"

const hookBurst = 10
const openMax = 4
const userBurst = 60

const limits = {
  HUB_RATE_LIMIT_HOOK: `0.01:${hookBurst}`,
  HUB_RATE_LIMIT_USER: `0.01:${userBurst}`,
  HUB_OPEN_CALLS: `${openMax}`,
  HUB_TRUSTED_PROXIES: "127.0.0.1"
}

interface OperationText {
  readonly operationId: string
  readonly responses: unknown
}

/** As a proxy forwards it. */
const from = (address: string) => ({ "x-forwarded-for": address })
const statuses = (answers: ReadonlyArray<Answer>) => answers.map(({ status }) => status)

layer(HubTest({ env: limits }), { excludeTestServices: true })("limits against greedy callers", (it) => {
  it.effect("signed callbacks are accepted while unsigned ones flood the same hook from the same address", () =>
    Effect.gen(function*() {
      const { api, owner } = yield* TestHub
      const path = yield* makeCallbackService({ api }, owner, "flooded")
      const send = (headers: Record<string, string>, text: string) =>
        sendCallback(api, path, text, { ...from("192.0.2.1"), ...headers })
      const flood = Effect.forEach(
        Array.from({ length: 60 }),
        (_, at) =>
          send(at % 2 === 0 ? {} : signatureOf(callbackFor(`u${at}`), "another secret"), callbackFor(`u${at}`)),
        { concurrency: 8 }
      )
      const [unverified, verified] = yield* Effect.all([
        flood,
        Effect.forEach(Array.from({ length: hookBurst }), (_, at) => {
          const text = callbackFor(`v${at}`)
          return send(signatureOf(text), text)
        }, { concurrency: 2 })
      ], { concurrency: 2 })
      assert.deepStrictEqual(statuses(verified), verified.map(() => 202))
      assert.deepStrictEqual([...new Set(statuses(unverified))].sort(), [401, 429])
      assert.strictEqual(statuses(unverified).filter((status) => status === 401).length, hookBurst)
      for (const { headers, status } of unverified) {
        if (status === 429) assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      }
      // The hook's own limit is for verified callbacks, and the address may still send those.
      const text = callbackFor("one more")
      assert.strictEqual((yield* send(signatureOf(text), text)).status, 429)
      assert.strictEqual((yield* sendCallback(api, path, text, from("192.0.2.2"))).status, 401)
    }))

  it.effect("unsigned callbacks from one /64 share a limit, whatever hook they name", () =>
    Effect.gen(function*() {
      const { api, owner } = yield* TestHub
      const answers = yield* Effect.forEach(Array.from({ length: 2 * hookBurst }), (_, at) =>
        sendCallback(
          api,
          `/webhooks/echo/reconcile${at % 2 === 0 ? "" : `?org=${owner.org}`}`,
          "{}",
          from(`2001:db8:0:7::${at.toString(16)}`)
        ))
      assert.deepStrictEqual(
        statuses(answers).map((status) => status === 429),
        answers.map((_, at) => at >= hookBurst)
      )
    }))

  it.effect("unsigned callbacks are refused without reading the database", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const path = yield* makeCallbackService(hub, hub.owner, "unread")
      // While these tables cannot be read, an answer that needs one of them does not arrive.
      const answers = yield* hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.withTransaction(Effect.andThen(
          sql`lock table org_heads, orgs, secrets, services in access exclusive mode`,
          Effect.forEach([
            path,
            "/webhooks/unread/reconcile?org=org_00000000000000000000000000",
            "/webhooks/unread/reconcile"
          ], (each) => sendCallback(hub.api, each, callbackFor("x"), from("192.0.2.3"))).pipe(
            Effect.timeout("20 seconds")
          )
        )))).pipe(Effect.orDie)
      assert.deepStrictEqual(statuses(answers), [401, 401, 404])
    }))

  it.effect("a callback of more than 256 KiB is 413, also without an announced length", () =>
    Effect.gen(function*() {
      const { owner, url, api } = yield* TestHub
      const path = yield* makeCallbackService({ api }, owner, "large")
      const text = callbackFor("x".repeat(300 << 10))
      assert.strictEqual(
        (yield* sendCallback(api, path, text, { ...signatureOf(text), ...from("192.0.2.4") })).status,
        413
      )
      const chunked = yield* Effect.promise(() =>
        fetch(`${url}/api/v1${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...signatureOf(text), ...from("192.0.2.4") },
          body: new Blob([text]).stream(),
          duplex: "half"
        } as RequestInit)
      )
      assert.strictEqual(chunked.status, 413)
    }))

  it.effect("a person has one bucket for all sessions and tokens", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const greedy = yield* makePerson(hub, hub.owner.org, "member")
      const another = yield* makePerson(hub, hub.owner.org, "member")
      const again = yield* hub.api("POST", "/auth/login", { body: { email: greedy.email, password } })
      const credentials = [
        { cookie: greedy.cookie },
        { cookie: cookieOf(expectStatus(again, 200)) },
        { pat: yield* makeToken(hub, greedy, ["agents:read"]) }
      ]
      const answers = yield* Effect.forEach(Array.from({ length: userBurst - 1 }), (_, at) =>
        hub.api("GET", "/agents", credentials[at % credentials.length]!))
      assert.deepStrictEqual(
        statuses(answers),
        answers.map(() =>
          200
        )
      )
      for (const credential of credentials) {
        assert.strictEqual((yield* hub.api("GET", "/agents", credential)).status, 429)
      }
      assert.strictEqual((yield* hub.api("GET", "/agents", { cookie: another.cookie })).status, 200)
    }))

  /** Opens a call and returns its status once the response's head has arrived; the call stays open until `close`. */
  const open = Effect.fnUntraced(function*(path: string, headers: Record<string, string>) {
    const { url } = yield* TestHub
    const abort = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    )
    const response = yield* Effect.promise(() => fetch(`${url}/api/v1${path}`, { headers, signal: abort.signal }))
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      error: response.status === 429
        ? (yield* Effect.promise(() => response.json() as Promise<{ error: { code: string; data: unknown } }>)).error
        : undefined,
      close: Effect.sync(() => abort.abort())
    }
  })

  it.effect("a person keeps a bounded number of streams open, over all credentials; closing one makes room", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const greedy = yield* makePerson(hub, hub.owner.org, "member")
      const another = yield* makePerson(hub, hub.owner.org, "member")
      const authorization = `Bearer ${yield* makeToken(hub, greedy, ["agents:read"])}`
      const streams = yield* Effect.forEach(
        Array.from({ length: openMax }),
        (_, at) => open("/events", at % 2 === 0 ? { cookie: greedy.cookie } : { authorization })
      )
      assert.deepStrictEqual(streams.map(({ status }) => status), streams.map(() => 200))
      for (const headers of [{ cookie: greedy.cookie }, { authorization }]) {
        const refused = yield* open("/events", headers)
        assert.deepStrictEqual([refused.status, refused.retryAfter, refused.error?.code, refused.error?.data], [
          429,
          "5",
          "rate_limited",
          { retry_after_seconds: 5, open_max: openMax }
        ])
      }
      // Downloads and polls count too.
      assert.strictEqual((yield* open("/usage?format=csv", { cookie: greedy.cookie })).status, 429)
      assert.strictEqual((yield* hub.api("GET", "/agents", { cookie: greedy.cookie })).status, 200)
      assert.strictEqual((yield* open("/events", { cookie: another.cookie })).status, 200)
      yield* streams[0]!.close
      yield* until(
        "a stream has room again",
        Effect.map(open("/events", { cookie: greedy.cookie }), ({ status }) => status === 200)
      )
    }))

  it.effect("an address keeps ten times as many calls open, for all its people together", () =>
    Effect.gen(function*() {
      const calls = yield* OpenCalls
      const hold = (person: number, address: string) => Effect.result(calls.hold(`usr_${person}`, address))
      const held = yield* Effect.forEach(Array.from({ length: 11 * openMax }), (_, at) =>
        hold(Math.floor(at / openMax), `2001:db8:0:9::${at + 1}`))
      assert.deepStrictEqual(
        held.map(Result.isSuccess),
        held.map((_, at) =>
          at < 10 * openMax
        )
      )
      assert.isTrue(Result.isSuccess(yield* hold(10, "2001:db8:0:a::1")))
    }).pipe(
      Effect.scoped,
      Effect.provide(
        OpenCalls.layer.pipe(
          Layer.provide(Settings.layerOf(parseConfig(limits, { projectDir: "/nonexistent", terminal: true })))
        )
      )
    ))

  /** Of twice as many polls as allowed half are refused at once; when the others disconnect there is room again. */
  const fillsAndEmpties = Effect.fnUntraced(function*(poll: (wait: number) => Effect.Effect<Answer>) {
    const refused = yield* Queue.unbounded<Answer>()
    const polls = yield* Effect.forEach(
      Array.from({ length: 2 * openMax }),
      () => Effect.forkScoped(Effect.tap(poll(30), (answer) => Queue.offer(refused, answer)))
    )
    for (let at = 0; at < openMax; at++) {
      const { body, headers, status } = yield* Queue.take(refused)
      assert.deepStrictEqual([status, headers.get("retry-after"), body.error?.code], [429, "5", "rate_limited"])
    }
    yield* Effect.forEach(polls, Fiber.interrupt)
    yield* until("there is room again", Effect.map(poll(0), ({ status }) => status === 200))
  })

  it.effect("an agent and a device keep a bounded number of polls open", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 100)
      const agent = yield* makeAgent(hub, hub.owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const { body: { id } } = yield* hub.api("POST", "/service-requests", {
        key: agent.key,
        body: { service: "echo", operation: "say", payload: {} }
      })
      const device = yield* makeDevice(hub, hub.owner)
      const { body: { session_id: session } } = expectStatus(yield* device.heartbeat(), 200)
      const polls = [
        { key: agent.key, path: `/service-requests/${id}` },
        { key: device.key, path: `/devices/sessions/${session}/commands` }
      ]
      for (const { key, path } of polls) {
        yield* fillsAndEmpties((wait) => hub.api("GET", `${path}?wait=${wait}`, { key }))
      }
    }))

  it.effect("polls for a pairing are bounded by address", () =>
    Effect.gen(function*() {
      const { api } = yield* TestHub
      const headers = from("192.0.2.9")
      const { body: { pairing_secret: secret } } = expectStatus(
        yield* api("POST", "/devices/pair", { body: offer, headers }),
        201
      )
      const ask = (wait: number) =>
        api("GET", `/devices/pair/current?wait=${wait}`, { headers: { ...headers, authorization: `Bearer ${secret}` } })
      yield* fillsAndEmpties(ask)
    }))

  it("every endpoint that streams or downloads is declared so, and is bounded by it", () => {
    const document = openApiOf(HubApi) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, OperationText>>>>
    }
    const streams = Object.values(document.paths).flatMap((methods) => Object.values(methods)).filter(({ responses }) =>
      /text\/event-stream|application\/x-ndjson|text\/csv/.test(JSON.stringify(responses))
    ).map(({ operationId }) => operationId)
    const annotated: Array<string> = []
    HttpApi.reflect(HubApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group }) => {
        if (Option.isSome(Context.getOption(endpoint.annotations as Context.Context<StaysOpen>, StaysOpen))) {
          annotated.push(`${group.identifier}.${endpoint.identifier}`)
        }
      }
    })
    assert.isAbove(streams.length, 0)
    assert.includeMembers(annotated, streams)
  })
})

/** Webhook endpoints against receivers that are slow, dead, or misbehave, on two hubs that share a database. */
import { newId } from "@countersign/domain/ids"
import {
  NewWebhookEndpoint,
  WebhookDelivery,
  WebhookMessage,
  webhookTypes
} from "@countersign/domain/webhook-endpoints"
import { AuditLog, hubActor } from "@countersign/hub/platform/audit-log"
import { Db } from "@countersign/hub/platform/db"
import { WebhookRetention } from "@countersign/hub/webhook-endpoints/retention"
import { WebhookSender } from "@countersign/hub/webhook-endpoints/sender"
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { ServerResponse } from "node:http"
import { Webhook } from "standardwebhooks"
import { fitting } from "../../support/contract.ts"
import { expectHealthy } from "../../support/health.ts"
import { spawnHub } from "../../support/hub-program.ts"
import { type Answer, expectStatus, firstOwner, type HubInTest, startHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { closedPort, flood, type Received } from "../../support/upstream.ts"
import { idsOf, webhookReceiver } from "../../support/webhook-receiver.ts"

const env = { HUB_EGRESS_ALLOW: "127.0.0.1" }

class World extends Context.Service<World, { readonly hubs: readonly [HubInTest, HubInTest] }>()(
  "test/hub/webhook-endpoints/World"
) {}

const WorldTest = Layer.effect(
  World,
  Effect.gen(function*() {
    const first = yield* startHub({ env })
    yield* firstOwner(first)
    return { hubs: [first, yield* startHub({ env, database: first.target })] as const }
  })
)

const codeOf = ({ body, status }: Answer) => status < 400 ? status : `${status} ${body.error.code}`

/** A new workspace with its owner; events are changes of policies that are recorded directly. */
const scene = Effect.gen(function*() {
  const { hubs: [hub] } = yield* World
  const org = yield* makeWorkspace(hub)
  const { cookie } = yield* makeSignedIn(hub, org, "owner")
  const api = (method: string, path: string, body?: object) =>
    hub.api(method, `/webhook-endpoints${path}`, { cookie, ...(body === undefined ? {} : { body }) })
  const create = (url: string, input: object = {}) =>
    Effect.map(
      api("POST", "", { url, ...input }),
      (answer) => fitting(NewWebhookEndpoint, expectStatus(answer, 201).body)
    )
  const emit = (count: number, of = org) =>
    hub.run(Effect.gen(function*() {
      const audit = yield* AuditLog
      const db = yield* Db
      yield* db.transaction(Effect.forEach(
        Array.from({ length: count }),
        () => audit.record(of, hubActor, { action: "policy.updated", subject: { type: "policy", id: newId("pol") } }),
        { discard: true }
      ))
    }))
  const get = (id: string) => Effect.map(api("GET", `/${id}`), (answer) => expectStatus(answer, 200).body)
  const deliveries = (id: string, query = "") =>
    Effect.map(
      api("GET", `/${id}/deliveries${query}`),
      (answer): ReadonlyArray<WebhookDelivery> =>
        expectStatus(answer, 200).body.data.map((each: WebhookDelivery) => fitting(WebhookDelivery, each))
    )
  /** Polls, because the end of an attempt is stored after the receiver has answered. */
  const eventually = <A>(read: Effect.Effect<A>, isDone: (value: A) => boolean) =>
    Effect.repeat(read, { until: isDone, schedule: Schedule.spaced("10 millis") })
  const settled = (id: string) =>
    eventually(deliveries(id), (rows) => rows.length > 0 && rows.every(({ status }) => status !== "pending"))
  const attempted = (id: string, count: number) =>
    Effect.map(
      eventually(deliveries(id), ([first]) => (first?.attempts.length ?? 0) >= count),
      ([first]) => first!
    )
  const sql = <A extends object>(run: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<A>, unknown>) =>
    Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, run)))
  /** As after the pause before the next attempt. */
  const skipPause = (id: string) =>
    Effect.andThen(
      sql((sql) =>
        sql`update webhook_deliveries set due_at = now() - interval '1 second'
        where endpoint_id = ${id} and status = 'pending'`
      ),
      hub.run(Effect.map(WebhookSender, ({ wake }) => wake()))
    )
  const audited = (id: string) =>
    Effect.map(
      hub.api("GET", `/audit-logs?subject_id=${id}`, { cookie }),
      ({ body }): ReadonlyArray<string> => body.data.map(({ action }: { readonly action: string }) => action)
    )
  return { hub, org, api, create, emit, get, deliveries, eventually, settled, attempted, sql, skipPause, audited }
})

const verified = (secret: string, { body, headers }: Received): WebhookMessage =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookMessage

layer(WorldTest, { excludeTestServices: true })("webhook endpoints", (it) => {
  it.effect("show their secret once and sealed, and refuse unsafe addresses", () =>
    Effect.gen(function*() {
      const { api, audited, create, get, hub, sql } = yield* scene
      const endpoint = yield* create("http://127.0.0.1:1/hooks", { description: "Orders" })
      assert.match(endpoint.secret, /^whsec_/)
      assert.deepStrictEqual(endpoint.types, webhookTypes)
      const { secret, ...rest } = endpoint
      assert.deepStrictEqual(yield* get(endpoint.id), rest)
      assert.notInclude(JSON.stringify((yield* api("GET", "")).body), secret.slice(6))
      const [row] = yield* sql<{ text: string }>((sql) =>
        sql`select encode(secret, 'escape') as text from webhook_endpoints where id = ${endpoint.id}`
      )
      assert.notInclude(row?.text ?? "", secret.slice(6))
      const changed = yield* api("PATCH", `/${endpoint.id}`, {
        types: ["app.updated", "app.updated"],
        expected_version: 1
      })
      assert.deepStrictEqual([changed.body.types, changed.body.version], [["app.updated"], 2])
      assert.strictEqual(
        codeOf(yield* api("PATCH", `/${endpoint.id}`, { types: null, expected_version: 1 })),
        "409 version_conflict"
      )
      assert.deepStrictEqual((yield* api("PATCH", `/${endpoint.id}`, { types: null })).body.types, webhookTypes)
      for (
        const body of [
          { url: "http://hooks.example.com/" },
          { url: "https://10.0.0.1/" },
          { url: "https://user:password@hooks.example.com/" },
          { url: "no address" },
          { url: "https://hooks.example.com/", types: [] },
          { url: "https://hooks.example.com/", types: ["unknown.type"] },
          { url: "https://hooks.example.com/", secret: "mine" }
        ]
      ) assert.strictEqual(codeOf(yield* api("POST", "", body)), "400 invalid_request", JSON.stringify(body))
      expectStatus(yield* api("DELETE", `/${endpoint.id}`), 204)
      assert.strictEqual((yield* api("GET", `/${endpoint.id}`)).status, 404)
      assert.deepStrictEqual(yield* audited(endpoint.id), [
        "webhook_endpoint.deleted",
        "webhook_endpoint.updated",
        "webhook_endpoint.updated",
        "webhook_endpoint.created"
      ])
      assert.isString(hub.url)
    }))

  it.effect("receive the events of their types and workspace, signed so that the official library verifies them", () =>
    Effect.gen(function*() {
      const { create, emit, hub, org, settled } = yield* scene
      const receiver = yield* webhookReceiver()
      const endpoint = yield* create(receiver.url, { types: ["workspace.updated"] })
      const foreign = yield* makeWorkspace(hub)
      yield* emit(1, foreign)
      yield* emit(2)
      const messages = yield* receiver.messages(2)
      for (const message of messages) {
        const { data, type } = fitting(WebhookMessage, verified(endpoint.secret, message))
        assert.strictEqual(type, "workspace.updated")
        assert.strictEqual(data.workspace, org)
        assert.strictEqual(data.id, message.headers["webhook-id"])
        assert.strictEqual(data.subject.type, "policy")
        assert.throws(() => verified(endpoint.secret, { ...message, body: `${message.body} ` }))
      }
      const rows = yield* settled(endpoint.id)
      assert.deepStrictEqual(rows.map(({ attempts: [attempt], status }) => [status, attempt?.status]), [
        ["delivered", 204],
        ["delivered", 204]
      ])
      assert.sameMembers(rows.map(({ event_id }) => event_id), [...idsOf(messages)])
      assert.deepStrictEqual(
        rows.map(({ payload }) => JSON.stringify(payload)).toSorted(),
        messages.map(({ body }) => body).toSorted()
      )
    }))

  it.effect("get each event once from two hubs, and four at a time", () =>
    Effect.gen(function*() {
      const { create, emit, eventually, sql } = yield* scene
      const held: Array<ServerResponse> = []
      const release = () => {
        for (const response of held.splice(0)) response.writeHead(200).end("thank you")
      }
      // Answers once four wait, so that more would show.
      const receiver = yield* webhookReceiver((_message, response, number) => {
        held.push(response)
        if (held.length === 4 || number > 396) release()
      })
      const endpoint = yield* create(receiver.url)
      yield* Effect.forEach([100, 100, 100, 100], (count) => emit(count), { concurrency: "unbounded", discard: true })
      yield* receiver.messages(400)
      yield* eventually(
        sql<{ n: number }>((sql) =>
          sql`select count(*)::int as n from webhook_deliveries where endpoint_id = ${endpoint.id} and status = 'delivered'`
        ),
        ([row]) => row?.n === 400
      )
      assert.strictEqual(receiver.received.length, 400)
      assert.strictEqual(new Set(idsOf(receiver.received)).size, 400)
      assert.strictEqual(receiver.openMax(), 4)
    }))

  it.effect("are not delayed by slow and dead ones", () =>
    Effect.gen(function*() {
      const { attempted, create, emit, settled } = yield* scene
      const held: Array<ServerResponse> = []
      const slow = yield* webhookReceiver((_message, response) => void held.push(response))
      const healthy = yield* webhookReceiver()
      const [, dead] = [yield* create(slow.url), yield* create(`http://127.0.0.1:${yield* closedPort}/`)]
      const endpoint = yield* create(healthy.url)
      yield* emit(100)
      yield* healthy.messages(100)
      yield* settled(endpoint.id)
      // The slow receiver has not answered one message meanwhile.
      assert.deepStrictEqual([slow.received.length, held.length], [4, 4])
      const { attempts: [attempt], next_attempt_at, status } = yield* attempted(dead.id, 1)
      assert.deepStrictEqual([status, attempt?.status, attempt?.error], [
        "pending",
        undefined,
        "the connection was refused"
      ])
      assert.isString(next_attempt_at)
    }))

  it.effect("get a failed message again with the same id and bytes, later if they ask for it", () =>
    Effect.gen(function*() {
      const { attempted, create, emit, skipPause } = yield* scene
      const receiver = yield* webhookReceiver((_message, response, number) =>
        number === 1
          ? response.writeHead(503, { "retry-after": "60" }).end("x".repeat(5_000))
          : response.writeHead(200).end("ok\0")
      )
      const endpoint = yield* create(receiver.url)
      yield* emit(1)
      const first = yield* attempted(endpoint.id, 1)
      assert.strictEqual(first.status, "pending")
      const [attempt] = first.attempts
      assert.deepStrictEqual([attempt?.status, attempt?.error, attempt?.response?.length], [
        503,
        "the answer has the status 503",
        1_024
      ])
      assert.isAtLeast(Date.parse(first.next_attempt_at ?? "") - Date.parse(attempt?.at ?? ""), 60_000)
      yield* skipPause(endpoint.id)
      const second = yield* attempted(endpoint.id, 2)
      assert.deepStrictEqual([second.status, second.next_attempt_at, second.attempts[1]?.response], [
        "delivered",
        undefined,
        "ok\ufffd"
      ])
      const [one, two] = receiver.received
      assert.deepStrictEqual([two?.headers["webhook-id"], two?.body], [one?.headers["webhook-id"], one?.body])
      verified(endpoint.secret, two!)
    }))

  it.effect("end the connection of a long answer with the attempt, so that a receiver cannot collect connections", () =>
    Effect.gen(function*() {
      const { attempted, create, emit } = yield* scene
      const isWhole = yield* Deferred.make<boolean>()
      const receiver = yield* webhookReceiver((_message, response) => {
        response.once("close", () => Deferred.doneUnsafe(isWhole, Effect.succeed(response.writableFinished)))
        flood(response, 20_000_000)
      })
      const endpoint = yield* create(receiver.url)
      yield* emit(1)
      const { attempts: [attempt], status } = yield* attempted(endpoint.id, 1)
      assert.deepStrictEqual([status, attempt?.status, attempt?.response?.length], ["delivered", 200, 1_024])
      assert.isFalse(yield* Deferred.await(isWhole))
    }))

  it.effect("fail for good after eight attempts", () =>
    Effect.gen(function*() {
      const { attempted, create, emit, skipPause } = yield* scene
      const receiver = yield* webhookReceiver((_message, response) => void response.writeHead(500).end())
      const endpoint = yield* create(receiver.url)
      yield* emit(1)
      for (let count = 1; count < 8; count++) {
        const { status } = yield* attempted(endpoint.id, count)
        assert.strictEqual(status, "pending")
        yield* skipPause(endpoint.id)
      }
      const { next_attempt_at, status } = yield* attempted(endpoint.id, 8)
      assert.deepStrictEqual([status, next_attempt_at, receiver.received.length], ["failed", undefined, 8])
    }))

  it.effect("do not follow redirects, also not to private addresses", () =>
    Effect.gen(function*() {
      const { attempted, create, emit } = yield* scene
      const inner = yield* webhookReceiver()
      const receiver = yield* webhookReceiver((_message, response) =>
        void response.writeHead(307, { location: inner.url }).end()
      )
      const endpoint = yield* create(receiver.url)
      yield* emit(1)
      const { attempts: [attempt], status } = yield* attempted(endpoint.id, 1)
      assert.deepStrictEqual([status, attempt?.status, attempt?.error], [
        "pending",
        307,
        "the answer is a redirect (307); redirects are not followed"
      ])
      assert.strictEqual(inner.received.length, 0)
    }))

  it.effect("sign with both secrets while a rotation's grace period lasts", () =>
    Effect.gen(function*() {
      const { api, create, emit } = yield* scene
      const receiver = yield* webhookReceiver()
      const endpoint = yield* create(receiver.url, { types: ["workspace.updated"] })
      const rotate = (body?: object) =>
        Effect.map(api("POST", `/${endpoint.id}/rotate-secret`, body), (answer) => expectStatus(answer, 200).body)
      const isSigned = (secret: string, message: Received | undefined) => {
        try {
          verified(secret, message!)
          return true
        } catch {
          return false
        }
      }
      const subjects = () => receiver.received.filter(({ body }) => body.includes("policy"))
      const next = (secrets: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          const before = receiver.received.length
          yield* emit(1)
          yield* receiver.messages(before + 1)
          return secrets.map((secret) => isSigned(secret, subjects().at(-1)))
        })
      const second = yield* rotate()
      yield* receiver.messages(1)
      assert.isAbove(Date.parse(second.previous_secret_until), Date.now() + 86_000_000)
      assert.deepStrictEqual(yield* next([endpoint.secret, second.secret]), [true, true])
      const third = yield* rotate({ grace_seconds: 60 })
      yield* receiver.messages(3)
      assert.deepStrictEqual(yield* next([endpoint.secret, second.secret, third.secret]), [false, true, true])
      const fourth = yield* rotate({ grace_seconds: 0 })
      assert.isUndefined(fourth.previous_secret_until)
      yield* receiver.messages(5)
      assert.deepStrictEqual(yield* next([third.secret, fourth.secret]), [false, true])
      assert.strictEqual(
        codeOf(yield* api("POST", `/${endpoint.id}/rotate-secret`, { grace_seconds: 604_801 })),
        "400 invalid_request"
      )
    }))

  it.effect("are disabled by 410, keep their pending deliveries, and continue when they are enabled", () =>
    Effect.gen(function*() {
      const { api, audited, create, deliveries, emit, eventually, get, settled, sql } = yield* scene
      let isGone = true
      const receiver = yield* webhookReceiver((_message, response) => void response.writeHead(isGone ? 410 : 204).end())
      const endpoint = yield* create(receiver.url, { types: ["workspace.updated"] })
      yield* emit(20)
      const disabled = yield* eventually(get(endpoint.id), ({ status }) => status === "disabled")
      assert.strictEqual(disabled.disabled_by, "gone")
      assert.strictEqual((yield* audited(endpoint.id))[0], "webhook_endpoint.disable")
      // The attempts in progress end with 410 too.
      yield* eventually(
        sql((sql) => sql`select 1 from webhook_leases where endpoint_id = ${endpoint.id}`),
        (leased) => leased.length === 0
      )
      const before = yield* deliveries(endpoint.id)
      const pending = before.filter(({ status }) => status === "pending")
      assert.isTrue(pending.every(({ next_attempt_at }) => next_attempt_at === undefined))
      assert.strictEqual(codeOf(yield* api("POST", `/${endpoint.id}/test`)), "409 conflict")
      assert.strictEqual(
        codeOf(yield* api("POST", `/${endpoint.id}/deliveries/${before[0]?.id}/redeliver`)),
        "409 conflict"
      )
      yield* emit(5)
      isGone = false
      expectStatus(yield* api("PATCH", `/${endpoint.id}`, { status: "enabled" }), 200)
      const after = yield* settled(endpoint.id)
      // Events of the time when it was disabled have no delivery.
      assert.strictEqual(after.length, before.length)
      const failed = after.filter(({ status }) => status === "failed")
      assert.strictEqual(failed.length, before.length - pending.length)
      expectStatus(yield* api("POST", `/${endpoint.id}/deliveries/${failed[0]?.id}/redeliver`), 202)
      yield* eventually(
        deliveries(endpoint.id, "?status=failed"),
        (rows) => rows.length === failed.length - 1
      )
    }))

  it.effect("are disabled after five days of failures", () =>
    Effect.gen(function*() {
      const { attempted, audited, create, emit, eventually, get, skipPause, sql } = yield* scene
      const endpoint = yield* create(`http://127.0.0.1:${yield* closedPort}/`)
      yield* emit(1)
      yield* attempted(endpoint.id, 1)
      assert.isString((yield* get(endpoint.id)).failing_since)
      yield* sql((sql) =>
        sql`update webhook_endpoints set failing_since = failing_since - interval '5 days', failures = 8
        where id = ${endpoint.id}`
      )
      yield* skipPause(endpoint.id)
      yield* attempted(endpoint.id, 2)
      assert.strictEqual((yield* get(endpoint.id)).status, "enabled")
      yield* skipPause(endpoint.id)
      const { disabled_by } = yield* eventually(get(endpoint.id), ({ status }) => status === "disabled")
      assert.strictEqual(disabled_by, "failures")
      assert.strictEqual((yield* audited(endpoint.id))[0], "webhook_endpoint.disable")
    }))

  it.effect("get past events again by a replay, with their ids", () =>
    Effect.gen(function*() {
      const { api, create, emit, settled } = yield* scene
      yield* emit(3)
      const since = new Date(Date.now() - 60_000).toISOString()
      const receiver = yield* webhookReceiver()
      const endpoint = yield* create(receiver.url, { types: ["workspace.updated"] })
      yield* emit(2)
      const ids = idsOf(yield* receiver.messages(2))
      // A delivery whose answer is not stored yet is pending: a replay leaves it.
      yield* settled(endpoint.id)
      const replay = (body: object) => api("POST", `/${endpoint.id}/replay`, body)
      const { body } = expectStatus(yield* replay({ since }), 202)
      assert.strictEqual(body.since, since)
      // Three before the endpoint, its creation, and two after it.
      const again = idsOf(yield* receiver.messages(8)).slice(2)
      assert.strictEqual(new Set(again).size, 6)
      assert.includeMembers([...again], [...ids])
      assert.strictEqual(codeOf(yield* replay({ since: "2999-01-01T00:00:00Z" })), "400 invalid_request")
      assert.strictEqual(codeOf(yield* replay({ since: "yesterday" })), "400 invalid_request")
      const whole = expectStatus(yield* replay({ since: "2020-01-01" }), 202).body
      assert.isAbove(Date.parse(whole.since), Date.now() - 31 * 86_400_000)
    }))

  it.effect("get a test message whatever their types are", () =>
    Effect.gen(function*() {
      const { api, create, settled } = yield* scene
      const receiver = yield* webhookReceiver()
      const endpoint = yield* create(receiver.url, { types: ["payment.updated"] })
      const sent = fitting(WebhookDelivery, expectStatus(yield* api("POST", `/${endpoint.id}/test`), 202).body)
      assert.deepStrictEqual([sent.type, sent.status, sent.attempts], ["webhook.test", "pending", []])
      const [message] = yield* receiver.messages(1)
      const { data, type } = fitting(WebhookMessage, verified(endpoint.secret, message!))
      assert.deepStrictEqual([type, data.subject], ["webhook.test", { type: "webhook_endpoint", id: endpoint.id }])
      assert.deepStrictEqual((yield* settled(endpoint.id)).map(({ id, status }) => [id, status]), [
        [sent.id, "delivered"]
      ])
    }))

  it.effect("get a message again, with its id, when its hub was killed before it stored the answer", () =>
    Effect.gen(function*() {
      const setUp = yield* startHub({ env })
      const { cookie } = yield* firstOwner(setUp)
      let kill = (): void => {}
      const receiver = yield* webhookReceiver((_message, response, number) => {
        if (number === 1) kill()
        response.writeHead(204).end()
      })
      const made = yield* setUp.api("POST", "/webhook-endpoints", { cookie, body: { url: receiver.url } })
      const path = `/webhook-endpoints/${expectStatus(made, 201).body.id}`
      yield* setUp.stop
      const killed = yield* spawnHub({ database: setUp.target, env })
      kill = () => process.kill(killed.pid, "SIGKILL")
      // The answer of this call may be lost with the hub.
      yield* Effect.exit(killed.api("POST", `${path}/test`, { cookie }))
      yield* receiver.messages(1)
      yield* killed.ended
      const next = yield* startHub({ env, database: setUp.target })
      yield* next.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update webhook_leases set leased_until = now() - interval '1 second'`
        const { wake } = yield* WebhookSender
        wake()
      }))
      const [first, again] = yield* receiver.messages(2)
      assert.deepStrictEqual([again?.headers["webhook-id"], again?.body], [first?.headers["webhook-id"], first?.body])
      const delivery = yield* Effect.repeat(
        Effect.map(next.api("GET", `${path}/deliveries`, { cookie }), ({ body }) => body.data[0]),
        { until: ({ status }) => status === "delivered", schedule: Schedule.spaced("10 millis") }
      )
      assert.deepStrictEqual(delivery.attempts.map(({ status }: { readonly status: number }) => status), [204])
    }))

  it.effect("lose deliveries after 30 days, and with them a deleted endpoint", () =>
    Effect.gen(function*() {
      const { api, create, emit, hub, settled, sql } = yield* scene
      const receiver = yield* webhookReceiver()
      const endpoint = yield* create(receiver.url, { types: ["workspace.updated"] })
      yield* emit(3)
      yield* receiver.messages(3)
      yield* settled(endpoint.id)
      const forget = hub.run(Effect.flatMap(WebhookRetention, (retention) => retention.forget))
      const count = Effect.map(
        sql<{ n: number }>((sql) =>
          sql`select count(*)::int as n from webhook_deliveries where endpoint_id = ${endpoint.id}`
        ),
        ([row]) => row?.n
      )
      yield* sql((sql) =>
        sql`update webhook_deliveries set created_at = now() - interval '31 days',
          event_id = 'evt_00' || substr(event_id, 7) where endpoint_id = ${endpoint.id} and id in (
            select id from webhook_deliveries where endpoint_id = ${endpoint.id} limit 1)`
      )
      yield* forget
      assert.strictEqual(yield* count, 2)
      expectStatus(yield* api("DELETE", `/${endpoint.id}`), 204)
      yield* forget
      const left = yield* sql((sql) => sql`select id from webhook_endpoints where id = ${endpoint.id}`)
      assert.deepStrictEqual([yield* count, left.length], [0, 0])
      yield* expectHealthy(hub.target)
    }))
})

/** Triggers over HTTP: their secrets, signed deliveries, replays, and payload templates. */
import { newId } from "@countersign/domain/ids"
import { signStandard, signSvc } from "@countersign/hub/platform/signatures"
import { Scheduler } from "@countersign/hub/schedules/scheduler"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, expectStatus, HubTest, makeAgent, startHub, TestHub, topUp } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { makeWorkflow, say as sayStep } from "../../support/workflows.ts"

const statusOf = ({ body, status }: Answer) => status < 400 ? status : `${status} ${body.error.code}`
const pathsOf = ({ body }: Answer) => (body.error.details ?? []).map(({ path }: { readonly path: string }) => path)
const say = { type: "service_request", service: "echo", operation: "say", payload: { text: "hello" } }
const seconds = (offset = 0) => String(Math.floor(Date.now() / 1_000) + offset)

layer(HubTest(), { excludeTestServices: true })("triggers", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const org = yield* makeWorkspace(hub)
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    yield* topUp(hub, admin, 100_000)
    const agent = yield* makeAgent(hub, admin)
    const { api } = hub
    const create = (body: object = {}) =>
      api("POST", "/triggers", { ...admin, body: { kind: "webhook", agent_id: agent.id, action: say, ...body } })
    const created = (body: object = {}) => Effect.map(create(body), (answer) => expectStatus(answer, 201).body)
    const fire = (id: string, body: unknown, headers: Readonly<Record<string, string>>, query = "") =>
      api("POST", `/triggers/${id}/fire${query}`, { body, headers })
    /** Signed by the text of the secret. */
    const signed = (
      { id, signing_secret }: { readonly id: string; readonly signing_secret: string },
      value: unknown = { n: 1 },
      headers: Readonly<Record<string, string>> = {},
      query = ""
    ) => {
      const body = typeof value === "string" ? value : JSON.stringify(value)
      return fire(id, body, { "x-svc-signature": signSvc(signing_secret, body), ...headers }, query)
    }
    const request = (answer: Answer) =>
      Effect.map(
        api("GET", `/service-requests/${expectStatus(answer, 202).body.service_request_id}?wait=10`, admin),
        ({ body }) => body
      )
    const sql = <A extends object>(run: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<A>, unknown>) =>
      Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, run)))
    return { hub, api, org, admin, agent, create, created, fire, signed, request, sql }
  })

  it.effect("show their secret once, and make a request of the agent for each signed delivery", () =>
    Effect.gen(function*() {
      const { admin, agent, api, created, hub, request, signed } = yield* world
      const trigger = yield* created()
      assert.match(trigger.signing_secret, /^whsec_/)
      assert.strictEqual(new URL(trigger.fire_url).pathname, `/api/v1/triggers/${trigger.id}/fire`)
      const { signing_secret: _, ...rest } = trigger
      assert.deepStrictEqual((yield* api("GET", `/triggers/${trigger.id}`, admin)).body, rest)
      const executed = yield* request(yield* signed(trigger))
      assert.deepStrictEqual(
        [executed.status, executed.agent_id, executed.origin, executed.result],
        ["executed", agent.id, { trigger_id: trigger.id }, { echo: { text: "hello" } }]
      )
      const { body } = yield* api("GET", `/triggers/${trigger.id}/deliveries`, admin)
      const [{ created_at: __, digest, id, ...delivery }] = body.data
      assert.match(id, /^dlv_/)
      assert.match(digest, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(delivery, {
        status: "fired",
        service_request_id: executed.id,
        request_status: "executed"
      })
      assert.isString((yield* api("GET", `/triggers/${trigger.id}`, admin)).body.last_fired_at)
      const pat = yield* api("GET", "/triggers", { key: agent.key })
      assert.strictEqual(pat.status, 401)
      const docs = JSON.stringify((yield* api("GET", `/audit-logs?subject_id=${trigger.id}`, admin)).body)
      assert.notInclude(docs, trigger.signing_secret.slice(6))
      assert.isString(hub.url)
    }))

  it.effect("accept both forms of signature, and refuse every other call alike", () =>
    Effect.gen(function*() {
      const { created, fire, signed } = yield* world
      const trigger = yield* created()
      const foreign = yield* created()
      const body = JSON.stringify({ n: 1 })
      const standard = (secret: string, at = Date.now(), text = body) => ({
        ...signStandard(secret, { id: newId("dlv"), at, body: text })
      })
      const { id, signing_secret: secret } = trigger
      const svc = { "x-svc-signature": signSvc(secret, body) }
      const accepted: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
        ["the text of the secret", svc],
        ["upper-case hex", { "x-svc-signature": svc["x-svc-signature"].toUpperCase().replace("SHA256", "sha256") }],
        ["Standard Webhooks", standard(secret)],
        ["a current timestamp", { ...svc, "x-svc-timestamp": seconds(-60) }],
        ["a lone webhook-id", { ...svc, "webhook-id": newId("dlv") }]
      ]
      for (const [title, headers] of accepted) assert.strictEqual((yield* fire(id, body, headers)).status, 202, title)
      const unknown = yield* fire(newId("trg"), body, svc)
      const refused: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string?]> = [
        ["no signature", {}],
        ["a bearer credential only", { authorization: `Bearer ${secret}` }],
        ["an altered body", svc, `${body} `],
        ["a foreign secret", { "x-svc-signature": signSvc(foreign.signing_secret, body) }],
        ["a cut signature", { "x-svc-signature": svc["x-svc-signature"].slice(0, -2) }],
        ["an old timestamp", { ...svc, "x-svc-timestamp": seconds(-3_000) }],
        ["a future timestamp", { ...svc, "x-svc-timestamp": seconds(3_000) }],
        ["no number as timestamp", { ...svc, "x-svc-timestamp": new Date().toISOString() }],
        ["an old Standard Webhooks timestamp", standard(secret, Date.now() - 301_000)],
        ["Standard Webhooks of a foreign secret", standard(foreign.signing_secret)],
        ["a foreign Standard Webhooks signature beside a valid other one", {
          ...standard(foreign.signing_secret),
          ...svc
        }]
      ]
      for (const [title, headers, text = body] of refused) {
        const answer = yield* fire(id, text, headers)
        assert.strictEqual(answer.status, 401, title)
        const { request_id: _, ...error } = answer.body.error
        const { request_id: __, ...other } = unknown.body.error
        assert.deepStrictEqual(error, other, title)
      }
      for (const path of ["trg_1", "nothing"]) assert.strictEqual((yield* fire(path, body, svc)).status, 401)
      const strict = yield* created({ require_timestamp: true })
      assert.strictEqual((yield* signed(strict)).status, 401)
      assert.strictEqual((yield* fire(strict.id, body, standard(strict.signing_secret))).status, 202)
    }))

  it.effect("keep the old secret for its grace period, and end the one before at once", () =>
    Effect.gen(function*() {
      const { admin, api, created, signed, sql } = yield* world
      const first = yield* created()
      const rotate = (body?: object) =>
        Effect.map(
          api("POST", `/triggers/${first.id}/rotate-secret`, { ...admin, ...(body === undefined ? {} : { body }) }),
          (answer) => ({ ...first, ...expectStatus(answer, 200).body })
        )
      const second = yield* rotate()
      assert.isAbove(Date.parse(second.previous_secret_until), Date.now() + 86_000_000)
      assert.deepStrictEqual([(yield* signed(first)).status, (yield* signed(second)).status], [202, 202])
      const third = yield* rotate({ grace_seconds: 60 })
      assert.deepStrictEqual(
        [(yield* signed(first)).status, (yield* signed(second)).status, (yield* signed(third)).status],
        [401, 202, 202]
      )
      const fourth = yield* rotate({ grace_seconds: 0 })
      assert.deepStrictEqual([(yield* signed(third)).status, (yield* signed(fourth)).status], [401, 202])
      assert.strictEqual(
        statusOf(
          yield* api("POST", `/triggers/${first.id}/rotate-secret`, { ...admin, body: { grace_seconds: 604_801 } })
        ),
        "400 invalid_request"
      )
      const [row] = yield* sql<{ text: string }>((sql) =>
        sql`select encode(secret, 'escape') as text from triggers where id = ${first.id}`
      )
      assert.notInclude(row?.text ?? "", fourth.signing_secret.slice(6))
    }))

  it.effect("answer a repeated delivery as the first one, over two hubs and 100 equal calls at once", () =>
    Effect.gen(function*() {
      const { admin, api, created, hub, org, signed, sql } = yield* world
      const trigger = yield* created()
      const other = yield* startHub({ database: hub.target })
      const body = JSON.stringify({ n: 7 })
      const headers = { "x-svc-signature": signSvc(trigger.signing_secret, body), "x-svc-delivery": newId("dlv") }
      const answers = yield* Effect.all(
        Array.from(
          { length: 100 },
          (_, n) => (n % 2 === 0 ? api : other.api)("POST", `/triggers/${trigger.id}/fire`, { body, headers })
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))], [
        `202 ${answers[0]?.text}`
      ])
      const [count] = yield* sql<{ n: number }>((sql) =>
        sql`select count(*)::int as n from requests where org_id = ${org}`
      )
      assert.strictEqual(count?.n, 1)
      const repeat = (value: unknown) => signed(trigger, value, { "x-svc-delivery": headers["x-svc-delivery"] })
      assert.strictEqual((yield* repeat(body)).text, answers[0]?.text)
      assert.strictEqual(statusOf(yield* repeat({ n: 8 })), "409 conflict")
      // Another trigger may use the same id, and a call without one always fires.
      const second = yield* created()
      assert.notStrictEqual(
        (yield* signed(second, body, { "x-svc-delivery": headers["x-svc-delivery"] })).text,
        answers[0]?.text
      )
      assert.notStrictEqual((yield* signed(trigger, body)).text, (yield* signed(trigger, body)).text)
      assert.strictEqual(
        statusOf(yield* signed(trigger, body, { "x-svc-delivery": "x".repeat(256) })),
        "400 invalid_request"
      )
      const { body: list } = yield* api("GET", `/triggers/${trigger.id}/deliveries`, admin)
      assert.strictEqual(list.data.at(-1).delivery_id, headers["x-svc-delivery"])
    }))

  it.effect("render the payload from body, headers, query, and delivery, and refuse a missing value with its path", () =>
    Effect.gen(function*() {
      const { admin, api, create, created, request, signed } = yield* world
      const payload_template = {
        text: "${body.user.name} wrote ${body.count} in ${headers.x-room}",
        count: "${body.count}",
        room: "${query.room}",
        note: "${body.note?}",
        secret: "${headers.x-svc-signature?}",
        delivery: "${delivery.id}",
        literal: "\\${body.user}"
      }
      const trigger = yield* created({ payload_template })
      const delivery = newId("dlv")
      const headers = { "x-room": "attic", "x-svc-delivery": delivery }
      const body = { user: { name: "${body.count}" }, count: 3 }
      const executed = yield* request(yield* signed(trigger, body, headers, "?room=kitchen&room=hall&other=1"))
      assert.deepStrictEqual(executed.result.echo, {
        text: "${body.count} wrote 3 in attic",
        count: 3,
        room: "kitchen",
        delivery,
        literal: "${body.user}"
      })
      const missing = yield* signed(trigger, { count: 3 }, { "x-room": "attic", "x-svc-delivery": "again" }, "?room=x")
      assert.deepStrictEqual([missing.status, pathsOf(missing)], [400, ["payload_template.text"]])
      const [refused] = (yield* api("GET", `/triggers/${trigger.id}/deliveries?status=refused`, admin)).body.data
      assert.deepStrictEqual([refused.delivery_id, refused.error.code], ["again", "invalid_request"])
      // A refused delivery may be sent again.
      assert.strictEqual(
        (yield* signed(trigger, body, { "x-room": "attic", "x-svc-delivery": "again" }, "?room=x")).status,
        202
      )
      assert.strictEqual(statusOf(yield* signed(trigger, "{", { "x-room": "attic" })), "400 invalid_request")
      const tested = yield* api("POST", `/triggers/${trigger.id}/test`, {
        ...admin,
        body: { body, headers: { "X-Room": "hall" }, query: { room: "r" } }
      })
      assert.deepStrictEqual([tested.body.payload.text, tested.body.estimate.status], [
        "${body.count} wrote 3 in hall",
        "executed"
      ])
      assert.strictEqual((yield* api("POST", `/triggers/${trigger.id}/test`, admin)).status, 400)
      const wrong = yield* create({ payload_template: { a: "${steps.x}", b: "${body" } })
      assert.deepStrictEqual([wrong.status, pathsOf(wrong).sort()], [400, ["payload_template.a", "payload_template.b"]])
    }))

  it.effect("refuse bodies over 1 MiB, and calls of a paused or deleted trigger", () =>
    Effect.gen(function*() {
      const { admin, api, created, signed } = yield* world
      const trigger = yield* created()
      assert.strictEqual((yield* signed(trigger, JSON.stringify("x".repeat((1 << 20) - 2)))).status, 202)
      assert.strictEqual((yield* signed(trigger, JSON.stringify("x".repeat(1 << 20)))).status, 413)
      const set = (body: object) => api("PATCH", `/triggers/${trigger.id}`, { ...admin, body })
      expectStatus(yield* set({ status: "paused" }), 200)
      assert.strictEqual(statusOf(yield* signed(trigger)), "409 conflict")
      assert.deepStrictEqual((yield* set({ status: "active" })).body.paused_by, undefined)
      assert.strictEqual((yield* signed(trigger)).status, 202)
      assert.deepStrictEqual(pathsOf(yield* set({ cron: "* * * * *" })), ["cron"])
      expectStatus(yield* api("DELETE", `/triggers/${trigger.id}`, admin), 204)
      assert.strictEqual((yield* signed(trigger)).status, 401)
    }))

  it.effect("of the kind cron fire by their expression, and have no address", () =>
    Effect.gen(function*() {
      const { admin, api, create, created, hub, signed, sql } = yield* world
      const trigger = yield* created({ kind: "cron", cron: "30 2 * * *", timezone: "Europe/Berlin" })
      assert.deepStrictEqual([trigger.fire_url, trigger.next_runs.length], [undefined, 5])
      assert.strictEqual((yield* signed(trigger)).status, 401)
      assert.deepStrictEqual((yield* api("GET", "/scheduled-tasks", admin)).body.data, [])
      for (const body of [{ kind: "cron" }, { kind: "cron", cron: "nope" }, { cron: "* * * * *" }]) {
        const answer = yield* create(body)
        assert.deepStrictEqual([answer.status, pathsOf(answer)], [400, ["cron"]])
      }
      yield* sql((sql) => sql`update schedules set due_at = now(), fire_at = now() where trigger_id = ${trigger.id}`)
      for (;;) {
        yield* hub.run(Effect.flatMap(Scheduler, ({ round }) => round))
        const { body } = yield* api("GET", `/triggers/${trigger.id}/deliveries`, admin)
        const [delivery] = body.data
        if (delivery?.service_request_id === undefined) continue
        const request = yield* api("GET", `/service-requests/${delivery.service_request_id}?wait=10`, admin)
        if (request.status !== 200) continue
        assert.deepStrictEqual([delivery.id.slice(0, 4), request.body.origin], ["dlv_", { trigger_id: trigger.id }])
        break
      }
      const paused = yield* api("PATCH", `/triggers/${trigger.id}`, { ...admin, body: { status: "paused" } })
      assert.deepStrictEqual([paused.body.status, paused.body.next_runs], ["paused", []])
      expectStatus(yield* api("DELETE", `/triggers/${trigger.id}`, admin), 204)
      const [row] = yield* sql<{ n: number }>((sql) =>
        sql`select count(*)::int as n from schedules where trigger_id = ${trigger.id} and fire_at is not null`
      )
      assert.strictEqual(row?.n, 0)
    }))

  it.effect("run a workflow that is granted to the agent, and stop a chain of runs that fires itself", () =>
    Effect.gen(function*() {
      const { admin, agent, api, create, created, hub, request, signed } = yield* world
      const workflow_id = yield* makeWorkflow(
        hub,
        admin,
        { steps: [sayStep("A", "${input}")], output: { said: "${steps.A.output.echo.text}" } },
        [agent]
      )
      const trigger = yield* created({
        action: { type: "workflow", workflow_id },
        payload_template: { text: "${body.text}" }
      })
      const run = yield* request(yield* signed(trigger, { text: "by a hook" }))
      assert.deepStrictEqual([run.status, run.operation, run.result.output], ["executed", "run_workflow", {
        said: "by a hook"
      }])
      const deep = (depth: number) => signed(trigger, { text: "again" }, { "svc-run-depth": String(depth) })
      assert.strictEqual((yield* deep(4)).status, 202)
      assert.strictEqual(statusOf(yield* deep(5)), "409 run_depth_exceeded")
      assert.strictEqual(
        statusOf(yield* create({ action: { type: "workflow", workflow_id: newId("wfl") } })),
        "404 not_found"
      )
      const task = yield* api("POST", "/scheduled-tasks", {
        ...admin,
        body: {
          name: "Runs",
          agent_id: agent.id,
          cron: "0 9 * * *",
          action: { type: "workflow", workflow_id, input: { text: "by hand" } }
        }
      })
      const fired = yield* api("POST", `/scheduled-tasks/${expectStatus(task, 201).body.id}/run`, admin)
      assert.deepStrictEqual((yield* request(fired)).result.output, { said: "by hand" })
    }))

  it.effect("limit calls for each trigger, and wrongly signed ones for each address", () =>
    Effect.gen(function*() {
      const { created, hub, signed } = yield* world
      const [trigger, other] = [yield* created(), yield* created()]
      const limited = yield* startHub({ database: hub.target, env: { HUB_RATE_LIMIT_HOOK: "0.001:3" } })
      const body = "{}"
      const call = (id: string, secret: string) =>
        limited.api("POST", `/triggers/${id}/fire`, { body, headers: { "x-svc-signature": signSvc(secret, body) } })
      const statuses = (id: string, secret: string) =>
        Effect.map(Effect.all(Array.from({ length: 4 }, () => call(id, secret))), (answers) =>
          answers.map(({ status }) => status))
      assert.deepStrictEqual(yield* statuses(trigger.id, "wrong"), [401, 401, 401, 429])
      assert.deepStrictEqual(yield* statuses(trigger.id, trigger.signing_secret), [202, 202, 202, 429])
      assert.strictEqual((yield* call(other.id, other.signing_secret)).status, 202)
      assert.strictEqual((yield* signed(trigger)).status, 202)
    }))

  it.effect("end with their agent, and pause with its owner's departure", () =>
    Effect.gen(function*() {
      const { admin, api, hub, org, signed } = yield* world
      const member = yield* makeSignedIn(hub, org, "member", "Mara")
      const own = yield* makeAgent(hub, member, { bindings: [] })
      const made = (body: object) =>
        Effect.map(
          api("POST", "/triggers", { ...member, body: { agent_id: own.id, action: say, ...body } }),
          (answer) => expectStatus(answer, 201).body
        )
      const [webhook, cron] = [yield* made({ kind: "webhook" }), yield* made({ kind: "cron", cron: "0 9 * * *" })]
      expectStatus(yield* api("DELETE", `/members/${member.id}`, { ...admin, body: {} }), 204)
      for (const { id } of [webhook, cron]) {
        const { body } = yield* api("GET", `/triggers/${id}`, admin)
        assert.deepStrictEqual([body.status, body.paused_by], ["paused", "member_removed"])
      }
      assert.strictEqual((yield* signed(webhook)).status, 409)
      expectStatus(yield* api("DELETE", `/agents/${own.id}`, admin), 204)
      for (const { id } of [webhook, cron]) {
        assert.strictEqual((yield* api("GET", `/triggers/${id}`, admin)).status, 404)
      }
      assert.strictEqual((yield* signed(webhook)).status, 401)
    }))
})

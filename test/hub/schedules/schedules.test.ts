/** Scheduled tasks over HTTP, and their firings by hubs that share a database. */
import { newId } from "@countersign/domain/ids"
import { failuresMax } from "@countersign/domain/schedule-rules"
import { Firings } from "@countersign/hub/firings/service"
import { Owner } from "@countersign/hub/platform/owner"
import { Scheduler } from "@countersign/hub/schedules/scheduler"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, expectStatus, HubTest, makeAgent, startHub, TestHub, topUp } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

const statusOf = ({ body, status }: Answer) => status < 400 ? status : `${status} ${body.error.code}`
const pathsOf = ({ body }: Answer) => body.error.details.map(({ path }: { readonly path: string }) => path)
const say = { type: "service_request", service: "echo", operation: "say", payload: { text: "hello" } }

layer(HubTest(), { excludeTestServices: true })("scheduled tasks", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const org = yield* makeWorkspace(hub)
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const member = yield* makeSignedIn(hub, org, "member", "Mara")
    const viewer = yield* makeSignedIn(hub, org, "viewer", "Vera")
    yield* topUp(hub, admin, 10_000)
    const agent = yield* makeAgent(hub, admin)
    const { api } = hub
    const create = (body: object = {}, who: object = admin) =>
      api("POST", "/scheduled-tasks", {
        ...who,
        body: { name: "Nightly", agent_id: agent.id, cron: "0 2 * * *", action: say, ...body }
      })
    const created = (body: object = {}) => Effect.map(create(body), (answer) => expectStatus(answer, 201).body)
    const get = (id: string) => Effect.map(api("GET", `/scheduled-tasks/${id}`, admin), ({ body }) => body)
    const runs = (id: string, query = "") =>
      Effect.map(
        api("GET", `/scheduled-tasks/${id}/runs${query}`, admin),
        (answer) => expectStatus(answer, 200).body.data
      )
    const sql = <A extends object>(run: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<A>, unknown>) =>
      Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, run)))
    /** Makes the task due so many seconds ago. */
    const dueAgo = (id: string, seconds: number) =>
      sql((sql) =>
        sql`update schedules set due_at = date_trunc('minute', now()) - ${seconds} * interval '1 second',
          fire_at = date_trunc('minute', now()) - ${seconds} * interval '1 second' where id = ${id}`
      )
    /** Runs rounds of this hub until the answer is enough. */
    const until = <A>(read: Effect.Effect<A>, enough: (answer: A) => boolean): Effect.Effect<A> =>
      Effect.gen(function*() {
        for (;;) {
          yield* hub.run(Effect.flatMap(Scheduler, ({ round }) => round))
          yield* hub.run(Effect.flatMap(Firings, ({ round }) => round))
          const answer = yield* read
          if (enough(answer)) return answer
          yield* Effect.sleep(20)
        }
      })
    /** Lets the request of each firing be read again at once. */
    const checkNow = sql((sql) => sql`update firings set check_at = now() where check_at is not null`)
    return { hub, api, org, admin, member, viewer, agent, create, created, get, runs, sql, dueAgo, until, checkNow }
  })

  it.effect("are created with defaults, changed, paused, resumed, listed, and deleted", () =>
    Effect.gen(function*() {
      const { admin, agent, api, create, created, get } = yield* world
      const answer = yield* create({ cron: "30 2 * * *", timezone: "Europe/Berlin" })
      const { body: task } = expectStatus(answer, 201)
      assert.strictEqual(answer.headers.get("location"), `/api/v1/scheduled-tasks/${task.id}`)
      const { created_at: _, next_runs, updated_at: __, ...rest } = task
      assert.deepStrictEqual(rest, {
        id: task.id,
        name: "Nightly",
        agent_id: agent.id,
        action: say,
        cron: "30 2 * * *",
        timezone: "Europe/Berlin",
        catch_up: "once",
        overlap: "skip",
        jitter_seconds: 0,
        status: "active",
        failures: 0,
        version: 1
      })
      assert.lengthOf(next_runs, 5)
      assert.isTrue(next_runs.every((at: string) => at.endsWith(":30:00.000Z") || at.endsWith(":00:00.000Z")))
      assert.deepStrictEqual(yield* get(task.id), task)
      const path = `/scheduled-tasks/${task.id}`
      const patch = (body: object) => api("PATCH", path, { ...admin, body })
      const moved = expectStatus(yield* patch({ cron: "0 12 * * *", timezone: "UTC", expected_version: 1 }), 200).body
      assert.deepStrictEqual([moved.version, moved.next_runs[0].slice(10)], [2, "T12:00:00.000Z"])
      assert.strictEqual(statusOf(yield* patch({ name: "x", expected_version: 1 })), "409 version_conflict")
      const paused = expectStatus(yield* api("PATCH", `${path}/status`, { ...admin, body: { status: "paused" } }), 200)
      assert.deepStrictEqual([paused.body.status, paused.body.paused_by, paused.body.next_runs], [
        "paused",
        "person",
        []
      ])
      const resumed = expectStatus(yield* api("PATCH", `${path}/status`, { ...admin, body: { status: "active" } }), 200)
      assert.deepStrictEqual([resumed.body.paused_by, resumed.body.next_runs], [undefined, moved.next_runs])
      const other = yield* created({ name: "Other", enabled: false })
      assert.strictEqual(other.status, "paused")
      const list = (query: string) =>
        Effect.map(
          api("GET", `/scheduled-tasks?${query}`, admin),
          ({ body }) => body.data.map(({ id }: { readonly id: string }) => id)
        )
      assert.deepStrictEqual(yield* list(""), [other.id, task.id])
      assert.deepStrictEqual(yield* list("status=active"), [task.id])
      assert.deepStrictEqual(yield* list(`agent_id=${newId("agt")}`), [])
      assert.strictEqual((yield* api("DELETE", path, admin)).status, 204)
      assert.strictEqual((yield* api("GET", path, admin)).status, 404)
      const trail = yield* api("GET", `/audit-logs?subject_id=${task.id}`, admin)
      assert.deepStrictEqual(
        trail.body.data.map(({ action }: { readonly action: string }) => action),
        ["deleted", "resumed", "paused", "updated", "created"].map((verb) => `schedule.${verb}`)
      )
    }))

  it.effect("refuse wrong expressions, zones, operations, and payloads, each with its path", () =>
    Effect.gen(function*() {
      const { create } = yield* world
      const refused = (body: object) => Effect.map(create(body), (answer) => [answer.status, pathsOf(answer)])
      assert.deepStrictEqual(yield* refused({ cron: "61 * * * *", timezone: "Mars" }), [400, ["cron", "timezone"]])
      assert.deepStrictEqual(yield* refused({ cron: "0 0 30 2 *" }), [400, ["cron"]])
      assert.deepStrictEqual(yield* refused({ jitter_seconds: 3_601 }), [400, ["jitter_seconds"]])
      assert.deepStrictEqual(yield* refused({ action: { ...say, service: "ecco" } }), [400, ["action.service"]])
      assert.deepStrictEqual(yield* refused({ action: { ...say, operation: "sey" } }), [400, ["action.operation"]])
      assert.strictEqual(statusOf(yield* create({ agent_id: newId("agt") })), "404 not_found")
    }))

  it.effect("belong to the owner of their agent, and need the permission", () =>
    Effect.gen(function*() {
      const { api, create, created, hub, member, viewer } = yield* world
      const task = yield* created()
      assert.strictEqual(statusOf(yield* create({}, member)), "404 not_found")
      assert.strictEqual(statusOf(yield* create({}, viewer)), "403 forbidden")
      assert.strictEqual((yield* api("GET", `/scheduled-tasks/${task.id}`, viewer)).status, 200)
      assert.strictEqual((yield* api("GET", `/scheduled-tasks/${task.id}`, member)).status, 404)
      const own = yield* makeAgent(hub, member, { bindings: [] })
      const mine = expectStatus(yield* create({ agent_id: own.id }, member), 201).body
      const list = yield* api("GET", "/scheduled-tasks", member)
      assert.deepStrictEqual(list.body.data.map(({ id }: { readonly id: string }) => id), [mine.id])
      assert.strictEqual(statusOf(yield* api("POST", `/scheduled-tasks/${task.id}/run`, member)), "404 not_found")
    }))

  it.effect("fire a due time once, through the pipeline, and count the ones before it as missed", () =>
    Effect.gen(function*() {
      const { admin, agent, api, checkNow, created, dueAgo, get, runs, until } = yield* world
      const task = yield* created({ cron: "* * * * *" })
      yield* dueAgo(task.id, 600)
      const fired = yield* until(
        runs(task.id),
        (rows) => rows.some(({ status }: { readonly status: string }) => status === "fired")
      )
      const firing = fired.find(({ status }: { readonly status: string }) => status === "fired")
      const missed = fired.find(({ status }: { readonly status: string }) => status === "missed")
      assert.isAtLeast(missed.count, 9)
      const request = yield* until(
        api("GET", `/service-requests/${firing.service_request_id}?wait=10`, admin),
        ({ status }) => status === 200
      )
      assert.deepStrictEqual(
        [request.body.status, request.body.agent_id, request.body.origin, request.body.result],
        ["executed", agent.id, { schedule_id: task.id }, { echo: { text: "hello" } }]
      )
      yield* checkNow
      const shown = yield* until(get(task.id), ({ last_run }) => last_run.request_status === "executed")
      assert.isAbove(Date.parse(shown.next_runs[0]), Date.parse(firing.due_at))
      assert.strictEqual((yield* runs(task.id, "?status=missed")).length, 1)
    }))

  it.effect("do not fire missed times with catch_up skip", () =>
    Effect.gen(function*() {
      const { created, dueAgo, runs, until } = yield* world
      const task = yield* created({ cron: "0 0 1 1 *", catch_up: "skip" })
      yield* dueAgo(task.id, 600)
      const [run] = yield* until(runs(task.id), (rows) => rows.length > 0)
      assert.deepStrictEqual([run.status, run.count], ["missed", 1])
    }))

  it.effect("skip, queue, or allow a run while an earlier one is open", () =>
    Effect.gen(function*() {
      const { admin, api, checkNow, created, hub, runs, until } = yield* world
      const careful = yield* makeAgent(hub, admin, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const run = (id: string) =>
        Effect.map(api("POST", `/scheduled-tasks/${id}/run`, admin), (a) => expectStatus(a, 202).body)
      const statuses = (id: string) =>
        Effect.gen(function*() {
          const first = yield* run(id)
          expectStatus(yield* api("GET", `/service-requests/${first.service_request_id}`, admin), 200)
          return { first, rest: [(yield* run(id)).status, (yield* run(id)).status] }
        })
      const make = (overlap: string) => created({ agent_id: careful.id, overlap, enabled: false })
      assert.deepStrictEqual((yield* statuses((yield* make("skip")).id)).rest, ["skipped", "skipped"])
      assert.deepStrictEqual((yield* statuses((yield* make("allow")).id)).rest, ["fired", "fired"])
      const queueing = yield* make("queue")
      const { first, rest } = yield* statuses(queueing.id)
      assert.deepStrictEqual(rest, ["queued", "skipped"])
      const { body } = yield* api("GET", `/service-requests/${first.service_request_id}`, admin)
      expectStatus(yield* api("POST", `/approvals/${body.approval_id}/approve`, { ...admin, body: {} }), 200)
      yield* checkNow
      const fired = yield* until(runs(queueing.id, "?status=fired"), (rows) => rows.length === 2)
      assert.notStrictEqual(fired[0].service_request_id, first.service_request_id)
    }))

  it.effect("take an idempotency key for a run", () =>
    Effect.gen(function*() {
      const { admin, api, created, runs } = yield* world
      const task = yield* created()
      const run = api("POST", `/scheduled-tasks/${task.id}/run`, {
        ...admin,
        headers: { "idempotency-key": newId("req") }
      })
      const [first, second] = [yield* run, yield* run]
      assert.deepStrictEqual([first.status, second.text, second.headers.get("idempotent-replayed")], [
        202,
        first.text,
        "true"
      ])
      assert.lengthOf(yield* runs(task.id), 1)
    }))

  it.effect("pause after failures in a row, and count none that a freeze blocked", () =>
    Effect.gen(function*() {
      const { admin, api, checkNow, created, dueAgo, get, hub, sql, until } = yield* world
      const unbound = yield* makeAgent(hub, admin, { bindings: [] })
      const task = yield* created({ agent_id: unbound.id, cron: "0 0 1 1 *" })
      yield* dueAgo(task.id, 0)
      yield* until(Effect.andThen(checkNow, get(task.id)), ({ failures }) => failures === 1)
      const frozen = yield* makeAgent(hub, admin)
      expectStatus(yield* api("PATCH", `/agents/${frozen.id}`, { ...admin, body: { frozen: true } }), 200)
      const stopped = yield* created({ agent_id: frozen.id, cron: "0 0 1 1 *" })
      yield* dueAgo(stopped.id, 0)
      const after = yield* until(Effect.andThen(checkNow, get(stopped.id)), ({ last_run }) =>
        last_run?.request_status === "blocked")
      assert.strictEqual(after.failures, 0)
      yield* sql((sql) =>
        sql`update schedules set failures = ${failuresMax - 1} where id = ${task.id}`
      )
      yield* dueAgo(task.id, 60)
      const paused = yield* until(Effect.andThen(checkNow, get(task.id)), ({ status }) => status === "paused")
      assert.deepStrictEqual([paused.paused_by, paused.failures], ["failures", failuresMax])
      const trail = yield* api("GET", `/audit-logs?subject_id=${task.id}&action=schedule.paused`, admin)
      assert.deepStrictEqual(trail.body.data[0].data, { reason: "failures", failures: failuresMax })
      const resumed = yield* api("PATCH", `/scheduled-tasks/${task.id}/status`, {
        ...admin,
        body: { status: "active" }
      })
      assert.strictEqual(resumed.body.failures, 0)
    }))

  it.effect("end with their agent, and pause with its owner's departure", () =>
    Effect.gen(function*() {
      const { admin, api, create, hub, member } = yield* world
      const own = yield* makeAgent(hub, member, { bindings: [] })
      const task = expectStatus(yield* create({ agent_id: own.id }, member), 201).body
      expectStatus(yield* api("DELETE", `/members/${member.id}`, { ...admin, body: {} }), 204)
      const paused = yield* api("GET", `/scheduled-tasks/${task.id}`, admin)
      assert.deepStrictEqual([paused.body.status, paused.body.paused_by], ["paused", "member_removed"])
      expectStatus(yield* api("DELETE", `/agents/${own.id}`, admin), 204)
      assert.strictEqual((yield* api("GET", `/scheduled-tasks/${task.id}`, admin)).status, 404)
    }))

  it.effect("fire each of many due times once over two hubs, also after the clock went back", () =>
    Effect.gen(function*() {
      const { agent, hub, org, sql } = yield* world
      const other = yield* startHub({ database: hub.target })
      const count = 300
      yield* sql((sql) =>
        sql`insert into schedules (id, org_id, agent_id, name, action, cron, timezone, catch_up, overlap, jitter_seconds,
          status, due_at, fire_at, created_at, updated_at)
        select 'sch_' || lpad(n::text, 26, '0'), ${org}, ${agent.id}, 'n', ${
          JSON.stringify(say)
        }, '0 0 1 1 *', 'UTC', 'once',
          'allow', 0, 'active', date_trunc('minute', now()), date_trunc('minute', now()), now(), now()
        from generate_series(1, ${count}) n`
      )
      const fired = sql<{ fired: number; requests: number; unsent: number }>((sql) =>
        sql`select count(*)::int as fired, count(distinct r.id)::int as requests, count(f.owner)::int as unsent
        from firings f left join requests r on r.org_id = f.org_id and r.id = f.request_id
        where f.org_id = ${org} and f.schedule_id like 'sch_0000%' and f.status = 'fired'`
      )
      const rounds = Effect.all(
        [hub, other].map((each) => each.run(Effect.flatMap(Scheduler, ({ round }) => round))),
        { concurrency: "unbounded" }
      )
      for (;;) {
        yield* rounds
        const [row] = yield* fired
        if (row?.requests === count && row.unsent === 0) break
      }
      // The same due times again, as a clock that was set back would compute them.
      yield* sql((sql) =>
        sql`update schedules s set due_at = f.due_at, fire_at = f.due_at from firings f
        where f.schedule_id = s.id and s.org_id = ${org} and s.id like 'sch_0000%'`
      )
      // A hub leaves out rows that another hub has claimed at the moment.
      for (;;) {
        yield* rounds
        const [left] = yield* sql<{ due: number }>((sql) =>
          sql`select count(*)::int as due from schedules where org_id = ${org} and fire_at <= now()`
        )
        if (left?.due === 0) break
      }
      const [row] = yield* fired
      assert.deepStrictEqual(row, { fired: count, requests: count, unsent: 0 })
    }))

  it.effect("correct due times that a wrong clock has set too far ahead", () =>
    Effect.gen(function*() {
      const { created, get, hub, sql } = yield* world
      const task = yield* created({ cron: "0 * * * *" })
      yield* sql((sql) => sql`update schedules set due_at = '2090-01-01', fire_at = '2090-01-01' where id = ${task.id}`)
      yield* hub.run(Effect.flatMap(Scheduler, ({ correct }) => correct))
      assert.deepStrictEqual((yield* get(task.id)).next_runs, task.next_runs)
    }))

  it.effect("submit the stored request once after a hub ended between the claim and the submission", () =>
    Effect.gen(function*() {
      const { admin, agent, api, created, hub, org, sql, until } = yield* world
      const task = yield* created({ overlap: "allow" })
      const dead = yield* sql<{ num: number }>((sql) =>
        sql`insert into owners (hub_id, alive_until, ended) values ('dead', now(), true) returning num`
      )
      const [claimed, sent] = [newId("req"), newId("req")]
      // The second request had begun before that hub ended.
      const first = yield* api("POST", `/scheduled-tasks/${task.id}/run`, admin)
      yield* until(
        api("GET", `/service-requests/${first.body.service_request_id}`, admin),
        ({ status }) => status === 200
      )
      const insert = (id: string, request: string) =>
        sql((sql) =>
          sql`insert into firings (id, org_id, agent_id, schedule_id, due_at, manual, status, request_id, owner, service,
            operation, payload, created_at)
          values (${id}, ${org}, ${agent.id}, ${task.id}, now(), true, 'fired', ${request}, ${
            dead[0]?.num ?? 0
          }, 'echo',
            'say', '{"text":"late"}', now())`
        )
      yield* insert(newId("srn"), claimed)
      yield* insert(newId("srn"), first.body.service_request_id)
      const found = yield* until(api("GET", `/service-requests/${claimed}`, admin), ({ status }) => status === 200)
      assert.deepStrictEqual([found.body.origin, sent !== claimed], [{ schedule_id: task.id }, true])
      const usage = yield* until(
        sql<{ n: number }>((sql) =>
          sql`select count(*)::int as n from firings where org_id = ${org} and owner is not null`
        ),
        ([row]) => row?.n === 0
      )
      assert.strictEqual(usage.length, 1)
      const [requests] = yield* sql<{ n: number }>((sql) =>
        sql`select count(*)::int as n from requests where org_id = ${org}`
      )
      assert.strictEqual(requests?.n, 2)
      assert.isAbove(yield* hub.run(Effect.map(Owner, ({ num }) => num())), 0)
    }))
})

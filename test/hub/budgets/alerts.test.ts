import { BudgetAlert, type PassedLevel } from "@countersign/domain/budgets"
import { HubEvent } from "@countersign/domain/events"
import { Agents } from "@countersign/hub/agents/service"
import { AuditRepository } from "@countersign/hub/audit/repository"
import { AuditTrail } from "@countersign/hub/audit/trail"
import { BudgetAlerts } from "@countersign/hub/budgets/alerts"
import { AlertsRepository } from "@countersign/hub/budgets/alerts-repository"
import { Budgets } from "@countersign/hub/budgets/service"
import { Readiness } from "@countersign/hub/platform/readiness"
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { Workspaces } from "@countersign/hub/workspaces/service"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { fitting } from "../../support/contract.ts"
import { HubServices } from "../../support/hub-services.ts"
import { firstOwner, makeAgent as makeHubAgent, startHub, topUp } from "../../support/hub.ts"
import { freshDatabase } from "../../support/pg.ts"
import { makeUser } from "../../support/principals.ts"
import { execute, makeAgent, makeWorkspace, moveClock, tick, type Workspace } from "../../support/tick.ts"

const Repositories = Layer.mergeAll(
  AlertsRepository.layer,
  AuditRepository.layer,
  WorkspacesRepository.layer
)

const Live = Layer.mergeAll(BudgetAlerts.layer, AuditTrail.layer, Workspaces.layer).pipe(
  Layer.provideMerge(Repositories),
  Layer.provideMerge(Readiness.layerOf("serving")),
  Layer.provideMerge(HubServices)
)

const check = (workspace: Workspace) => Effect.flatMap(BudgetAlerts, (alerts) => alerts.check(workspace.org))

/** The recorded alerts, oldest first. */
const recordedAlerts = Effect.fnUntraced(function*(workspace: Pick<Workspace, "org">) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<
    { data: string }
  >`select data from audit where org_id = ${workspace.org} and action = 'budget.alert' order by seq`
  return rows.map(({ data }) => JSON.parse(data) as PassedLevel)
})
const levels = (workspace: Pick<Workspace, "org">) =>
  Effect.map(recordedAlerts(workspace), (all) => all.map(({ level }) => level))

const setLevels = (workspace: Workspace, percents: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const workspaces = yield* Workspaces
    yield* workspaces.update(yield* makeUser(workspace.org), workspace.org, { alert_levels: percents })
  })

const setCap = (workspace: Workspace, cents: number | null) =>
  Effect.gen(function*() {
    const budgets = yield* Budgets
    const sql = yield* SqlClient.SqlClient
    yield* budgets.set(yield* makeUser(workspace.org), workspace.agent.id, { monthly_budget_cents: cents })
    // Ticks of these tests decide with version 1.
    yield* sql`update agents set version = 1 where id = ${workspace.agent.id}`
  })

/** A workspace whose agent may spend `cents` a month. */
const capped = Effect.fnUntraced(function*(cents: number) {
  const workspace = yield* makeWorkspace({ funds: 100_000 })
  yield* setCap(workspace, cents)
  return workspace
})

const thisMonth = () => new Date().toISOString().slice(0, 7)

layer(Live, { excludeTestServices: true })("budget alerts", (it) => {
  it.effect("an agent's month is reported at each level once, as a log entry about the agent", () =>
    Effect.gen(function*() {
      const workspace = yield* capped(1_000)
      yield* execute(workspace, 499)
      assert.deepStrictEqual([yield* check(workspace), yield* recordedAlerts(workspace)], [0, []])
      yield* execute(workspace, 1)
      assert.deepStrictEqual([yield* check(workspace), yield* check(workspace)], [1, 0])
      assert.deepStrictEqual(yield* recordedAlerts(workspace), [{
        limit: "agent_month",
        level: 50,
        used_cents: 500,
        cap_cents: 1_000,
        period: thisMonth()
      }])
      yield* execute(workspace, 299)
      assert.strictEqual(yield* check(workspace), 0)
      yield* execute(workspace, 1)
      assert.strictEqual(yield* check(workspace), 1)
      const [entry] = (yield* (yield* AuditTrail).list(workspace.org, { action: "budget.alert", limit: 1 })).data
      assert.deepStrictEqual([entry?.subject, entry?.agent_id, entry?.actor.type], [
        { type: "agent", id: workspace.agent.id },
        workspace.agent.id,
        "hub"
      ])
      assert.isTrue((yield* (yield* AuditTrail).verify(workspace.org)).ok)
    }))

  it.effect("of several levels passed at once only the highest is reported", () =>
    Effect.gen(function*() {
      const workspace = yield* capped(100)
      yield* execute(workspace, 85)
      yield* check(workspace)
      yield* execute(workspace, 15)
      yield* check(workspace)
      assert.deepStrictEqual(yield* levels(workspace), [80, 100])
    }))

  it.effect("operations are reported by month and by day separately; held and refused amounts do not count", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 10_000 })
      const { day, operationMonth } = workspace.agent
      yield* sql`update limits set cap = 100 where id = ${BigInt(operationMonth)}::int8`
      yield* sql`update limits set cap = 4 where id = ${BigInt(day)}::int8`
      yield* tick(workspace, [{ ceiling: 60 }])
      const { begins: [failing] } = yield* tick(workspace, [{ ceiling: 30 }])
      yield* tick(workspace, [], [{ id: failing!.id, status: "failed" }])
      yield* tick(workspace, [{ ceiling: 90 }])
      assert.deepStrictEqual([yield* check(workspace), yield* recordedAlerts(workspace)], [0, []])
      yield* execute(workspace, 40)
      yield* execute(workspace, 0)
      yield* check(workspace)
      const today = new Date().toISOString().slice(0, 10)
      assert.deepStrictEqual(yield* recordedAlerts(workspace), [
        {
          limit: "operation_day_count",
          service: "echo",
          operation: "say",
          level: 50,
          used_count: 2,
          cap_count: 4,
          period: today
        }
      ])
    }))

  it.effect("test requests, limits without a cap, and the wallet raise none", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      yield* execute(workspace, 100)
      assert.strictEqual(yield* check(workspace), 0)
      const testing = yield* capped(10)
      yield* execute(testing, 10, { mode: "test" })
      assert.deepStrictEqual([yield* check(testing), yield* recordedAlerts(testing)], [0, []])
    }))

  it.effect("a raised cap resets the levels: a level still passed is not reported again, the next one is", () =>
    Effect.gen(function*() {
      const workspace = yield* capped(100)
      yield* execute(workspace, 90)
      yield* check(workspace)
      yield* setCap(workspace, 150)
      assert.strictEqual(yield* check(workspace), 0)
      yield* execute(workspace, 30)
      yield* check(workspace)
      assert.deepStrictEqual(yield* levels(workspace), [80, 80])
      assert.strictEqual((yield* recordedAlerts(workspace))[1]!.cap_cents, 150)
      // Removing a cap and setting the same one again reports nothing a second time.
      yield* setCap(workspace, null)
      yield* setCap(workspace, 150)
      assert.strictEqual(yield* check(workspace), 0)
    }))

  it.effect("a lowered cap reports the level that it passes, also far beyond the cap and at 0", () =>
    Effect.gen(function*() {
      const workspace = yield* capped(1_000)
      yield* execute(workspace, 450)
      assert.strictEqual(yield* check(workspace), 0)
      yield* setCap(workspace, 500)
      yield* check(workspace)
      yield* setCap(workspace, 0)
      yield* check(workspace)
      assert.deepStrictEqual(yield* levels(workspace), [80, 100])
    }))

  it.effect("a new month and a new day reset the levels", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* capped(100)
      yield* sql`update limits set cap = 1 where id = ${BigInt(workspace.agent.day)}::int8`
      yield* execute(workspace, 60)
      assert.strictEqual(yield* check(workspace), 2)
      const next = new Date()
      next.setUTCMonth(next.getUTCMonth() + 1, 1)
      yield* moveClock(workspace, next.toISOString())
      assert.strictEqual(yield* check(workspace), 0)
      assert.deepStrictEqual((yield* (yield* BudgetAlerts).list(yield* makeUser(workspace.org), {})).data, [])
      yield* execute(workspace, 60)
      assert.strictEqual(yield* check(workspace), 2)
      assert.deepStrictEqual((yield* recordedAlerts(workspace)).slice(2).map(({ level, period }) => [level, period]), [
        [100, next.toISOString().slice(0, 10)],
        [50, next.toISOString().slice(0, 7)]
      ])
    }))

  it.effect("a workspace's own levels apply from their change, an empty list disables alerts, and no level is reported twice", () =>
    Effect.gen(function*() {
      const workspace = yield* capped(100)
      yield* setLevels(workspace, [])
      yield* execute(workspace, 70)
      assert.strictEqual(yield* check(workspace), 0)
      yield* setLevels(workspace, [33, 66, 99])
      assert.strictEqual(yield* check(workspace), 1)
      yield* setLevels(workspace, [33])
      yield* setLevels(workspace, [33, 66, 99])
      assert.strictEqual(yield* check(workspace), 0)
      assert.deepStrictEqual(yield* levels(workspace), [66])
    }))

  it.effect("use while no hub ran is found by the next hub that starts", () =>
    Effect.gen(function*() {
      const workspace = yield* capped(100)
      yield* execute(workspace, 100)
      const alerts = yield* BudgetAlerts
      assert.isAtLeast(yield* alerts.checkAll, 1)
      assert.deepStrictEqual([yield* levels(workspace), yield* check(workspace)], [[100], 0])
    }))

  it.effect("many concurrent checks report one alert for each of many limits", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 100_000 })
      const agents = yield* Effect.forEach(Array.from({ length: 45 }, (_, at) => at), () =>
        makeAgent(workspace.org, { month: 10 }))
      for (const agent of agents) {
        yield* execute(workspace, 9, { agent })
      }
      const alerts = yield* BudgetAlerts
      yield* Effect.all([check(workspace), alerts.checkAll, check(workspace), alerts.checkAll], {
        concurrency: "unbounded"
      })
      const [counted] = yield* sql<
        { entries: number; agents: number }
      >`select count(*) as entries, count(distinct subject_id) as agents from audit
      where org_id = ${workspace.org} and action = 'budget.alert'`
      assert.deepStrictEqual(counted, { entries: 45, agents: 45 })
      assert.isTrue((yield* (yield* AuditTrail).verify(workspace.org)).ok)
    }))

  it.effect("the list contains alerts that still apply, with current figures, for people with access to the agent", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const alerts = yield* BudgetAlerts
      const workspace = yield* capped(100)
      const owner = yield* makeUser(workspace.org)
      const member = yield* makeUser(workspace.org, "member")
      const own = yield* makeAgent(workspace.org, { month: 10, owner: member.user_id })
      yield* execute(workspace, 80)
      yield* check(workspace)
      yield* execute(workspace, 10, { agent: own })
      yield* execute(workspace, 5)
      yield* check(workspace)
      const all = (yield* alerts.list(owner, {})).data.map((alert) => fitting(BudgetAlert, alert))
      assert.deepStrictEqual(
        all.map(({ agent, level, limit, used_cents }): ReadonlyArray<unknown> => [agent.id, limit, level, used_cents]),
        [
          [own.id, "agent_month", 100, 10],
          [workspace.agent.id, "agent_month", 80, 85]
        ]
      )
      const [entry] = yield* sql<
        { id: string }
      >`select id from audit where org_id = ${workspace.org} and action = 'budget.alert' order by seq limit 1`
      assert.strictEqual<string>(all[1]!.id, entry!.id)
      const first = yield* alerts.list(owner, { limit: 1 })
      assert.deepStrictEqual((yield* alerts.list(owner, { limit: 1, cursor: first.next_cursor! })).data, [all[1]!])
      assert.deepStrictEqual((yield* alerts.list(member, {})).data, [all[0]!])
      assert.deepStrictEqual((yield* alerts.list(yield* makeUser((yield* makeWorkspace()).org), {})).data, [])
      assert.strictEqual((yield* Effect.flip(alerts.list(owner, { cursor: "x" })))._tag, "BadRequest")
      // Below its levels again, so it is no longer listed.
      yield* setCap(workspace, 1_000)
      yield* (yield* Agents).remove(owner, own.id)
      assert.deepStrictEqual((yield* alerts.list(owner, {})).data, [])
    }))
})

layer(Layer.empty, { excludeTestServices: true })("budget alerts over hubs", (it) => {
  it.effect("are raised once over two hubs, sent to their streams, and not raised again by a hub that starts", () =>
    Effect.gen(function*() {
      const database = yield* freshDatabase
      const first = yield* startHub({ database })
      const owner = yield* firstOwner(first)
      const second = yield* startHub({ database })
      yield* topUp(first, owner, 1_000)
      const agent = yield* makeHubAgent(first, owner, { monthly_budget_cents: 4 })
      const disconnect = new AbortController()
      const opened = yield* Effect.promise(() =>
        fetch(`${second.url}/api/v1/events`, { headers: { cookie: owner.cookie }, signal: disconnect.signal })
      )
      const frames = opened.body!.pipeThrough(new TextDecoderStream()).getReader()
      const send = (hub: typeof first) =>
        hub.api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: {} }
        })
      yield* Effect.all([send(first), send(second)], { concurrency: 2 })
      const event = yield* Effect.promise(async () => {
        for (let text = "";;) {
          const { done, value } = await frames.read()
          if (done) throw new Error(`the stream ended after ${JSON.stringify(text)}`)
          text += value
          const found = /event: budget\.alert\ndata: (\{.*\})\n\n/.exec(text)?.[1]
          if (found !== undefined) return JSON.parse(found)
        }
      })
      disconnect.abort()
      fitting(HubEvent, event)
      assert.deepStrictEqual(event.subject, { type: "agent", id: agent.id })
      const entries = () =>
        Effect.map(
          first.api("GET", "/audit-logs?action=budget.alert", { cookie: owner.cookie }),
          ({ body }) => body.data.length as number
        )
      const third = yield* startHub({ database })
      for (const hub of [first, second, third]) {
        yield* hub.run(
          Effect.flatMap(BudgetAlerts, (alerts) => Effect.andThen(alerts.check(owner.org), alerts.checkAll))
        )
      }
      assert.strictEqual(yield* entries(), 1)
      yield* Effect.all([send(third), send(third)], { concurrency: 2 })
      const listed = yield* third.api("GET", "/budget-alerts", { cookie: owner.cookie }).pipe(
        Effect.repeat({ until: ({ body }) => body.data[0]?.level === 100, schedule: Schedule.spaced("20 millis") })
      )
      assert.deepStrictEqual(
        listed.body.data.map(({ agent, limit, used_cents }: BudgetAlert) => [agent.name, limit, used_cents]),
        [["Agent", "agent_month", 4]]
      )
    }))
})

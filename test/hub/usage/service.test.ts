import { AuditLog } from "@countersign/hub/platform/audit-log"
import { csvLines } from "@countersign/hub/platform/download"
import { Signals } from "@countersign/hub/platform/signals"
import { UsageRepository } from "@countersign/hub/usage/repository"
import { partsOf } from "@countersign/hub/usage/repository"
import { Usage, usageRange } from "@countersign/hub/usage/service"
import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../support/pg.ts"
import { asUser } from "../../support/principals.ts"
import { execute, makeAgent, makeWorkspace, moveClock, tick } from "../../support/tick.ts"

const Live = Usage.layer.pipe(
  Layer.provide(UsageRepository.layer),
  Layer.provideMerge(AuditLog.layer),
  Layer.provideMerge(Signals.layer),
  Layer.provideMerge(PgTest)
)

/** Three days of a far month: 2 + 1 executions of two agents, one blocked, one failed, one of a test key. */
const busy = Effect.gen(function*() {
  const workspace = yield* makeWorkspace({ funds: 10_000 })
  const second = yield* makeAgent(workspace.org, { owner: workspace.owner })
  yield* moveClock(workspace, "2031-05-01T10:00:00Z")
  yield* execute(workspace, 5)
  yield* tick(workspace, [{ verdict: 3 }, { verdict: 4, reason: "agent_disabled" }])
  yield* moveClock(workspace, "2031-05-01T23:59:59.999Z")
  yield* execute(workspace, 7, { agent: second })
  yield* moveClock(workspace, "2031-05-03T00:00:00Z")
  yield* execute(workspace, 11)
  yield* execute(workspace, 400, { mode: "test" })
  return { ...workspace, second, user: asUser(workspace.org, workspace.owner) }
})

describe("the parts of a range", () => {
  const parts = (range: Parameters<typeof usageRange>[0]) => {
    const { cuts, firstDay, lastDay } = partsOf(usageRange(range))
    const whole = firstDay !== undefined && lastDay !== undefined && firstDay > lastDay
      ? "none"
      : `${firstDay ?? ""}..${lastDay ?? ""}`
    return [
      whole,
      ...cuts.map(({ from, to }) =>
        `${new Date(from).toISOString().slice(5, 16)} ${new Date(to).toISOString().slice(5, 16)}`
      )
    ]
  }

  plain("are whole days, a plain day as an end too, and what is left of a day at either end", () => {
    assert.deepStrictEqual(parts({}), [".."])
    assert.deepStrictEqual(parts({ from: "2026-01-31", to: "2026-01-31" }), ["2026-01-31..2026-01-31"])
    assert.deepStrictEqual(parts({ from: "2026-01-31T22:00:00-02:00", to: "2026-02-02T00:00:00Z" }), [
      "2026-02-01..2026-02-01"
    ])
    assert.deepStrictEqual(parts({ from: "2026-01-30T12:00:00Z", to: "2026-02-02T06:00:00Z" }), [
      "2026-01-31..2026-02-01",
      "01-30T12:00 01-31T00:00",
      "02-02T00:00 02-02T06:00"
    ])
    assert.deepStrictEqual(parts({ from: "2026-02-01T06:00:00Z", to: "2026-02-01T12:00:00Z" }), [
      "none",
      "02-01T06:00 02-01T12:00"
    ])
    assert.deepStrictEqual(parts({ from: "2026-02-01T06:00:00Z", to: "2026-02-02T12:00:00Z" }), [
      "none",
      "02-01T06:00 02-02T00:00",
      "02-02T00:00 02-02T12:00"
    ])
    assert.deepStrictEqual(parts({ from: "2026-02-01T06:00:00Z" }), ["2026-02-02..", "02-01T06:00 02-02T00:00"])
    assert.deepStrictEqual(parts({ to: "2026-02-01T06:00:00Z" }), ["..2026-01-31", "02-01T00:00 02-01T06:00"])
    for (
      const range of [{ from: "2026-02-01T06:00:00Z", to: "2026-02-01T06:00:00Z" }, {
        from: "2026-02-01T06:00:00Z",
        to: "2026-01-20"
      }, { from: "2026-02-02", to: "2026-02-01T06:00:00Z" }]
    ) {
      assert.deepStrictEqual(parts(range), ["none"], JSON.stringify(range))
    }
  })
})

layer(Live, { excludeTestServices: true })("usage", (it) => {
  it.effect("lists executed requests, newest first, with sums of all of them", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const { agent, second, user } = yield* busy
      const report = yield* usage.report(user, {})
      assert.deepStrictEqual(report.data.map((record) => [record.cost_cents, record.mode, record.agent_id]), [
        [0, "test", agent.id],
        [11, "live", agent.id],
        [7, "live", second.id],
        [5, "live", agent.id]
      ] as never)
      for (const record of report.data) assert.strictEqual(record.id.slice(4), record.service_request_id.slice(4))
      assert.deepStrictEqual(report.totals, { cost_cents: 23, requests: 4 })
      assert.deepStrictEqual(report.by_agent, [
        { agent_id: agent.id, agent_name: "Agent", cost_cents: 16, requests: 3 },
        { agent_id: second.id, agent_name: "Agent", cost_cents: 7, requests: 1 }
      ] as never)
      assert.deepStrictEqual(report.by_service, [{ service: "echo", cost_cents: 23, requests: 4 }])
      assert.isUndefined(report.chart)
      assert.deepStrictEqual((yield* usage.report(user, { mode: "live" })).totals, { cost_cents: 23, requests: 3 })
    }))

  it.effect("pages return each record once, and sums stay those of the whole range", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const { user } = yield* busy
      const whole = (yield* usage.report(user, {})).data
      const seen = []
      let cursor: string | null = null
      do {
        const page: Effect.Success<ReturnType<typeof usage.report>> = yield* usage.report(user, {
          limit: 1,
          ...cursor === null ? {} : { cursor }
        })
        assert.deepStrictEqual(page.totals, { cost_cents: 23, requests: 4 })
        seen.push(...page.data)
        cursor = page.next_cursor
      } while (cursor !== null)
      assert.deepStrictEqual(seen, [...whole])
      const error = yield* Effect.flip(usage.report(user, { cursor: "nonsense" }))
      assert.strictEqual(error.error.details?.[0]?.path, "cursor")
    }))

  it.effect("days limit records and sums alike", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const { second, user } = yield* busy
      const costs = (query: Parameters<typeof usage.report>[1]) =>
        Effect.map(usage.report(user, query), (report) => [
          report.data.map((record) => record.cost_cents),
          report.totals.cost_cents
        ])
      assert.deepStrictEqual(yield* costs({ from: "2031-05-01", to: "2031-05-01" }), [[7, 5], 12])
      assert.deepStrictEqual(yield* costs({ from: "2031-05-02T13:00:00Z" }), [[0, 11], 11])
      assert.deepStrictEqual(yield* costs({ to: "2031-05-03T00:00:00Z" }), [[7, 5], 12])
      assert.deepStrictEqual(yield* costs({ from: "9998-01-01", to: "9999-12-31" }), [[], 0])
      assert.deepStrictEqual(yield* costs({ agentId: second.id }), [[7], 7])
      assert.deepStrictEqual(yield* costs({ from: "2031-06-01" }), [[], 0])
      assert.deepStrictEqual(yield* costs({ agentId: (yield* busy).agent.id }), [[], 0])
    }))

  it.effect("times within a day limit records, sums, and charts alike, to the millisecond", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const { agent, second, user } = yield* busy
      const [, expensive, late] = (yield* usage.report(user, {})).data
      const reportOf = (query: Parameters<typeof usage.report>[1]) =>
        Effect.map(usage.report(user, { ...query, chartBy: "agent" }), (report) => ({
          costs: report.data.map((record) => record.cost_cents),
          totals: report.totals,
          agents: report.by_agent.map((row) => [row.agent_id, row.cost_cents, row.requests]),
          services: report.by_service.map((row) => row.requests),
          chart: report.chart,
          groups: report.chart_groups?.map((
            { chart, key }
          ) => [key, chart.reduce((sum, day) => sum + day.cost_cents, 0)])
        }))
      assert.strictEqual(expensive!.cost_cents, 11)
      assert.deepStrictEqual(yield* reportOf({ from: late!.created_at, to: expensive!.created_at }), {
        costs: [7],
        totals: { cost_cents: 7, requests: 1 },
        agents: [[second.id, 7, 1]],
        services: [1],
        chart: [{ date: "2031-05-01", cost_cents: 7, requests: 1, blocked: 0 }, {
          date: "2031-05-02",
          cost_cents: 0,
          requests: 0,
          blocked: 0
        }],
        groups: [[second.id, 7]]
      } as never)
      assert.deepStrictEqual(yield* reportOf({ from: "2031-05-01T10:00:00Z", to: "2031-05-01T10:59:59Z" }), {
        costs: [5],
        totals: { cost_cents: 5, requests: 1 },
        agents: [[agent.id, 5, 1]],
        services: [1],
        chart: [{ date: "2031-05-01", cost_cents: 5, requests: 1, blocked: 1 }],
        groups: [[agent.id, 5]]
      } as never)
      assert.deepStrictEqual((yield* reportOf({ from: "2031-05-01T11:00:00Z", to: "2031-05-01T12:00:00Z" })).totals, {
        cost_cents: 0,
        requests: 0
      })
      assert.deepStrictEqual((yield* reportOf({ from: "2031-05-01T11:00:00Z", to: "2031-05-04T12:00:00Z" })).costs, [
        0,
        11,
        7
      ])
    }))

  it.effect("a chart has every day of its range, idle ones as zeros, and a bounded length", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const { user } = yield* busy
      const chart = (query: Parameters<typeof usage.report>[1]) =>
        Effect.map(usage.report(user, { includeChart: "true", ...query }), (report) => report.chart!)
      assert.deepStrictEqual(yield* chart({ from: "2031-04-30", to: "2031-05-03" }), [
        { date: "2031-04-30", cost_cents: 0, requests: 0, blocked: 0 },
        { date: "2031-05-01", cost_cents: 12, requests: 2, blocked: 1 },
        { date: "2031-05-02", cost_cents: 0, requests: 0, blocked: 0 },
        { date: "2031-05-03", cost_cents: 11, requests: 2, blocked: 0 }
      ])
      const month = yield* chart({})
      assert.lengthOf(month, 30)
      assert.strictEqual(month.at(-1)!.date, new Date().toISOString().slice(0, 10))
      assert.lengthOf(yield* chart({ from: "2031-01-01", to: "2032-01-01" }), 366)
      assert.lengthOf(yield* chart({ from: "2031-05-03", to: "2031-05-01" }), 0)
      const error = yield* Effect.flip(chart({ from: "2031-01-01", to: "2032-01-02" }))
      assert.strictEqual(error.error.details?.[0]?.path, "from")
    }))

  it.effect("a chart is divided into the groups with the highest cost and the rest, and its days sum to the total", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const sql = yield* SqlClient.SqlClient
      const { agent, org, owner } = yield* makeWorkspace()
      yield* sql`insert into usage_days (org_id, day, agent_id, service, operation, mode, executed, blocked, cost_cents)
      select ${org}, date '2031-05-01' + (n % 2), ${agent.id}, 's' || (n / 2), 'say', 'live', 1, n % 2, 10 * (n / 2) from generate_series(2, 17) n`
      const user = asUser(org, owner)
      const range = { from: "2031-05-01", to: "2031-05-03" }
      const { chart = [], chart_groups = [] } = yield* usage.report(user, { ...range, chartBy: "service" })
      assert.deepStrictEqual(chart_groups.map(({ cost_cents, key, requests }) => [key, cost_cents, requests]), [
        ["s8", 160, 2],
        ["s7", 140, 2],
        ["s6", 120, 2],
        ["s5", 100, 2],
        ["s4", 80, 2],
        ["s3", 60, 2],
        [null, 60, 4]
      ])
      assert.deepStrictEqual(chart_groups[0]!.chart, [
        { date: "2031-05-01", cost_cents: 80, requests: 1, blocked: 0 },
        { date: "2031-05-02", cost_cents: 80, requests: 1, blocked: 1 },
        { date: "2031-05-03", cost_cents: 0, requests: 0, blocked: 0 }
      ])
      for (const [at, day] of chart.entries()) {
        assert.strictEqual(chart_groups.reduce((sum, { chart }) => sum + chart[at]!.cost_cents, 0), day.cost_cents)
      }
      const narrowed = yield* usage.report(user, { ...range, service: "s8", chartBy: "operation" })
      assert.deepStrictEqual(narrowed.chart_groups!.map(({ key, name }) => [key, name]), [["s8.say", "s8.say"]])
      assert.deepStrictEqual([narrowed.totals, narrowed.by_service.length], [{ cost_cents: 160, requests: 2 }, 1])
      assert.deepStrictEqual(
        (yield* usage.report(user, { from: "2032-01-01", to: "2032-01-02", chartBy: "agent" })).chart_groups,
        []
      )
    }))

  it.effect("a member reads only the usage of their agents, and other workspaces read none", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const { org, owner } = yield* busy
      const own = yield* usage.report(asUser(org, owner, "member"), {
        includeChart: "1",
        from: "2031-05-01",
        to: "2031-05-01"
      })
      assert.deepStrictEqual(
        [own.data.map((record) => record.cost_cents), own.totals, own.by_agent.length, own.chart],
        [
          [7],
          { cost_cents: 7, requests: 1 },
          1,
          [{ date: "2031-05-01", cost_cents: 7, requests: 1, blocked: 0 }]
        ] as never
      )
      const stranger = yield* makeWorkspace()
      assert.deepStrictEqual((yield* usage.report(asUser(stranger.org, stranger.owner), {})).totals, {
        cost_cents: 0,
        requests: 0
      })
    }))

  it.effect("an export contains every record of the range, beyond one statement's page", () =>
    Effect.gen(function*() {
      const usage = yield* Usage
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      const count = 2_345
      yield* sql`insert into settlements (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, completed_at)
      select ${workspace.org}, 'req_0' || lpad(n::text, 25, '0'), ${workspace.agent.id}, 'live', 'echo', 'say', 'executed', 1, 1, timestamptz '2031-01-01T00:00:00Z' + (n / 7) * interval '1 minute'
      from generate_series(1, ${count}::int) n`
      const user = asUser(workspace.org, workspace.owner)
      const records = yield* Stream.runCollect(usage.records(user, {}))
      assert.strictEqual(new Set(records.map((record) => record.id)).size, count)
      const bytes = yield* Stream.runCollect(
        csvLines(["id", "cost_cents", "created_at"], usage.records(user, { to: "2031-01-01T06:00:00Z" }))
      )
      const lines = Buffer.concat(bytes).toString().trim().split("\r\n")
      assert.deepStrictEqual([lines[0], lines.length], ["id,cost_cents,created_at", count + 1])
    }))
})

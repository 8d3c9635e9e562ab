/** Notifications: when, how often, and with which text. Spec: reference/desktop.md "Notifications". */
import type { Notice, NoticeTarget } from "@countersign/desktop/main/notices/notice"
import { everyDay } from "@countersign/desktop/main/notices/quiet"
import { keptMax, openNoticeRecord } from "@countersign/desktop/main/notices/record"
import {
  checkMillis,
  gatherMillis,
  makeNoticeScheduler,
  type NoticeRules
} from "@countersign/desktop/main/notices/scheduler"
import { overviewOf } from "@countersign/desktop/main/waiting/overview"
import type { WaitingRow } from "@countersign/desktop/main/waiting/row"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { timers } from "../../../support/app-agent.ts"

/** A Saturday, 14:00 by this computer's clock. */
const begin = new Date(2026, 10, 21, 14, 0, 0).getTime()
const minute = 60_000

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "notices-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const row = (at: number, more: Partial<WaitingRow> = {}): WaitingRow => ({
  kind: "approval",
  id: `apr_${at}`,
  workspace: "org_1",
  sentence: `Scout wants to call voice.call`,
  agent: "Scout",
  cents: 4_200,
  requestedAt: begin,
  expiresAt: begin + 20 * minute,
  mine: true,
  ...more
})

const { cents: _cents, expiresAt: _expiresAt, ...unlimited } = row(0)
const question = (at: number, more: Partial<WaitingRow> = {}): WaitingRow => ({
  ...unlimited,
  kind: "agent_request",
  id: `arq_${at}`,
  sentence: "Scout has a question",
  ...more
})
const budget = (at: number): WaitingRow => ({
  ...unlimited,
  kind: "budget_request",
  id: `brq_${at}`,
  sentence: "Scout requests a higher monthly budget",
  cents: 4_200
})

const world = (rules: Partial<NoticeRules> = {}, time = timers()) => {
  const shown: Array<Notice> = []
  const clicks: Array<() => void> = []
  const closed: Array<string> = []
  const opened: Array<NoticeTarget> = []
  const problems: Array<string> = []
  const state: NoticeRules & { quiet: NoticeRules["quiet"] } = { enabled: true, remind: true, quiet: [], ...rules }
  const scheduler = makeNoticeScheduler({
    record: openNoticeRecord(join(folder, "notices.json"), (event) => problems.push(event)),
    after: time.after,
    now: () => begin + time.now(),
    rulesOf: () => state,
    open: (target) => opened.push(target),
    screen: {
      show: (notice, onClick) => {
        shown.push(notice)
        clicks.push(onClick)
      },
      close: (keys) => closed.push(...keys)
    }
  })
  const waits = (
    rows: ReadonlyArray<WaitingRow>,
    { hubId = "hub", freshness = "current" as const, ...more }: {
      hubId?: string
      freshness?: "current" | "last_known"
    } = {}
  ) =>
    scheduler.update(
      overviewOf([{
        profile: "prf_1",
        name: "Office",
        hubId,
        state: { phase: "connected", since: 0 },
        freshness,
        rows,
        more: false,
        ...more
      }])
    )
  return { scheduler, clicks, closed, opened, problems, shown, state, time, waits }
}

describe("notifications", () => {
  it("shows one per approval, with agent, operation, and amount; a click opens its row", () => {
    const { clicks, opened, shown, time, waits } = world()
    waits([row(1)])
    time.pass(gatherMillis)
    waits([row(1)])
    time.pass(gatherMillis)
    assert.deepStrictEqual(shown, [{
      keys: ["hub apr_1"],
      title: "Scout wants to call voice.call",
      body: "$42.00 · 20 min left · Office",
      target: { kind: "approval", profile: "prf_1", workspace: "org_1", id: "apr_1" },
      reminder: false
    }])
    assert.isEmpty(opened)
    clicks[0]!()
    assert.deepStrictEqual(opened, [{ kind: "approval", profile: "prf_1", workspace: "org_1", id: "apr_1" }])
  })

  it("shows one for an agent request and one for a budget request, under the same rules; a click opens it in the inbox", () => {
    const { clicks, closed, opened, shown, time, waits } = world({
      quiet: [{ days: everyDay, from: "13:00", to: "14:05" }]
    })
    const requests = [question(1), budget(2)]
    waits(requests)
    time.pass(4 * minute)
    assert.isEmpty(shown)
    time.pass(2 * minute)
    const targetOf = (id: string) => ({ kind: "inbox_row", profile: "prf_1", workspace: "org_1", id }) as const
    assert.deepStrictEqual(shown.map(({ body, target, title }) => [title, body, target]), [
      ["Scout has a question", "Office", targetOf("arq_1")],
      ["Scout requests a higher monthly budget", "$42.00 more · Office", targetOf("brq_2")]
    ])
    clicks.forEach((click) => click())
    assert.deepStrictEqual(opened, [targetOf("arq_1"), targetOf("brq_2")])
    waits([question(1)])
    assert.deepStrictEqual(closed, ["hub brq_2"])
  })

  it("shows a reminder for a request that expires, and none for one that does not", () => {
    const { shown, time, waits } = world()
    waits([question(1, { expiresAt: begin + 20 * minute }), question(2), budget(3)])
    time.pass(19 * minute)
    assert.deepStrictEqual(shown.filter(({ reminder }) => reminder).map(({ body, title }) => [title, body]), [
      ["Still pending: Scout has a question", "10 min left · Office"]
    ])
    time.pass(24 * 60 * minute)
    assert.lengthOf(shown, 4)
  })

  it("counts each kind when it combines them, without a sum of unlike amounts", () => {
    const { shown, time, waits } = world()
    waits([row(1), row(2), question(3, { agent: "Ada" }), budget(4)])
    time.pass(gatherMillis)
    assert.deepStrictEqual(shown.map(({ body, target, title }) => [title, body, target]), [[
      "2 approvals, 1 agent request, 1 budget request pending",
      "Scout (3), Ada · Office",
      { kind: "inbox", profile: "prf_1" }
    ]])
  })

  it("shows one over restarts and over two profiles of one hub; separates equal ids of different hubs", () => {
    const first = world()
    first.waits([row(1)])
    first.time.pass(gatherMillis)
    assert.lengthOf(first.shown, 1)
    const second = world()
    second.waits([row(1)])
    second.time.pass(gatherMillis)
    assert.isEmpty(second.shown)
    second.waits([row(1)], { hubId: "other" })
    second.time.pass(gatherMillis)
    assert.lengthOf(second.shown, 1)
    assert.strictEqual(statSync(join(folder, "notices.json")).mode & 0o777, 0o600)
  })

  it("combines many arrivals per hub, and opens that hub's inbox", () => {
    const { shown, time, waits } = world()
    const rows = [row(1), row(2), row(3, { agent: "Ada" }), row(4)]
    waits(rows.slice(0, 2))
    time.pass(gatherMillis / 2)
    waits(rows)
    time.pass(gatherMillis)
    assert.deepStrictEqual(shown.map(({ body, target, title }) => [title, body, target]), [
      ["4 approvals pending", "$168.00 · Scout (3), Ada · Office", { kind: "inbox", profile: "prf_1" }]
    ])
    const hub = (name: string, rows: ReadonlyArray<WaitingRow>) =>
      ({
        profile: `prf_${name}`,
        name,
        hubId: name,
        state: { phase: "connected", since: 0 },
        freshness: "current",
        rows,
        more: false
      }) as const
    const both = world({}, timers())
    both.scheduler.update(overviewOf([hub("Works", [row(5)]), hub("Home", [row(6), row(7), row(8)])]))
    both.time.pass(gatherMillis)
    assert.deepStrictEqual(both.shown.map(({ target, title }) => [title, target]), [
      ["Scout wants to call voice.call", { kind: "approval", profile: "prf_Works", workspace: "org_1", id: "apr_5" }],
      ["3 approvals pending", { kind: "inbox", profile: "prf_Home" }]
    ])
  })

  it("shows three separately", () => {
    const { shown, time, waits } = world()
    waits([row(1), row(2), row(3)])
    time.pass(gatherMillis)
    assert.lengthOf(shown, 3)
  })

  it("shows none for an approval decided before, and closes a visible one", () => {
    const { closed, shown, time, waits } = world()
    waits([row(1), row(2)])
    waits([row(2)])
    time.pass(gatherMillis)
    assert.lengthOf(shown, 1)
    waits([])
    assert.deepStrictEqual(closed, ["hub apr_2"])
  })

  it("keeps notifications of a lost hub, since nothing was decided", () => {
    const { closed, time, waits } = world()
    waits([row(1)])
    time.pass(gatherMillis)
    waits([row(1)], { freshness: "last_known" })
    assert.isEmpty(closed)
    waits([])
    assert.deepStrictEqual(closed, ["hub apr_1"])
  })

  it("shows one reminder at half of the lifetime, and no third notification", () => {
    const { shown, time, waits } = world()
    waits([row(1)])
    time.pass(10 * minute - checkMillis)
    assert.lengthOf(shown, 1)
    time.pass(2 * checkMillis)
    assert.deepStrictEqual(shown.map(({ reminder, title }) => [title, reminder]), [[
      "Scout wants to call voice.call",
      false
    ], ["Still pending: Scout wants to call voice.call", true]])
    time.pass(20 * minute)
    assert.lengthOf(shown, 2)
  })

  it("shows no reminder when disabled, after a decision, or right after a late notification", () => {
    const off = world({ remind: false })
    off.waits([row(1)])
    off.time.pass(15 * minute)
    assert.lengthOf(off.shown, 1)
    const decided = world()
    decided.waits([row(2)])
    decided.time.pass(gatherMillis)
    decided.waits([])
    decided.time.pass(15 * minute)
    assert.lengthOf(decided.shown, 1)
    const late = world()
    late.waits([row(3, { requestedAt: begin - 15 * minute, expiresAt: begin + 5 * minute })])
    late.time.pass(4 * minute)
    assert.deepStrictEqual(late.shown.map(({ reminder }) => reminder), [false])
  })

  it("shows nothing in quiet hours, and the pending approvals afterwards", () => {
    const { shown, time, waits } = world({ quiet: [{ days: everyDay, from: "13:00", to: "14:05" }] })
    waits([row(1), row(2)])
    time.pass(4 * minute)
    assert.isEmpty(shown)
    waits([row(2)])
    time.pass(2 * minute)
    assert.deepStrictEqual(shown.map(({ keys }) => keys), [["hub apr_2"]])
  })

  it("shows nothing while paused, and pending approvals at once when the pause ends early", () => {
    const { scheduler, shown, time, waits } = world()
    scheduler.pause(begin + 60 * minute)
    waits([row(1)])
    time.pass(5 * minute)
    assert.isEmpty(shown)
    assert.strictEqual(scheduler.quietUntil(), begin + 60 * minute)
    scheduler.pause(undefined)
    time.pass(gatherMillis)
    assert.lengthOf(shown, 1)
  })

  it("shows nothing while disabled, and does not record it as shown", () => {
    const { shown, state, time, waits } = world({ enabled: false })
    waits([row(1)])
    time.pass(minute)
    assert.isEmpty(shown)
    Object.assign(state, { enabled: true })
    time.pass(checkMillis)
    assert.lengthOf(shown, 1)
  })

  it("E14: shows the payload only when enabled", () => {
    const { shown, time, waits } = world()
    waits([row(1), row(2, { summary: "{\"to\":\"x\"}" })])
    time.pass(gatherMillis)
    assert.deepStrictEqual(shown.map(({ body }) => body), [
      "$42.00 · 20 min left · Office",
      "$42.00 · 20 min left · Office\n{\"to\":\"x\"}"
    ])
  })

  it("bounds the record of shown notifications, and moves an unreadable file", () => {
    const record = openNoticeRecord(join(folder, "notices.json"), () => {})
    record.add(Array.from({ length: keptMax + 10 }, (_, at) => `hub apr_${at}`))
    assert.deepStrictEqual([record.wasShown("hub apr_9"), record.wasShown("hub apr_10")], [false, true])
    assert.lengthOf(JSON.parse(readFileSync(join(folder, "notices.json"), "utf8")).told, keptMax)
    writeFileSync(join(folder, "notices.json"), "{")
    const problems: Array<string> = []
    assert.isFalse(
      openNoticeRecord(join(folder, "notices.json"), (event) => problems.push(event)).wasShown("hub apr_10")
    )
    assert.deepStrictEqual(problems, ["notices_unreadable"])
  })
})

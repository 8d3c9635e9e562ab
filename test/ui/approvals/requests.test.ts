import { describe, expect, it } from "vitest"
import { linesOf, nextPending, plainLines, stepFrom, walkOf } from "../../../packages/ui/src/approvals/inbox-lines.ts"
import type { ApprovalRow } from "../../../packages/ui/src/approvals/inbox-rows.ts"
import {
  clearDecidedRequests,
  isRequestWithin,
  layOutRequests,
  leaveRequests,
  missingRequests,
  takeInRequests
} from "../../../packages/ui/src/approvals/request-layout.ts"
import { type InboxRequest, requestType } from "../../../packages/ui/src/approvals/request-rows.ts"
import { aboutRequest, capOf, lateText, subjectOf } from "../../../packages/ui/src/approvals/request-words.ts"
import { inboxRequestText as t } from "../../../packages/ui/src/text/inbox-requests.ts"

const now = Date.parse("2026-11-21T12:00:00Z")
const at = (minute: number) => `2026-11-21T11:${String(minute).padStart(2, "0")}:00Z`

const question = (id: string, minute: number, fields: object = {}): InboxRequest =>
  ({
    type: "agent_request",
    id,
    org_id: "org_1",
    request: {
      id,
      agent_id: "agt_1",
      kind: "question",
      title: "Which color?",
      body: "",
      status: "open",
      created_at: at(minute),
      ...fields
    }
  }) as unknown as InboxRequest
const budget = (id: string, minute: number, fields: object = {}): InboxRequest =>
  ({
    type: "budget_request",
    id,
    org_id: "org_1",
    request: {
      id,
      agent_id: "agt_1",
      amount_cents: 300,
      period: "month",
      reason: "More pages",
      status: "pending",
      requested_by: { type: "agent", id: "agt_1", name: "Scout" },
      created_at: at(minute),
      ...fields
    }
  }) as unknown as InboxRequest
const approval = (id: string, minute: number, fields: object = {}): ApprovalRow =>
  ({
    id,
    kind: "service_request",
    status: "pending",
    org_id: "org_1",
    agent: { id: "agt_1", name: "Scout" },
    service: "shop",
    operation: id,
    cost_cents: 4_200,
    requested_at: at(minute),
    ...fields
  }) as unknown as ApprovalRow
const ids = (rows: { readonly rows: ReadonlyArray<InboxRequest> }) => rows.rows.map(({ id }) => id)
const none: ReadonlySet<string> = new Set()

describe("rows of requests", () => {
  it("are laid out oldest first, without decided ones, and with those that expire within the hour marked", () => {
    const laid = layOutRequests([
      budget("brq_2", 9),
      question("arq_3", 20, { status: "answered" }),
      question("arq_1", 5, { expires_at: "2026-11-21T12:30:00Z" }),
      question("arq_4", 7, { expires_at: "2026-11-21T13:30:00Z" })
    ], now)
    expect(ids(laid)).toEqual(["arq_1", "arq_4", "brq_2"])
    expect([...laid.urgent]).toEqual(["arq_1"])
  })

  it("keep their places when they are read again; new ones follow, and a decided one never opens again", () => {
    const laid = layOutRequests([question("arq_2", 5), budget("brq_1", 6)], now)
    const decided = takeInRequests(laid, [question("arq_2", 5, { status: "answered" }), budget("brq_1", 6)])
    expect(decided.rows[0]?.request.status).toBe("answered")
    const after = takeInRequests(decided, [question("arq_2", 5), budget("brq_1", 6), question("arq_1", 1)])
    expect(ids(after)).toEqual(["arq_2", "brq_1", "arq_1"])
    expect(after.rows[0]?.request.status).toBe("answered")
    expect(takeInRequests(after, after.rows)).toBe(after)
  })

  it("are fetched one by one if a read no longer has them, and removed once they are decided and left", () => {
    const laid = layOutRequests([question("arq_1", 1), question("arq_2", 2)], now)
    expect(missingRequests(laid, [question("arq_2", 2)]).map(({ id }) => id)).toEqual(["arq_1"])
    const decided = takeInRequests(laid, [question("arq_1", 1, { status: "dismissed" })])
    expect(missingRequests(decided, [question("arq_2", 2)])).toEqual([])
    expect(ids(leaveRequests(decided, ["arq_2"]))).toEqual(["arq_1", "arq_2"])
    expect(ids(leaveRequests(decided, ["arq_1"]))).toEqual(["arq_2"])
    expect(ids(clearDecidedRequests(decided, "arq_1"))).toEqual(["arq_1", "arq_2"])
    expect(ids(clearDecidedRequests(decided, undefined))).toEqual(["arq_2"])
  })

  it("are distinguished from approvals by their ids", () => {
    expect(["arq_1", "brq_1", "apr_1", undefined].map(requestType)).toEqual([
      "agent_request",
      "budget_request",
      undefined,
      undefined
    ])
  })
})

describe("lines of the inbox with requests", () => {
  it("stand between approvals by their age, urgent ones first, and the keys visit all of them in that order", () => {
    const rows = [approval("apr_1", 2), approval("apr_2", 10)]
    const requests = [question("arq_1", 1), budget("brq_1", 5), question("arq_2", 20)]
    const lines = linesOf({ rows, requests, urgent: none }, none, undefined)
    const walk = walkOf(lines)
    expect(walk.map(({ id }) => id)).toEqual(["arq_1", "apr_1", "brq_1", "apr_2", "arq_2"])
    expect(stepFrom(walk, "apr_1", 1)?.id).toBe("brq_1")
    expect(nextPending(lines, "apr_1")?.id).toBe("brq_1")
    expect(nextPending(lines, "arq_2")?.id).toBe("arq_1")
    const urgent = linesOf({ rows, requests, urgent: new Set(["arq_2"]) }, none, undefined)
    expect(urgent.map(({ key }) => key)).toEqual(["urgent", "arq_2", "later", "arq_1", "apr_1", "brq_1", "apr_2"])
  })

  it("skips decided requests when it looks for the next pending row", () => {
    const lines = linesOf(
      {
        rows: [approval("apr_1", 1)],
        requests: [question("arq_1", 2, { status: "answered" }), budget("brq_1", 3)],
        urgent: none
      },
      none,
      undefined
    )
    expect(nextPending(lines, "apr_1")?.id).toBe("brq_1")
  })

  it("lists decided requests in the order of the decided approvals, not beyond the last loaded one", () => {
    const rows = [approval("apr_2", 10), approval("apr_1", 4)]
    const requests = [question("arq_1", 1), budget("brq_1", 6)]
    const keys = (...options: [] | [Parameters<typeof plainLines>[2]]) =>
      plainLines(rows, requests, ...options).map(({ key }) => key)
    expect(keys()).toEqual(["apr_2", "brq_1", "apr_1", "arq_1"])
    expect(keys({ hasMore: true })).toEqual(["apr_2", "brq_1", "apr_1"])
    expect(keys({ sort: "-cost_cents" })).toEqual(["apr_2", "apr_1", "brq_1", "arq_1"])
  })
})

describe("filters on requests", () => {
  const within = (each: InboxRequest, filter: Parameters<typeof isRequestWithin>[1]) =>
    isRequestWithin(each, filter, now, "Scout")

  it("match kind, workspace, agent, age, and the words of the search", () => {
    const asked = question("arq_1", 30, { options: ["Blue"] })
    expect(within(asked, { kind: "agent_request", workspace: "org_1", agent_id: "agt_1", q: "scout blue" })).toBe(true)
    expect(within(asked, { kind: "budget_request" })).toBe(false)
    expect(within(asked, { kind: "approval" })).toBe(false)
    expect(within(asked, { workspace: "org_2" })).toBe(false)
    expect(within(asked, { agent_id: "agt_2" })).toBe(false)
    expect(within(asked, { q: "green" })).toBe(false)
    expect(within(asked, { min_age_seconds: 3_600 })).toBe(false)
  })

  it("match amounts and operations of budget requests only", () => {
    const wanted = budget("brq_1", 1, { operation: "shop.buy" })
    expect(within(wanted, { min_cents: 300, max_cents: 300, operation: "shop.buy" })).toBe(true)
    expect(within(wanted, { min_cents: 301 })).toBe(false)
    expect(within(wanted, { operation: "shop.sell" })).toBe(false)
    expect(within(question("arq_1", 1), { min_cents: 0 })).toBe(false)
    expect(within(question("arq_1", 1), { operation: "shop.buy" })).toBe(false)
  })
})

describe("words of requests", () => {
  it("name the subject, and the second line says what it is about or how it ended", () => {
    expect(subjectOf(question("arq_1", 1), t)).toBe("Which color?")
    expect(subjectOf(budget("brq_1", 1), t)).toBe("monthly budget")
    expect(subjectOf(budget("brq_1", 1, { operation: "shop.buy" }), t)).toBe("shop.buy")
    expect(aboutRequest(question("arq_1", 1, { body: "Soon." }), t)).toBe("Question: Soon.")
    const ada = { id: "usr_1", name: "Ada" }
    expect(aboutRequest(question("arq_1", 1, { status: "answered", answered_by: ada }), t)).toBe("Answered by Ada")
    expect(aboutRequest(question("arq_1", 1, { status: "dismissed" }), t)).toBe("Dismissed with its agent")
    expect(aboutRequest(budget("brq_1", 1, { status: "rejected", decided_by: ada }), t)).toBe("Rejected by Ada")
    expect(aboutRequest(budget("brq_1", 1, { status: "withdrawn" }), t)).toBe("Withdrawn by the requester")
  })

  it("say who was first for a decision that came second, and nothing for other errors", () => {
    const asked = question("arq_1", 1)
    const conflict = { code: "conflict", data: { status: "answered", answered_by: { id: "usr_2", name: "Bob" } } }
    expect(lateText(asked, conflict, t)).toBe("Bob was first, and answered it. Your decision changed nothing.")
    const rejected = budget("brq_1", 1, { status: "rejected", decided_by: { id: "usr_2", name: "Bob" } })
    expect(lateText(rejected, { code: "conflict", data: { status: "rejected", decided_by: "usr_2" } }, t))
      .toBe("Bob was first, and rejected it. Your decision changed nothing.")
    expect(lateText(asked, { code: "forbidden", data: {} }, t)).toBeUndefined()
    expect(lateText(asked, { code: "conflict", data: {} }, t)).toBeUndefined()
  })

  it("read the cap that a budget request raises from the agent, its used operation, or the binding", () => {
    const facts = {
      monthly_budget_cents: 500,
      spent_cents: 100,
      held_cents: 20,
      committed_cents: 30,
      operations: [{
        service: "shop",
        operation: "buy",
        monthly_cap_cents: 90,
        spent_cents: 8,
        held_cents: 7
      }]
    }
    const bindings = [{ service: "shop", monthly_cap_cents: 40, per_operation: { sell: { monthly_cap_cents: 60 } } }]
    expect(capOf(facts, bindings, undefined)).toEqual({ cap_cents: 500, spent_cents: 100, held_cents: 50 })
    expect(capOf(facts, bindings, "shop.buy")).toEqual({ cap_cents: 90, spent_cents: 8, held_cents: 7 })
    expect(capOf(facts, bindings, "shop.sell")).toEqual({ cap_cents: 60, spent_cents: 0, held_cents: 0 })
    expect(capOf(facts, bindings, "shop.rent")).toEqual({ cap_cents: 40, spent_cents: 0, held_cents: 0 })
    expect(capOf(facts, bindings, "mail.send")).toBeUndefined()
  })
})

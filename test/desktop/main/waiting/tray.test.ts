/** The tray's model. Spec: reference/desktop.md "Tray". */
import type { DeviceView } from "@countersign/desktop/bridge/device-view"
import type { HubState } from "@countersign/desktop/bridge/hub-state"
import type { Freshness, HubWaitingView } from "@countersign/desktop/main/waiting/hub-waiting"
import { overviewOf, type WatchedHub } from "@countersign/desktop/main/waiting/overview"
import { requestRowOf } from "@countersign/desktop/main/waiting/request-row"
import type { WaitingRow } from "@countersign/desktop/main/waiting/row"
import { rowOf } from "@countersign/desktop/main/waiting/row"
import { cellOf, type TrayFacts, trayOf } from "@countersign/desktop/main/waiting/tray"
import type { AgentRequest } from "@countersign/domain/agent-requests"
import type { Approval } from "@countersign/domain/approvals"
import { newId } from "@countersign/domain/ids"
import { assert, describe, it } from "vitest"

const now = new Date(2026, 10, 21, 14, 0, 0).getTime()
const row = (at: number, more: Partial<WaitingRow> = {}): WaitingRow => ({
  kind: "approval",
  id: `apr_${at}`,
  workspace: "org_1",
  sentence: `Scout wants to call voice.call ${at}`,
  agent: "Scout",
  cents: 4_200,
  requestedAt: now - 60_000 + at,
  expiresAt: now + 540_000,
  mine: true,
  ...more
})
const rows = (count: number, more: Partial<WaitingRow> = {}) => Array.from({ length: count }, (_, at) => row(at, more))
const connected: HubState = { phase: "connected", since: 0 }
const lost: HubState = { phase: "offline", since: now - 120_000, cause: "ECONNREFUSED" }
const hub = (
  name: string,
  listed: ReadonlyArray<WaitingRow>,
  { hubId = name, more = false, problem, freshness = "current", state = connected }: {
    hubId?: string
    more?: boolean
    problem?: string
    freshness?: Freshness
    state?: HubState
  } = {}
): WatchedHub & HubWaitingView => ({
  profile: `prf_${name}`,
  name,
  hubId,
  state,
  freshness,
  rows: listed,
  more,
  ...problem === undefined ? {} : { problem }
})
const tray = (hubs: ReadonlyArray<WatchedHub & HubWaitingView>, more: Partial<TrayFacts> = {}) =>
  trayOf({ overview: overviewOf(hubs), panic: { stopped: false }, now, ...more })
const labels = ({ menu }: ReturnType<typeof trayOf>) =>
  menu.flatMap((entry) => entry.kind === "line" ? [] : [entry.label])
const device = (phase: DeviceView["phase"], more: Partial<DeviceView> = {}): DeviceView => ({
  phase,
  since: now,
  running: [],
  ...more
})

describe("the tray", () => {
  it.each(
    [
      ["none", tray([hub("a", [])]), { kind: "none" }, 0],
      ["one", tray([hub("a", rows(1))]), { kind: "waiting", text: "1" }, 3],
      ["99", tray([hub("a", rows(99))]), { kind: "waiting", text: "99" }, 101],
      ["100", tray([hub("a", rows(100))]), { kind: "waiting", text: "99+" }, 102],
      ["offline", tray([hub("a", rows(3), { freshness: "last_known", state: lost })]), { kind: "offline" }, 1],
      [
        "one of two offline, the other has pending approvals",
        tray([hub("a", [], { state: lost, freshness: "last_known" }), hub("b", rows(2))]),
        { kind: "waiting", text: "2" },
        4
      ],
      ["stopped with pending approvals", tray([hub("a", rows(2))], { panic: { stopped: true, since: now } }), {
        kind: "stopped"
      }, 2]
    ] as const
  )("shows icons of different shapes: %s", (_, model, picture, cell) => {
    assert.deepStrictEqual<unknown>(model.picture, picture)
    assert.strictEqual(cellOf(model.picture), cell)
  })

  it("each icon has a separate cell", () => {
    const cells = [
      { kind: "none" },
      { kind: "offline" },
      { kind: "stopped" },
      ...[...Array.from({ length: 99 }, (_, at) => String(at + 1)), "99+"].map((text) => ({ kind: "waiting", text }))
    ]
      .map((picture) => cellOf(picture as Parameters<typeof cellOf>[0]))
    assert.deepStrictEqual(cells, Array.from({ length: 103 }, (_, at) => at))
  })

  it("counts the approvals that this person can decide, once over all profiles", () => {
    const model = tray([
      hub("a", [row(1), row(2, { mine: false })], { hubId: "one" }),
      hub("b", [row(1)], { hubId: "one" }),
      hub("c", [row(1)], { hubId: "other" })
    ])
    assert.deepStrictEqual([model.badge, model.title], [2, "2"])
  })

  it("shows the count, the newest three, then the number of the rest", () => {
    const model = tray([hub("Office", rows(5))])
    assert.deepStrictEqual(labels(model).slice(0, 5), [
      "5 pending approvals",
      "Scout wants to call voice.call 4 · $42.00 · 9 min left",
      "Scout wants to call voice.call 3 · $42.00 · 9 min left",
      "Scout wants to call voice.call 2 · $42.00 · 9 min left",
      "2 more"
    ])
    assert.deepInclude(model.menu[1], {
      act: { kind: "open_approval", profile: "prf_Office", workspace: "org_1", id: "apr_4" }
    })
    assert.deepInclude(model.menu, { kind: "act", label: "2 more", act: { kind: "open_hub", profile: "prf_Office" } })
  })

  it("counts agent requests and budget requests, and opens them in the inbox", () => {
    const { cents: _, expiresAt: _never, ...plain } = row(1)
    const question: WaitingRow = { ...plain, kind: "agent_request", id: "arq_1", sentence: "Scout has a question" }
    const budget: WaitingRow = {
      ...plain,
      kind: "budget_request",
      id: "brq_1",
      sentence: "Scout requests a higher monthly budget",
      cents: 300,
      requestedAt: now
    }
    const mixed = tray([hub("a", [row(0), question, budget, { ...question, id: "arq_2", mine: false }])])
    assert.deepStrictEqual([mixed.badge, mixed.title], [3, "3"])
    assert.deepStrictEqual(labels(mixed).slice(0, 4), [
      "3 pending approvals and requests",
      "Scout requests a higher monthly budget · $3.00 more",
      "Scout has a question",
      "Scout wants to call voice.call 0 · $42.00 · 9 min left"
    ])
    for (const [at, id] of [[1, "brq_1"], [2, "arq_1"]] as const) {
      assert.deepInclude(mixed.menu[at], {
        act: { kind: "open_inbox_row", profile: "prf_a", workspace: "org_1", id }
      })
    }
    assert.strictEqual(labels(tray([hub("a", [question])]))[0], "1 pending request")
    assert.strictEqual(labels(tray([hub("a", [question, budget])]))[0], "2 pending requests")
    assert.strictEqual(labels(tray([hub("a", [question], { more: true })]))[0], "1 or more pending requests")
  })

  it("shows the rest per hub, and opens that hub", () => {
    const { menu } = tray([hub("Office", rows(4)), hub("Home", rows(3, { requestedAt: now - 600_000 }))])
    assert.includeDeepMembers([...menu], [
      { kind: "act", label: "1 more · Office", act: { kind: "open_hub", profile: "prf_Office" } },
      { kind: "act", label: "3 more · Home", act: { kind: "open_hub", profile: "prf_Home" } }
    ])
  })

  it("shows an unreachable hub as one gray row with time and last count, excludes it from the total, and offers a retry", () => {
    const model = tray([hub("Office", rows(3), { freshness: "last_known", state: lost }), hub("Home", rows(1))])
    assert.strictEqual(model.badge, 1)
    assert.deepInclude(model.menu, { kind: "fact", label: "Office: not connected since 13:58; 3 pending then" })
    assert.deepInclude(model.menu, { kind: "act", label: "Try again now", act: { kind: "retry" } })
    assert.include(model.tooltip, "Office: not connected since 13:58")
  })

  it("describes a hub's state in words", () => {
    assert.include(
      labels(tray([hub("a", [], { freshness: "unknown", state: { phase: "signed_out", since: 0, cause: "ended" } })])),
      "Signed out"
    )
    assert.include(
      labels(
        tray([
          hub("a", [], {
            state: { phase: "stopped", since: 0, cause: { kind: "hub_changed", expected: "x", found: "y" } }
          })
        ])
      ),
      "a: stopped, another hub responds at its address"
    )
    assert.strictEqual(labels(tray([]))[0], "No hub yet")
  })

  it.each(
    [
      [
        "before the connection",
        hub("a", [], { freshness: "unknown", state: { phase: "connecting", since: now } }),
        "No data yet",
        "a: connecting"
      ],
      [
        "during the first list",
        hub("a", [], { freshness: "unknown" }),
        "No data yet",
        "a: no data yet"
      ],
      [
        "while the list fails",
        hub("a", [], { freshness: "unknown", problem: "internal_error" }),
        "Pending approvals and requests cannot be read",
        "a: pending approvals and requests cannot be read (internal_error)"
      ],
      [
        "while the list fails after an earlier success",
        hub("a", rows(3), { freshness: "last_known", problem: "internal_error" }),
        "Pending approvals and requests cannot be read",
        "a: pending approvals and requests cannot be read (internal_error); 3 pending then"
      ]
    ] as const
  )("distinguishes an unknown state from no pending approvals: %s", (_, stale, head, line) => {
    const alone = tray([stale])
    assert.deepStrictEqual([alone.picture, alone.badge, labels(alone).slice(0, 2)], [{ kind: "offline" }, 0, [
      head,
      line
    ]])
    const beside = tray([stale, hub("b", [])])
    assert.deepStrictEqual([beside.picture, labels(beside)[0]], [
      { kind: "offline" },
      "No pending approvals or requests on the connected hubs"
    ])
    const withPending = tray([stale, hub("b", rows(2))])
    assert.deepStrictEqual([withPending.picture, labels(withPending)[0]], [
      { kind: "waiting", text: "2" },
      "2 pending approvals"
    ])
    assert.include(withPending.tooltip, line)
  })

  it("shows the device, and pauses it for an hour", () => {
    assert.include(
      labels(tray([hub("a", [])], { device: device("online", { name: "build-1", running: ["cmd_1"] }) })),
      "build-1: online, 1 running"
    )
    const paused = tray([hub("a", [])], { device: device("paused", { name: "build-1", pausedUntil: now + 3_600_000 }) })
    assert.includeMembers(labels(paused), ["build-1: paused until 15:00", "Let this device go on"])
    assert.notInclude(labels(tray([hub("a", [])])), "Pause this device for 1 h")
  })

  it("offers to resume after a panic stop, which only opens the window for it", () => {
    const model = tray([hub("a", rows(2))], { panic: { stopped: true, since: now }, device: device("stopped") })
    assert.deepStrictEqual(labels(model).slice(0, 2), ["Stopped since 14:00", "2 pending approvals"])
    assert.deepInclude(model.menu, { kind: "act", label: "Resume…", act: { kind: "open_panic" } })
    assert.notInclude(labels(model), "Stop everything on this device")
  })

  it("E14, E16: contains no payload, and reveals hidden characters in foreign text", () => {
    const approval = {
      id: "apr_1",
      kind: "service_request",
      agent: { id: "agt_1", name: "Sc\u202eout\nx" },
      service: "mail",
      operation: "send",
      payload: { to: "secret@example.com" },
      cost_cents: 100,
      org_id: "org_1",
      requested_at: new Date(now).toISOString(),
      expires_at: new Date(now + 60_000).toISOString(),
      payload_digest: "0".repeat(64),
      allowed_decisions: [{ decision: "approve", allowed: true }]
    } as unknown as Approval
    const { menu, title, tooltip } = tray([hub("a\u2066", [rowOf(approval, { withPayload: true })])])
    // Only the visible text; an action carries ids unchanged.
    const text = JSON.stringify([title, tooltip, menu.map((entry) => entry.kind === "line" ? "" : entry.label)])
    assert.notInclude(text, "secret@example.com")
    assert.notMatch(text, /[\u202e\u2066]/u)
    assert.include(text, "Sc[U+202E]out x")
  })

  it("a notification with the payload shows its summary fields, or else the payload", () => {
    const approval = {
      id: "apr_1",
      kind: "service_request",
      agent: { id: "agt_1", name: "Scout" },
      service: "shop",
      operation: "buy",
      payload: { to: "Acme", amount_cents: 4_200 },
      cost_cents: 100,
      org_id: "org_1",
      requested_at: new Date(now).toISOString(),
      expires_at: new Date(now + 60_000).toISOString(),
      payload_digest: "0".repeat(64),
      allowed_decisions: []
    } as unknown as Approval
    const summary = [{ path: "/to", label: "to", value: "Acme" }, {
      path: "/amount_cents",
      label: "amount_cents",
      value: 4_200,
      format: "cents" as const
    }]
    assert.strictEqual(rowOf({ ...approval, summary }, { withPayload: true }).summary, "Acme · $42.00")
    assert.strictEqual(rowOf(approval, { withPayload: true }).summary, "{\"to\":\"Acme\",\"amount_cents\":4200}")
    assert.isUndefined(rowOf({ ...approval, summary }, { withPayload: false }).summary)
  })

  it("E14, E16: describes a request without its text, which only a notification with the payload shows, masked", () => {
    const request: AgentRequest = {
      id: newId("arq"),
      agent_id: newId("agt"),
      kind: "question",
      title: "Which color\u202e?",
      body: "The key is sk_live_0123456789abcdefghijklmnop",
      status: "open",
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + 60_000).toISOString()
    }
    const facts = { workspace: "org_1", agentName: "Sc\u202eout", mine: true, aheadMillis: 1_000 }
    const plain = requestRowOf({ kind: "agent_request", request }, { ...facts, withPayload: false })
    assert.deepStrictEqual(plain, {
      kind: "agent_request",
      id: request.id,
      workspace: "org_1",
      sentence: "Sc[U+202E]out has a question",
      agent: "Sc[U+202E]out",
      requestedAt: now - 1_000,
      expiresAt: now + 59_000,
      mine: true
    })
    const { summary } = requestRowOf({ kind: "agent_request", request }, { ...facts, withPayload: true })
    assert.match(summary!, /^Which color\[U\+202E\]\? · The key is /u)
    assert.notInclude(summary, "0123456789abcdefghijklmnop")
  })

  it.each(
    [
      ["agent", "month", undefined, "Scout requests a higher monthly budget"],
      ["agent", "once", undefined, "Scout requests more budget for this month"],
      ["agent", "month", "echo.say", "Scout requests a higher monthly cap for echo.say"],
      ["user", "once", "echo.say", "Ada requests a higher cap this month for echo.say, for Scout"]
    ] as const
  )(
    "describes a budget request of this requester, period, and operation: %s, %s, %s",
    (type, period, operation, text) => {
      const agent_id = newId("agt")
      const { cents, sentence, summary } = requestRowOf({
        kind: "budget_request",
        request: {
          id: newId("brq"),
          agent_id,
          amount_cents: 300,
          period,
          ...operation === undefined ? {} : { operation },
          reason: "More calls",
          status: "pending",
          requested_by: type === "agent"
            ? { type, id: agent_id, name: "Scout" }
            : { type, id: newId("usr"), name: "Ada" },
          created_at: new Date(now).toISOString()
        }
      }, { workspace: "org_1", agentName: "Scout", mine: true, withPayload: true })
      assert.deepStrictEqual([sentence, cents, summary], [text, 300, "More calls"])
    }
  )

  it("counts approvals that this person can decide after signing in again, but not those already approved or forbidden", () => {
    const of = (denied_because?: string) =>
      rowOf({
        id: "apr_1",
        kind: "service_request",
        agent: { id: "a", name: "A" },
        cost_cents: 1,
        org_id: "org_1",
        requested_at: "2026-01-01T00:00:00Z",
        expires_at: "2026-01-01T00:00:00Z",
        payload_digest: "",
        allowed_decisions: [
          denied_because === undefined
            ? { decision: "approve", allowed: true }
            : { decision: "approve", allowed: false, denied_because },
          { decision: "reject", allowed: true }
        ]
      } as unknown as Approval, { withPayload: false }).mine
    assert.deepStrictEqual(
      [undefined, "step_up_required", "already_approved", "forbidden", "separation_of_duties"].map(of),
      [true, true, false, false, false]
    )
  })
})

import { describe, expect, it } from "vitest"
import {
  foldFrom,
  foldOf,
  linesOf,
  matches,
  nextPending,
  stepFrom,
  walkOf
} from "../../../packages/ui/src/approvals/inbox-lines.ts"
import {
  type ApprovalRow,
  clearDecided,
  layOut,
  leave,
  missing,
  takeIn,
  unseen
} from "../../../packages/ui/src/approvals/inbox-rows.ts"

const now = Date.parse("2026-11-21T12:00:00Z")
const inMinutes = (minutes: number) => new Date(now + minutes * 60_000).toISOString()

interface Told {
  readonly status?: string
  readonly minutes?: number
  readonly agent?: string
  readonly operation?: string
  readonly org?: string
  readonly mode?: string
}

const row = (id: string, told: Told = {}) => {
  const { agent = "Scout", minutes = 600, mode = "live", operation = "buy", org = "org_1", status = "pending" } = told
  return {
    id,
    status,
    org_id: org,
    agent: { id: `agt_${agent}`, name: agent },
    service: "shop",
    operation,
    mode,
    reason: "Costs more",
    expires_at: inMinutes(minutes),
    cost_cents: 100
  } as unknown as ApprovalRow
}

const ids = (rows: ReadonlyArray<ApprovalRow>) => rows.map(({ id }) => id as string)

describe("the rows of the inbox", () => {
  it("are what waits, oldest first, after what expires within the hour", () => {
    const held = layOut([
      row("a"),
      row("b", { minutes: 60 }),
      row("c", { status: "approved" }),
      row("d", { minutes: 61 })
    ], now)
    expect(ids(held.rows)).toEqual(["b", "a", "d"])
    expect([...held.urgent]).toEqual(["b"])
  })

  it("keep their places when one is decided, and take in what was read of it", () => {
    const held = layOut([row("a"), row("b")], now)
    const after = takeIn(held, [row("a", { status: "approved" }), row("b")])
    expect(ids(after.rows)).toEqual(["a", "b"])
    expect(after.rows[0]?.status).toBe("approved")
  })

  it("never show a decided one as waiting again, though an older read says so", () => {
    const decided = takeIn(layOut([row("a")], now), [row("a", { status: "rejected" })])
    expect(takeIn(decided, [row("a")]).rows[0]?.status).toBe("rejected")
  })

  it("do not show what is new, but count it", () => {
    const held = layOut([row("a"), row("b")], now)
    const read = [row("a"), row("b"), row("c"), row("d", { status: "approved" })]
    expect(ids(takeIn(held, read).rows)).toEqual(["a", "b"])
    expect(unseen(held, read)).toBe(1)
    expect(unseen(layOut(read, now), read)).toBe(0)
  })

  it("count a new approval once, whether a read or an event reported it first", () => {
    const held = layOut([row("a"), row("b")], now)
    const read = [row("a"), row("b"), row("c"), row("d", { status: "approved" })]
    expect(unseen(held, read, ["c"])).toBe(1)
    expect(unseen(held, read, ["c", "e"])).toBe(2)
    expect(unseen(held, read, ["a", "d"])).toBe(1)
  })

  it("grow at their end when more is asked for, or when an older one comes from a further page", () => {
    const held = layOut([row("a"), row("c")], now)
    expect(ids(takeIn(held, [row("a"), row("b"), row("c")]).rows)).toEqual(["a", "c", "b"])
    const grown = takeIn(held, [row("a"), row("c"), row("d")], true)
    expect(ids(grown.rows)).toEqual(["a", "c", "d"])
    expect(unseen(grown, [row("d")])).toBe(0)
  })

  it("are the same object when nothing of them changed", () => {
    const read = [row("a"), row("b")]
    const held = layOut(read, now)
    expect(takeIn(held, read)).toBe(held)
  })

  it("lose a decided one when the selection leaves it, and no other", () => {
    const held = takeIn(layOut([row("a"), row("b")], now), [row("a", { status: "expired" })])
    expect(ids(leave(held, "b").rows)).toEqual(["a", "b"])
    expect(ids(leave(held, "a").rows)).toEqual(["b"])
    expect(leave(held, "none")).toBe(held)
  })

  it("are cleared of what is decided, but for the open one", () => {
    const decided = [row("a", { status: "approved" }), row("b", { status: "approved" })]
    const held = takeIn(layOut([row("a"), row("b"), row("c")], now), decided)
    expect(ids(clearDecided(held, "b").rows)).toEqual(["b", "c"])
  })

  it("are asked for one by one where a read that reaches beyond them has them no more", () => {
    const held = layOut([row("a"), row("b"), row("c")], now)
    expect(ids(missing(held, [row("a"), row("c")], false))).toEqual(["b"])
    // A page that ends before them says nothing of them.
    expect(ids(missing(held, [row("a")], false))).toEqual([])
    expect(ids(missing(held, [], true))).toEqual(["a", "b", "c"])
  })
})

describe("the lines of the inbox", () => {
  const none: ReadonlySet<string> = new Set()
  const laid = (...rows: ReadonlyArray<ApprovalRow>) => layOut(rows, now)
  const kinds = (held: ReturnType<typeof laid>, opened = none, open?: string) =>
    linesOf(held, opened, open).map(({ kind }) => kind)

  it("have rules only where something expires within the hour", () => {
    expect(kinds(laid(row("a"), row("b")))).toEqual(["row", "row"])
    expect(kinds(laid(row("a"), row("b", { minutes: 5 })))).toEqual(["rule", "row", "rule", "row"])
    expect(kinds(laid(row("b", { minutes: 5 })))).toEqual(["rule", "row"])
  })

  it(`fold ${foldFrom} of one agent and operation, where the first stands`, () => {
    const held = laid(row("a"), row("x", { agent: "Night" }), row("b"), row("c"))
    const lines = linesOf(held, none, undefined)
    expect(lines.map(({ kind }) => kind)).toEqual(["fold", "row"])
    expect(lines[0]?.kind === "fold" ? ids(lines[0].rows) : []).toEqual(["a", "b", "c"])
    expect(foldOf(lines, "c")).toBe(lines[0]?.key)
    expect(foldOf(lines, "x")).toBeUndefined()
  })

  it("fold nothing over workspaces, operations, modes or the rule", () => {
    for (const other of [{ org: "org_2" }, { operation: "sell" }, { mode: "test" }, { minutes: 5 }]) {
      expect(kinds(laid(row("a"), row("b"), row("c", other)))).not.toContain("fold")
    }
  })

  it("open the fold of the open row, and keep open what was entered though rows of it go", () => {
    const held = laid(row("a"), row("b"), row("c"))
    expect(kinds(held, none, "b")).toEqual(["fold", "row", "row", "row"])
    const key = linesOf(held, none, undefined)[0]?.key ?? ""
    expect(kinds(held, new Set([key]))).toEqual(["fold", "row", "row", "row"])
    expect(kinds(laid(row("a"), row("b")), new Set([key]))).toEqual(["fold", "row", "row"])
  })

  it("are walked in the order drawn, a closed fold by its first row", () => {
    const walk = walkOf(linesOf(laid(row("a"), row("b"), row("c"), row("d", { agent: "Night" })), none, undefined))
    expect(ids(walk)).toEqual(["a", "d"])
    expect(stepFrom(walk, undefined, 1)?.id).toBe("a")
    expect(stepFrom(walk, "a", 1)?.id).toBe("d")
    expect(stepFrom(walk, "d", 1)).toBeUndefined()
    expect(stepFrom(walk, "a", -1)).toBeUndefined()
    expect(stepFrom(walk, "gone", 1)?.id).toBe("a")
  })

  it("never take back the end of a request", () => {
    const held = layOut([row("a")], now)
    const decided = (status: string) =>
      ({ ...row("a", { status: "approved" }), kind: "service_request", outcome: { status } }) as unknown as ApprovalRow
    const ended = takeIn(takeIn(held, [decided("running")]), [decided("executed")])
    expect(takeIn(ended, [decided("running")]).rows[0]?.outcome?.status).toBe("executed")
  })

  it("go on to the next pending row, through closed folds and past the end, never to a decided one", () => {
    const lines = linesOf(
      { rows: [row("a"), row("b", { status: "approved" }), row("c"), row("d", { agent: "Night" })], urgent: none },
      none,
      undefined
    )
    expect(nextPending(lines, "a")?.id).toBe("c")
    expect(nextPending(lines, "c")?.id).toBe("d")
    expect(nextPending(lines, "d")?.id).toBe("a")
    expect(nextPending(linesOf(laid(row("a")), none, "a"), "a")).toBeUndefined()
  })

  it("are found by the values of their payload and the beginning of their seal, never by a masked value", () => {
    const payload = { to: ["Ada@example.com"], pin: { $masked: true }, n: 817 }
    const one: ApprovalRow = { ...row("apr_8"), payload, payload_digest: `ab12${"0".repeat(60)}` }
    for (const sought of ["ada@EXAMPLE", "817", "AB12", "ab1200"]) expect(matches(one, sought)).toBe(true)
    for (const sought of ["masked", "true", "ab1", "b120"]) expect(matches(one, sought)).toBe(false)
  })

  it("are found by agent, operation, reason and id, whatever the case", () => {
    const one = row("apr_7")
    for (const sought of ["", " scout ", "SHOP.buy", "costs", "pr_7"]) expect(matches(one, sought)).toBe(true)
    expect(matches(one, "night")).toBe(false)
  })
})

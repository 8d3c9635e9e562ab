import { describe, expect, it } from "vitest"
import {
  foldFrom,
  foldOf,
  linesOf,
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

interface RowOptions {
  readonly status?: string
  readonly minutes?: number
  readonly agent?: string
  readonly operation?: string
  readonly org?: string
  readonly mode?: string
}

const row = (id: string, options: RowOptions = {}) => {
  const { agent = "Scout", minutes = 600, mode = "live", operation = "buy", org = "org_1", status = "pending" } =
    options
  return {
    id,
    kind: "service_request",
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

const ids = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id)

describe("inbox rows", () => {
  it("lists pending rows, oldest first, after those that expire within the hour", () => {
    const held = layOut([
      row("a"),
      row("b", { minutes: 60 }),
      row("c", { status: "approved" }),
      row("d", { minutes: 61 })
    ], now)
    expect(ids(held.rows)).toEqual(["b", "a", "d"])
    expect([...held.urgent]).toEqual(["b"])
  })

  it("keeps a decided row in place and updates its data", () => {
    const held = layOut([row("a"), row("b")], now)
    const after = takeIn(held, [row("a", { status: "approved" }), row("b")])
    expect(ids(after.rows)).toEqual(["a", "b"])
    expect(after.rows[0]?.status).toBe("approved")
  })

  it("never reverts a decided row to pending after an older read", () => {
    const decided = takeIn(layOut([row("a")], now), [row("a", { status: "rejected" })])
    expect(takeIn(decided, [row("a")]).rows[0]?.status).toBe("rejected")
  })

  it("counts new rows without showing them", () => {
    const held = layOut([row("a"), row("b")], now)
    const read = [row("a"), row("b"), row("c"), row("d", { status: "approved" })]
    expect(ids(takeIn(held, read).rows)).toEqual(["a", "b"])
    expect(unseen(held, read)).toBe(1)
    expect(unseen(layOut(read, now), read)).toBe(0)
  })

  it("counts a new approval once, whether a read or an event reported it first", () => {
    const held = layOut([row("a"), row("b")], now)
    const read = [row("a"), row("b"), row("c"), row("d", { status: "approved" })]
    expect(unseen(held, read, ["c"])).toBe(1)
    expect(unseen(held, read, ["c", "e"])).toBe(2)
    expect(unseen(held, read, ["a", "d"])).toBe(1)
  })

  it("appends rows when more are loaded, or when an older one is on a further page", () => {
    const held = layOut([row("a"), row("c")], now)
    expect(ids(takeIn(held, [row("a"), row("b"), row("c")]).rows)).toEqual(["a", "c", "b"])
    const grown = takeIn(held, [row("a"), row("c"), row("d")], true)
    expect(ids(grown.rows)).toEqual(["a", "c", "d"])
    expect(unseen(grown, [row("d")])).toBe(0)
  })

  it("returns the same object if nothing changed", () => {
    const read = [row("a"), row("b")]
    const held = layOut(read, now)
    expect(takeIn(held, read)).toBe(held)
  })

  it("removes only a decided row when the selection leaves it", () => {
    const held = takeIn(layOut([row("a"), row("b")], now), [row("a", { status: "expired" })])
    expect(ids(leave(held, "b").rows)).toEqual(["a", "b"])
    expect(ids(leave(held, "a").rows)).toEqual(["b"])
    expect(leave(held, "none")).toBe(held)
  })

  it("clears decided rows except the open one", () => {
    const decided = [row("a", { status: "approved" }), row("b", { status: "approved" })]
    const held = takeIn(layOut([row("a"), row("b"), row("c")], now), decided)
    expect(ids(clearDecided(held, "b").rows)).toEqual(["b", "c"])
  })

  it("reports rows missing from a read that covers their place", () => {
    const held = layOut([row("a"), row("b"), row("c")], now)
    expect(ids(missing(held, [row("a"), row("c")], false))).toEqual(["b"])
    // A page that ends before them does not cover them.
    expect(ids(missing(held, [row("a")], false))).toEqual([])
    expect(ids(missing(held, [], true))).toEqual(["a", "b", "c"])
  })
})

describe("inbox lines", () => {
  const none: ReadonlySet<string> = new Set()
  const laid = (...rows: ReadonlyArray<ApprovalRow>) => layOut(rows, now)
  const kinds = (held: ReturnType<typeof laid>, opened = none, open?: string) =>
    linesOf(held, opened, open).map(({ kind }) => kind)

  it("have separators only if a row expires within the hour", () => {
    expect(kinds(laid(row("a"), row("b")))).toEqual(["row", "row"])
    expect(kinds(laid(row("a"), row("b", { minutes: 5 })))).toEqual(["rule", "row", "rule", "row"])
    expect(kinds(laid(row("b", { minutes: 5 })))).toEqual(["rule", "row"])
  })

  it(`folds ${foldFrom} rows of one agent and operation at the place of the first`, () => {
    const held = laid(row("a"), row("x", { agent: "Night" }), row("b"), row("c"))
    const lines = linesOf(held, none, undefined)
    expect(lines.map(({ kind }) => kind)).toEqual(["fold", "row"])
    expect(lines[0]?.kind === "fold" ? ids(lines[0].rows) : []).toEqual(["a", "b", "c"])
    expect(foldOf(lines, "c")).toBe(lines[0]?.key)
    expect(foldOf(lines, "x")).toBeUndefined()
  })

  it("folds nothing across workspaces, operations, modes, or the separator", () => {
    for (const other of [{ org: "org_2" }, { operation: "sell" }, { mode: "test" }, { minutes: 5 }]) {
      expect(kinds(laid(row("a"), row("b"), row("c", other)))).not.toContain("fold")
    }
  })

  it("opens the fold of the open row, and keeps an entered fold open although rows leave it", () => {
    const held = laid(row("a"), row("b"), row("c"))
    expect(kinds(held, none, "b")).toEqual(["fold", "row", "row", "row"])
    const key = linesOf(held, none, undefined)[0]?.key ?? ""
    expect(kinds(held, new Set([key]))).toEqual(["fold", "row", "row", "row"])
    expect(kinds(laid(row("a"), row("b")), new Set([key]))).toEqual(["fold", "row", "row"])
  })

  it("walks rows in display order, a closed fold by its first row", () => {
    const walk = walkOf(linesOf(laid(row("a"), row("b"), row("c"), row("d", { agent: "Night" })), none, undefined))
    expect(ids(walk)).toEqual(["a", "d"])
    expect(stepFrom(walk, undefined, 1)?.id).toBe("a")
    expect(stepFrom(walk, "a", 1)?.id).toBe("d")
    expect(stepFrom(walk, "d", 1)).toBeUndefined()
    expect(stepFrom(walk, "a", -1)).toBeUndefined()
    expect(stepFrom(walk, "gone", 1)?.id).toBe("a")
    expect(stepFrom(walk, "a", 10)?.id).toBe("d")
    expect(stepFrom(walk, "d", -10)?.id).toBe("a")
    expect(stepFrom(walk, "d", 10)).toBeUndefined()
  })

  it("never reverts the end of a request", () => {
    const held = layOut([row("a")], now)
    const decided = (status: string) =>
      ({ ...row("a", { status: "approved" }), kind: "service_request", outcome: { status } }) as unknown as ApprovalRow
    const ended = takeIn(takeIn(held, [decided("running")]), [decided("executed")])
    expect(takeIn(ended, [decided("running")]).rows[0]?.outcome?.status).toBe("executed")
  })

  it("advances to the next pending row, through closed folds and around the end, never to a decided one", () => {
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
})

/**
 * The tick's SQL statement: one call with an array for each field of its begins and settles, which returns one row of
 * arrays. `resources/functions/batch/tick.sql` has the other side.
 */
import type { ApprovalId, ServiceRequestId } from "@countersign/domain/ids"
import { int4Array, int8Array, textArray } from "../../platform/db.ts"
import { beginCodes, settleCodes, verdictCodes } from "../../platform/sql-names.ts"
import { type Begin, type BeginAnswer, keyOf, type Settle, type SettleAnswer } from "./entries.ts"

export interface TickRow {
  readonly begin_codes: ReadonlyArray<number>
  readonly begin_refs: ReadonlyArray<string | null>
  readonly begin_times: ReadonlyArray<number | null>
  readonly begin_blocks: ReadonlyArray<string | null>
  readonly settle_codes: ReadonlyArray<number>
  readonly settle_times: ReadonlyArray<number | null>
  readonly settle_costs: ReadonlyArray<number | null>
}

/** For a tick without settles, and for one without begins. */
export const noSettles = { settle_codes: [], settle_times: [], settle_costs: [] }
export const noBegins = { begin_codes: [], begin_refs: [], begin_times: [], begin_blocks: [] }

const parameterCount = 45
export const tickStatement = `select * from tick(${
  Array.from({ length: parameterCount }, (_, at) => `$${at + 1}`).join(", ")
})`

/** A limit that is named twice counts once. */
export const distinct = (limits: ReadonlyArray<number>): ReadonlyArray<number> =>
  limits.some((limit, at) => limits.indexOf(limit) !== at) ? [...new Set(limits)] : limits

/** Sends an empty array for a column without values: `unnest` and subscripts return null beyond an array's end. */
const sparse = <A>(values: ReadonlyArray<A | null>): ReadonlyArray<A | null> =>
  values.every((value) => value === null) ? [] : values

/** In the order of the parameters of `tick`. */
export const parametersOf = (
  owner: number,
  wait: boolean,
  again: boolean,
  begins: ReadonlyArray<Begin>,
  settles: ReadonlyArray<Settle>
): ReadonlyArray<unknown> => {
  const text = (of: (begin: Begin) => string | null) => textArray(begins.map(of))
  const rareText = (of: (begin: Begin) => string | null) => textArray(sparse(begins.map(of)))
  const int = (of: (begin: Begin) => number) => int4Array(begins.map(of))
  const cents = (of: (begin: Begin) => number | null) => int8Array(begins.map(of))
  const settled = (of: (settle: Settle) => string | null) => textArray(settles.map(of))
  const rareSettled = (of: (settle: Settle) => string | null) => textArray(sparse(settles.map(of)))
  const rareMillis = (of: (settle: Settle) => number | null) => int8Array(sparse(settles.map(of)))
  return [
    owner,
    wait,
    again,
    text((x) => x.id),
    text((x) => x.org),
    text((x) => x.agent),
    int((x) => x.agentVersion),
    int((x) => x.rulesVersion),
    text((x) => x.mode),
    text((x) => x.service),
    text((x) => x.operation),
    rareText((x) => x.scope),
    rareText(keyOf),
    rareText((x) => keyOf(x) === null ? null : x.hash),
    int((x) => verdictCodes[x.verdict]),
    cents((x) => x.ceilingCents),
    text((x) => `{${distinct(x.limits).join(",")}}`),
    cents((x) => x.wallet),
    int8Array(sparse(begins.map((x) => x.check))),
    text((x) => x.payload),
    // Always full length: the tick writes into it.
    text((x) => x.reason),
    rareText((x) => x.result),
    rareText((x) => x.block),
    rareText((x) => x.wait === null ? null : JSON.stringify(x.wait)),
    rareText((x) => x.origin),
    rareText((x) => x.script),
    rareText((x) => x.granted === null ? null : JSON.stringify(x.granted)),
    text((x) => x.audit),
    text((x) => x.actor),
    text((x) => x.ip),
    text((x) => x.data),
    settled((x) => x.id),
    settled((x) => x.org),
    settled((x) => x.status),
    int8Array(settles.map((x) => x.cents)),
    int4Array(settles.map((x) => x.micro)),
    rareSettled((x) => x.reason),
    settled((x) => x.result),
    rareSettled((x) => x.ref),
    rareMillis((x) => x.dueMillis),
    rareMillis((x) => x.deadlineMillis),
    settled((x) => x.audit),
    settled((x) => x.move),
    settled((x) => x.actor),
    settled((x) => x.data)
  ]
}

export const beginAnswer = (row: TickRow, at: number, owner: number): BeginAnswer => {
  const when = row.begin_times[at] ?? 0
  const ref = row.begin_refs[at] ?? ""
  switch (row.begin_codes[at]) {
    case beginCodes.admitted:
    case beginCodes.admitted_before:
      return { kind: "admitted", at: when, owner }
    case beginCodes.approval_required:
      return { kind: "waits", at: when, approvalId: ref as ApprovalId }
    case beginCodes.blocked:
      return { kind: "blocked", at: when, reason: ref, block: row.begin_blocks[at] ?? null }
    case beginCodes.failed:
      return { kind: "failed", at: when }
    case beginCodes.known:
      return { kind: "known", id: ref as ServiceRequestId }
    case beginCodes.conflict:
      return { kind: "conflict", id: ref as ServiceRequestId }
    case beginCodes.not_pending:
      return { kind: "not_pending" }
    default:
      return { kind: "stale" }
  }
}

/** Whether other work held the lock of an entry's workspace: the entry is sent again. */
export const isBeginLocked = (row: TickRow, at: number): boolean => row.begin_codes[at] === beginCodes.locked
export const isSettleLocked = (row: TickRow, at: number): boolean => row.settle_codes[at] === settleCodes.locked

export const settleAnswer = (row: TickRow, at: number): SettleAnswer =>
  row.settle_codes[at] === settleCodes.done || row.settle_codes[at] === settleCodes.done_before
    ? { kind: "done", at: row.settle_times[at] ?? 0, costCents: row.settle_costs[at] ?? 0 }
    : { kind: "settled" }

/**
 * One begin as a call of the tick, for a transaction that already holds the workspace's lock, and the reader of its
 * row. `again`: an earlier call of the same begin may have been committed.
 */
export const singleBegin = (owner: number, begin: Begin, again: boolean) => ({
  statement: tickStatement,
  parameters: parametersOf(owner, true, again, [begin], [])
})
export const readSingleBegin = (row: TickRow | undefined, owner: number): BeginAnswer =>
  row === undefined ? { kind: "stale" } : beginAnswer(row, 0, owner)

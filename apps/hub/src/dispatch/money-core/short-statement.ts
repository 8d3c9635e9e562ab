/**
 * The short path of the money core: an entry that is pending alone becomes one call by key. The database leaves
 * anything unusual to the tick: it returns no state then, and has written nothing.
 * `resources/migrations/0049_single_entries.sql` has the other side.
 */
import { int8Array } from "../../platform/db.ts"
import type { Begin, Settle } from "./entries.ts"
import type { Entry } from "./queue.ts"
import { distinct, noBegins, noSettles, type TickRow } from "./statement.ts"

export interface ShortRow {
  /** As in a tick's row; null: the tick decides. */
  readonly o_state: number | null
  readonly o_at: number | null
  /** Of a settlement. */
  readonly o_cents?: number | null
}

export interface ShortStatement {
  readonly statement: string
  readonly parameters: ReadonlyArray<unknown>
  readonly tickRowOf: (row: ShortRow) => TickRow | undefined
}

const call = (name: string, count: number) =>
  `select * from ${name}(${Array.from({ length: count }, (_, at) => `$${at + 1}`).join(", ")})`
const beginStatement = call("begin_one", 20)
const settleStatement = call("settle_one", 12)

const cents = (value: number | null) => value === null ? null : BigInt(value)

const beginOne = (owner: number, wait: boolean, begin: Begin): ShortStatement => ({
  statement: beginStatement,
  parameters: [
    owner,
    wait,
    begin.id,
    begin.org,
    begin.agent,
    begin.agentVersion,
    begin.rulesVersion,
    begin.mode,
    begin.service,
    begin.operation,
    begin.scope,
    begin.key,
    begin.key === null ? null : begin.hash,
    cents(begin.ceilingCents),
    int8Array(distinct(begin.limits)),
    cents(begin.wallet),
    cents(begin.check),
    begin.payload,
    begin.origin,
    begin.script
  ],
  tickRowOf: ({ o_at, o_state }) =>
    o_state === null ? undefined : { ...noSettles, o_b: [o_state], o_b_ref: [null], o_b_at: [o_at], o_b_block: [null] }
})

const settleOne = (wait: boolean, settle: Settle): ShortStatement => ({
  statement: settleStatement,
  parameters: [
    wait,
    settle.id,
    settle.org,
    settle.status,
    cents(settle.cents),
    settle.micro,
    settle.reason,
    settle.result,
    settle.audit,
    settle.move,
    settle.actor,
    settle.data
  ],
  tickRowOf: ({ o_at, o_cents = null, o_state }) =>
    o_state === null ? undefined : { ...noBegins, o_s: [o_state], o_s_at: [o_at], o_s_cents: [o_cents] }
})

/** The call for an entry that is sent alone; `undefined` when only the tick can decide it. */
export const shortStatementOf = (owner: number, wait: boolean, entry: Entry): ShortStatement | undefined => {
  // Only the tick recognizes the rows of an earlier call.
  if (entry.again) return undefined
  if (entry.kind === "settle") return entry.settle.status === "running" ? undefined : settleOne(wait, entry.settle)
  const { granted, verdict } = entry.begin
  return verdict === "admit" && granted === null ? beginOne(owner, wait, entry.begin) : undefined
}

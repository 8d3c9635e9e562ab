/**
 * The short path of the money core: an entry that is pending alone becomes one call by key. The database leaves
 * anything unusual to the tick: it returns no state then, and has written nothing.
 * `resources/functions/single` has the other side.
 */
import { markTaken, type PickUp } from "../../pick-ups/pick-up.ts"
import { int8Array } from "../../platform/db.ts"
import { type Begin, keyOf, type Settle, untaken } from "./entries.ts"
import type { Entry } from "./queue.ts"
import { distinct, noBegins, noSettles, type TickRow } from "./statement.ts"

export interface ShortRow {
  /** As in a tick's row; null: the tick decides. */
  readonly result_code: number | null
  readonly at_millis: number | null
  /** Of a begin whose pick-up was taken with it. */
  readonly picked_up_key?: string
  /** Of a settlement. */
  readonly charged_cents?: number | null
}

export interface ShortStatement {
  readonly statement: string
  readonly parameters: ReadonlyArray<unknown>
  readonly tickRowOf: (row: ShortRow) => TickRow | undefined
}

/** The place of the key among the parameters of `begin_one`. */
const keyAt = 12

const call = (name: string, count: number) =>
  `select * from ${name}(${Array.from({ length: count }, (_, at) => `$${at + 1}`).join(", ")})`
const beginCount = 20
const beginStatement = call("begin_one", beginCount)
const begun = Array.from({ length: beginCount }, (_, at) => at + 1 === keyAt ? "taken.key" : `$${at + 1}`)
const pickedUpStatement = `select begun.*, taken.key as picked_up_key
  from take_pickup($4, $5, $8, $${beginCount + 1}, $${keyAt}, $1) as taken(key), begin_one(${
  begun.join(", ")
}) as begun`
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
    keyOf(begin),
    keyOf(begin) === null ? null : begin.hash,
    cents(begin.ceilingCents),
    int8Array(distinct(begin.limits)),
    cents(begin.wallet),
    cents(begin.check),
    begin.payload,
    begin.origin,
    begin.script
  ],
  tickRowOf: ({ at_millis, result_code }) =>
    result_code === null
      ? undefined
      : { ...noSettles, begin_codes: [result_code], begin_refs: [null], begin_times: [at_millis], begin_blocks: [null] }
})

/** The same with the key of its pick-up, which is taken first: a known one is left to the tick. */
const beginPickedUp = (short: ShortStatement, pickUp: PickUp): ShortStatement => ({
  statement: pickedUpStatement,
  parameters: [...short.parameters, pickUp.hash],
  tickRowOf: (row) => {
    markTaken(pickUp, row.picked_up_key ?? pickUp.key)
    return short.tickRowOf(row)
  }
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
  tickRowOf: ({ at_millis, charged_cents = null, result_code }) =>
    result_code === null
      ? undefined
      : { ...noBegins, settle_codes: [result_code], settle_times: [at_millis], settle_costs: [charged_cents] }
})

/** The call for an entry that is sent alone; `undefined` when only the tick can decide it. */
export const shortStatementOf = (owner: number, wait: boolean, entry: Entry): ShortStatement | undefined => {
  // Only the tick recognizes the rows of an earlier call.
  if (entry.again) return undefined
  if (entry.kind === "settle") return entry.settle.status === "running" ? undefined : settleOne(wait, entry.settle)
  const { granted, verdict } = entry.begin
  if (verdict !== "admit" || granted !== null) return undefined
  const pickUp = untaken(entry.begin)
  if (pickUp === undefined) return beginOne(owner, wait, entry.begin)
  // It does not wait for the workspace's lock: a caller that hangs up meanwhile leaves the key, which must be stored.
  return beginPickedUp(beginOne(owner, false, entry.begin), pickUp)
}

/** The connections for ticks, one tick at a time each, and the meaning of their errors. */
import { markTaken, takeStatement } from "../../pick-ups/pick-up.ts"
import { isPassing, sqlStateOf } from "../../platform/db.ts"
import { type Begin, untaken } from "./entries.ts"
import type { BeginEntry, SettleEntry } from "./queue.ts"
import { type ShortRow, shortStatementOf } from "./short-statement.ts"
import { parametersOf, type TickRow, tickStatement } from "./statement.ts"

/** One connection that runs ticks; call `close` after any error on it. */
export interface Lane {
  readonly run: (text: string, parameters: ReadonlyArray<unknown>) => Promise<ReadonlyArray<unknown>>
  readonly close: () => Promise<void>
}

export interface LanesOptions {
  readonly openLane: () => Promise<Lane>
  readonly owner: () => number
  /** A batch without an answer for this long is sent again on a new connection. */
  readonly batchMillis: number
  readonly observe?: (entries: number, millis: number) => void
  /** Whether an entry that is pending alone takes the short path. Absent: it does. Tests choose at random. */
  readonly isShort?: () => boolean
}

/** Separates errors after which the transaction may have been committed from errors that its data caused. */
type Failure = "connection" | "conflict" | "clock" | "data"

/** The error of `hub_time()` while the database's clock is in doubt. The tick wrote nothing. */
const clockState = "57000"

class LaneLost extends Error {}

const failureOf = (error: unknown): Failure => {
  const state = sqlStateOf(error)
  if (state === clockState) return "clock"
  if (state === "40001" || state === "40P01") return "conflict"
  return isPassing(error) || error instanceof LaneLost ? "connection" : "data"
}

const answered = async <A>(reply: Promise<A>, millis: number): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) =>
    void (timer = setTimeout(() => reject(new LaneLost("a tick got no answer in time")), millis))
  )
  try {
    return await Promise.race([reply, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The one row of an answer, in the statement's shape. */
const rowOf = <Row>([row]: ReadonlyArray<unknown>): Row => {
  if (row === undefined) throw new LaneLost("a tick answered no row")
  return row as Row
}

export type Asked =
  | { readonly row: TickRow; readonly owner: number }
  /** `sent`: the transaction may have reached the database. */
  | { readonly failure: Failure; readonly error: unknown; readonly sent: boolean }

export class Lanes {
  private readonly options: LanesOptions
  private readonly idle: Array<Lane> = []

  constructor(options: LanesOptions) {
    this.options = options
  }

  /** One attempt. A lane that failed for any reason except its data is not used again. */
  async ask(begins: ReadonlyArray<BeginEntry>, settles: ReadonlyArray<SettleEntry>, wait: boolean): Promise<Asked> {
    let lane = this.idle.pop()
    try {
      lane ??= await this.options.openLane()
    } catch (error) {
      return { failure: "connection", error, sent: false }
    }
    const started = performance.now()
    const owner = this.options.owner()
    try {
      const row = await answered(this.decided(lane, owner, begins, settles, wait), this.options.batchMillis)
      this.idle.push(lane)
      this.options.observe?.(begins.length + settles.length, performance.now() - started)
      return { row, owner }
    } catch (error) {
      const failure = failureOf(error)
      if (failure === "data" || failure === "clock") this.idle.push(lane)
      else void lane.close().catch(() => {})
      return { failure, error, sent: true }
    }
  }

  /** Uses the short path when one entry is pending alone and nothing about it is unusual. */
  private async decided(
    lane: Lane,
    owner: number,
    begins: ReadonlyArray<BeginEntry>,
    settles: ReadonlyArray<SettleEntry>,
    wait: boolean
  ): Promise<TickRow> {
    const only = begins.length + settles.length === 1 ? begins[0] ?? settles[0] : undefined
    const short = only === undefined || this.options.isShort?.() === false
      ? undefined
      : shortStatementOf(owner, wait, only)
    if (short !== undefined) {
      const row = short.tickRowOf(rowOf<ShortRow>(await lane.run(short.statement, short.parameters)))
      if (row !== undefined) return row
    }
    if (begins.some(({ begin }) => untaken(begin) !== undefined)) {
      await Promise.all(begins.map(({ begin }) => this.taken(lane, owner, begin)))
    }
    const again = begins.some((entry) => entry.again) || settles.some((entry) => entry.again)
    const parameters = parametersOf(owner, wait, again, begins.map((x) => x.begin), settles.map((x) => x.settle))
    return rowOf<TickRow>(await lane.run(tickStatement, parameters))
  }

  /** Takes the pick-up of a begin that is not sent alone. */
  private async taken(lane: Lane, owner: number, begin: Begin): Promise<void> {
    const pickUp = untaken(begin)
    if (pickUp === undefined) return
    const { agent, mode, org } = begin
    const { key } = rowOf<{ key: string }>(
      await lane.run(takeStatement, [org, agent, mode, pickUp.hash, pickUp.key, owner])
    )
    markTaken(pickUp, key)
  }

  /** Closes the lanes without a running tick. */
  async close(): Promise<void> {
    await Promise.all(this.idle.splice(0).map((lane) => lane.close()))
  }
}

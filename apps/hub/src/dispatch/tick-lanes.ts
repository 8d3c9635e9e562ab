/** The connections that ticks run on, one tick at a time each, and what an error on one of them means. */
import { isPassing, sqlStateOf } from "../platform/db.ts"
import type { BeginEntry, SettleEntry } from "./tick-queue.ts"
import { parametersOf, type TickRow, tickStatement } from "./tick-statement.ts"

/** One connection that runs ticks; `close` on any doubt about it. */
export interface Lane {
  readonly run: (text: string, parameters: ReadonlyArray<unknown>) => Promise<ReadonlyArray<TickRow>>
  readonly close: () => Promise<void>
}

export interface LanesOptions {
  readonly openLane: () => Promise<Lane>
  readonly owner: () => number
  /** A batch without an answer for this long is sent again on a new connection. */
  readonly batchMillis: number
  readonly observe?: (entries: number, millis: number) => void
}

/** What the reader of an error needs to know: may the transaction have been committed, or did the data break it? */
type Failure = "connection" | "conflict" | "clock" | "data"

/** What `hub_time()` raises while the database's clock is in doubt. Nothing of the tick was written. */
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

  /** One try. A lane that failed otherwise than on data is not used again. */
  async ask(begins: ReadonlyArray<BeginEntry>, settles: ReadonlyArray<SettleEntry>, wait: boolean): Promise<Asked> {
    let lane = this.idle.pop()
    try {
      lane ??= await this.options.openLane()
    } catch (error) {
      return { failure: "connection", error, sent: false }
    }
    const started = performance.now()
    const owner = this.options.owner()
    const again = begins.some((entry) => entry.again) || settles.some((entry) => entry.again)
    try {
      const [row] = await answered(
        lane.run(
          tickStatement,
          parametersOf(owner, wait, again, begins.map((x) => x.begin), settles.map((x) => x.settle))
        ),
        this.options.batchMillis
      )
      if (row === undefined) throw new LaneLost("a tick answered no row")
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

  /** Closes those that no tick is on. */
  async close(): Promise<void> {
    await Promise.all(this.idle.splice(0).map((lane) => lane.close()))
  }
}

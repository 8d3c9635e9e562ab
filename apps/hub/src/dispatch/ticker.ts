/**
 * The hub's side of the tick: begins and settles that arrive together go to PostgreSQL as one call in one transaction, on
 * connections of their own. While a tick runs, the next batch gathers; there is no timer. `resources/migrations/0003_tick.sql`
 * decides.
 */
import type { Begin, BeginAnswer, Settle, SettleAnswer } from "./tick-entries.ts"
import { Lanes, type LanesOptions } from "./tick-lanes.ts"
import {
  type Batch,
  type BeginEntry,
  type Entry,
  type SettleEntry,
  type TickLimits,
  tickLimits,
  TickQueue
} from "./tick-queue.ts"
import { beginAnswer, isLocked, settleAnswer, type TickRow } from "./tick-statement.ts"

/**
 * So many that wait go before the tick that ended is answered: the database works while the hub does. Fewer join what the answers
 * bring.
 */
const overlapMin = 32

/**
 * A caller hears `unavailable` when its begin could not be decided for this long; the begin itself is resolved when the database
 * is back.
 */
const beginPatienceMillis = 20_000
const reconnectMillisMax = 1_000
/** A hub that ends waits so long for a database that is away. */
const closeMillisMax = 30_000

export interface TickerOptions extends LanesOptions {
  /** Workspaces whose log moved. */
  readonly committed: (orgs: ReadonlySet<string>) => void
  readonly warn: (message: string, cause: unknown) => void
  /**
   * A begin whose caller was told `unavailable` is decided at last: an admitted one must be ended unsent. Called once for each.
   */
  readonly orphaned: (begin: Begin, admitted: boolean) => void
  readonly limits?: TickLimits
}

const strippedOf = (settle: Settle): Settle => ({
  ...settle,
  ref: null,
  result: JSON.stringify({ code: "unstorable", detail: "The answer could not be stored." }),
  data: "{\"unstorable\":true}"
})

export class Ticker {
  private readonly options: TickerOptions
  private readonly queue: TickQueue
  private readonly lanes: Lanes
  private scheduled = false
  private closed = false
  private drained: (() => void) | undefined

  constructor(options: TickerOptions) {
    this.options = options
    this.queue = new TickQueue(options.limits ?? tickLimits)
    this.lanes = new Lanes(options)
  }

  begin(begin: Begin): Promise<BeginAnswer> {
    return new Promise((resolve) => {
      const entry: Entry = {
        kind: "begin",
        org: begin.org,
        begin,
        resolve,
        again: false,
        abandoned: false,
        since: performance.now()
      }
      this.queue.push(entry)
      this.pump()
    })
  }

  /** Resolves when the settlement stands, however long the database is away: an outcome is never dropped. */
  settle(settle: Settle): Promise<SettleAnswer> {
    return new Promise((resolve) => {
      this.queue.push({ kind: "settle", org: settle.org, settle, resolve, again: false, stripped: false })
      this.pump()
    })
  }

  /** Waits until nothing is queued or running, for a database that is away only so long; then closes the connections. */
  async close(millis = closeMillisMax): Promise<void> {
    if (this.queue.length > 0 || !this.queue.isQuiet) {
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, millis)
        this.drained = () => {
          clearTimeout(limit)
          resolve()
        }
      })
    }
    this.closed = true
    await this.lanes.close()
  }

  /** A turn later, so that all that one turn of the event loop brings is one batch. */
  private pump(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.start()
    })
  }

  private start(): void {
    while (!this.closed) {
      const batch = this.queue.take()
      if (batch === undefined) return
      void this.serve(batch)
    }
  }

  private async serve(batch: Batch): Promise<void> {
    let released = false
    const release = () => {
      if (released) return
      released = true
      this.queue.release(batch)
    }
    try {
      await this.run(batch.entries, batch.wait, () => {
        if (this.queue.length < overlapMin) return
        release()
        this.start()
      })
    } finally {
      release()
      if (this.queue.length > 0) this.pump()
      else if (this.queue.isQuiet) this.drained?.()
    }
  }

  /** `committed` is called before the entries are answered, which may take as long as the next tick. */
  private async run(entries: ReadonlyArray<Entry>, wait: boolean, committed: () => void = () => {}): Promise<void> {
    const begins = entries.filter((entry) => entry.kind === "begin")
    const settles = entries.filter((entry) => entry.kind === "settle")
    let pause = 25
    for (;;) {
      const asked = await this.lanes.ask(begins, settles, wait)
      if ("row" in asked) {
        committed()
        return this.answer(asked.row, asked.owner, begins, settles)
      }
      if (asked.failure === "data") return await this.bisect(entries, wait, asked.error)
      // What is left undone when the hub ends, the next one finds in the holds.
      if (this.closed) return
      // The reply may be lost while the transaction is not: the same ids are sent again.
      for (const entry of entries) entry.again = true
      if (asked.failure === "connection") this.options.warn("the money core cannot reach the database; trying again", asked.error)
      this.abandonOld(begins)
      await new Promise((resolve) => setTimeout(resolve, asked.failure === "conflict" ? Math.random() * 20 : pause))
      pause = Math.min(pause * 2, reconnectMillisMax)
    }
  }

  private abandonOld(begins: ReadonlyArray<BeginEntry>): void {
    for (const entry of begins) {
      if (!entry.abandoned && performance.now() - entry.since > beginPatienceMillis) {
        entry.abandoned = true
        entry.resolve({ kind: "unavailable" })
      }
    }
  }

  private tell(entry: BeginEntry, answer: BeginAnswer): void {
    if (entry.abandoned) this.options.orphaned(entry.begin, answer.kind === "admitted")
    else entry.resolve(answer)
  }

  private answer(row: TickRow, owner: number, begins: ReadonlyArray<BeginEntry>, settles: ReadonlyArray<SettleEntry>): void {
    const moved = new Set<string>()
    const locked: Array<Entry> = []
    begins.forEach((entry, at) => {
      if (isLocked(row.o_b[at])) return void locked.push(entry)
      this.queue.unlocked(entry.org)
      const answer = beginAnswer(row, at, owner)
      if (answer.kind !== "admitted") moved.add(entry.org)
      this.tell(entry, answer)
    })
    settles.forEach((entry, at) => {
      if (isLocked(row.o_s[at])) return void locked.push(entry)
      this.queue.unlocked(entry.org)
      moved.add(entry.org)
      entry.resolve(settleAnswer(row, at))
    })
    if (locked.length > 0) this.queue.pushLocked(locked)
    if (moved.size > 0) this.options.committed(moved)
  }

  /** A tick that fails on data is halved until the culprit stands alone; everyone else goes on. */
  private async bisect(entries: ReadonlyArray<Entry>, wait: boolean, error: unknown): Promise<void> {
    const [only] = entries
    if (entries.length === 1 && only !== undefined) {
      this.options.warn(`the money core refused a ${only.kind}`, error)
      if (only.kind === "begin") return this.tell(only, { kind: "refused", cause: error })
      if (!only.stripped) {
        // Its money must settle whatever its body holds.
        return await this.run([{ ...only, stripped: true, settle: strippedOf(only.settle) }], wait)
      }
      // Not even without its body. It stays, tried again and again by itself, and holds nobody up.
      setTimeout(() => {
        this.queue.push(only)
        this.pump()
      }, reconnectMillisMax)
      return
    }
    const middle = entries.length >> 1
    await this.run(entries.slice(0, middle), wait)
    await this.run(entries.slice(middle), wait)
  }
}

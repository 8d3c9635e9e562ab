/**
 * The hub's side of the tick: begins and settles that arrive together go to PostgreSQL as one call in one transaction,
 * on separate connections. While a tick runs, the next batch gathers; no timer adds to that.
 * `resources/functions/batch/tick.sql` decides. An entry that is pending alone takes a shorter call
 * (`short-statement.ts`).
 */
import type { OrgId } from "@countersign/domain/ids"
import { clockDoubted } from "../../clock/rules.ts"
import { entryDataText } from "../../platform/audit-entry-data.ts"
import { type Patience, patienceDefault } from "../../platform/patience.ts"
import type { Begin, BeginAnswer, Settle, SettleAnswer } from "./entries.ts"
import { Lanes, type LanesOptions } from "./lanes.ts"
import {
  type Batch,
  type BeginEntry,
  type Entry,
  type SettleEntry,
  type TickLimits,
  tickLimits,
  TickQueue
} from "./queue.ts"
import { beginAnswer, isBeginLocked, isSettleLocked, settleAnswer, type TickRow } from "./statement.ts"

/**
 * With at least this many pending entries, the next tick is sent before the finished one is answered, so the database
 * works while the hub does. With fewer, the next tick also takes the entries that the answers lead to.
 */
const overlapMin = 32

const reconnectMillisMax = 1_000
/** Overdue entries are checked this often, or four times in the shortest patience. */
const sweepMillisMax = 500
/** Delay before a tick is retried while the clock is in doubt. */
const clockMillis = 500
/** How long a stopping hub waits for an unavailable database. */
const closeMillisMax = 30_000

export interface TickerOptions extends Omit<LanesOptions, "batchMillis"> {
  /** Workspaces with new log entries. */
  readonly committed: (orgs: ReadonlySet<OrgId>) => void
  readonly warn: (message: string, cause: unknown) => void
  /** Compares the database's clock again, after a tick that refused it. */
  readonly clockIsRight?: () => Promise<boolean>
  readonly limits?: TickLimits
  readonly patience?: Patience
}

const strippedOf = (settle: Settle): Settle => ({
  ...settle,
  ref: null,
  result: JSON.stringify({ code: "unstorable", detail: "The result could not be stored." }),
  data: entryDataText({ unstorable: true })
})

export class Ticker {
  private readonly options: TickerOptions
  private readonly queue: TickQueue
  private readonly lanes: Lanes
  private scheduled = false
  private closed = false
  private drained: (() => void) | undefined
  private readonly patience: Patience
  /** The entries of running batches. */
  private readonly running = new Set<ReadonlyArray<Entry>>()
  private watch: NodeJS.Timeout | undefined

  constructor(options: TickerOptions) {
    this.options = options
    this.queue = new TickQueue(options.limits ?? tickLimits)
    this.patience = options.patience ?? patienceDefault
    this.lanes = new Lanes({ ...options, batchMillis: this.patience.batchMillis })
  }

  /**
   * Resolves `unavailable` when the database does not decide in time, or when too many begins are pending. `since`:
   * when the caller began to wait, as `performance.now()`. `again`: an earlier call may have written its request.
   */
  begin(begin: Begin, since = performance.now(), again = false): Promise<BeginAnswer> {
    if (this.queue.isFull(begin.org, this.patience)) return Promise.resolve({ kind: "unavailable", sent: false })
    return new Promise((resolve, reject) => {
      const entry: Entry = {
        kind: "begin",
        org: begin.org,
        begin,
        resolve,
        reject,
        again,
        late: undefined,
        since
      }
      this.push(entry)
    })
  }

  /** Nothing is queued or running: the next entry is sent alone, unless another one comes in the same turn. */
  get isIdle(): boolean {
    return this.queue.length === 0 && this.queue.isQuiet
  }

  /** Resolves once the settlement is written, however long the database is unavailable: an outcome is never dropped. */
  settle(settle: Settle, delayed?: () => void): Promise<SettleAnswer> {
    return new Promise((resolve) => {
      const since = performance.now()
      this.push({ kind: "settle", org: settle.org, settle, resolve, since, delayed, again: false, stripped: false })
    })
  }

  private push(entry: Entry): void {
    this.queue.push(entry)
    const { beginMillis, settleMillis } = this.patience
    this.watch ??= setInterval(() => this.sweep(), Math.min(sweepMillisMax, beginMillis / 4, settleMillis / 4))
    this.pump()
  }

  /**
   * One timer for all entries. Answers callers that waited too long; keeps the entries that the database may still
   * decide.
   */
  private sweep(): void {
    if (this.queue.length === 0 && this.running.size === 0) {
      clearInterval(this.watch)
      this.watch = undefined
      return
    }
    const now = performance.now()
    for (const { late, resolve } of this.queue.dropOlder(now - this.patience.beginMillis)) {
      if (late === undefined) resolve({ kind: "unavailable", sent: false })
      else late(undefined)
    }
    for (const entries of [this.queue.all(), ...this.running]) {
      for (const entry of entries) this.answerOverdue(entry, now)
    }
  }

  /** Answers the caller of an overdue entry; the entry stays. */
  private answerOverdue(entry: Entry, now: number): void {
    if (entry.kind === "settle") {
      if (now - entry.since < this.patience.settleMillis) return
      const { delayed } = entry
      entry.delayed = undefined
      delayed?.()
    } else if (entry.late === undefined && now - entry.since >= this.patience.beginMillis) {
      const { promise, resolve } = Promise.withResolvers<BeginAnswer | undefined>()
      entry.late = resolve
      entry.resolve({ kind: "unavailable", sent: true, decided: promise })
    }
  }

  /**
   * Waits until nothing is queued or running, at most `millis` for an unavailable database; then closes the
   * connections.
   */
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
    clearInterval(this.watch)
    await this.lanes.close()
  }

  /** Deferred by one turn, so that all entries of one turn of the event loop make one batch. */
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
    this.running.add(batch.entries)
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
      this.running.delete(batch.entries)
      release()
      if (this.queue.length > 0) this.pump()
      else if (this.queue.isQuiet) this.drained?.()
    }
  }

  /** Calls `committed` before it answers the entries, which may take as long as the next tick. */
  private async run(
    entries: ReadonlyArray<Entry>,
    wait: boolean,
    committed: () => void = () => {}
  ): Promise<void> {
    let begins = entries.filter((entry) => entry.kind === "begin")
    const settles = entries.filter((entry) => entry.kind === "settle")
    let pause = 25
    for (;;) {
      const asked = await this.lanes.ask(begins, settles, wait)
      if ("row" in asked) {
        committed()
        return this.answer(asked.row, asked.owner, begins, settles)
      }
      if (asked.failure === "data") return await this.bisect([...begins, ...settles], wait, asked.error)
      // The next hub finds unfinished work in the holds.
      if (this.closed) return
      if (asked.failure === "clock") {
        // The hub's clock is right and the database's record of it may be late: retried without hurry.
        const isRight = await this.options.clockIsRight?.()
        if (isRight !== true) begins = this.decline(begins)
        if (begins.length + settles.length === 0) return
        await new Promise((resolve) => setTimeout(resolve, isRight === true ? pause : clockMillis))
        pause = Math.min(pause * 2, reconnectMillisMax)
        continue
      }
      // The reply may be lost although the transaction committed: the same ids are sent again.
      if (asked.sent) { for (const entry of entries) entry.again = true }
      if (asked.failure === "connection") {
        this.options.warn("the money core cannot reach the database; trying again", asked.error)
      }
      await new Promise((resolve) => setTimeout(resolve, asked.failure === "conflict" ? Math.random() * 20 : pause))
      pause = Math.min(pause * 2, reconnectMillisMax)
      begins = this.withoutRefused(begins)
      if (begins.length + settles.length === 0) return
    }
  }

  /** Drops begins whose callers got an error before the begin ever reached the database. */
  private withoutRefused(begins: Array<BeginEntry>): Array<BeginEntry> {
    const isRefused = ({ again, late }: BeginEntry) => late !== undefined && !again
    for (const entry of begins) if (isRefused(entry)) entry.late?.(undefined)
    return begins.filter((entry) => !isRefused(entry))
  }

  /** The clock is in doubt, so nothing new begins. Begins that an earlier call may have written stay, as settles do. */
  private decline(begins: ReadonlyArray<BeginEntry>): Array<BeginEntry> {
    return begins.filter((entry) => {
      if (entry.again) return true
      if (entry.late === undefined) entry.reject(clockDoubted())
      else entry.late(undefined)
      return false
    })
  }

  private tell({ late, resolve }: BeginEntry, answer: BeginAnswer): void {
    if (late === undefined) resolve(answer)
    else late(answer)
  }

  private answer(
    row: TickRow,
    owner: number,
    begins: ReadonlyArray<BeginEntry>,
    settles: ReadonlyArray<SettleEntry>
  ): void {
    const moved = new Set<OrgId>()
    const locked: Array<Entry> = []
    begins.forEach((entry, at) => {
      if (isBeginLocked(row, at)) return void locked.push(entry)
      this.queue.unlocked(entry.org)
      const answer = beginAnswer(row, at, owner)
      if (answer.kind !== "admitted") moved.add(entry.org)
      this.tell(entry, answer)
    })
    settles.forEach((entry, at) => {
      if (isSettleLocked(row, at)) return void locked.push(entry)
      this.queue.unlocked(entry.org)
      moved.add(entry.org)
      entry.resolve(settleAnswer(row, at))
    })
    if (locked.length > 0) this.queue.pushLocked(locked)
    if (moved.size > 0) this.options.committed(moved)
  }

  /** Halves a tick that fails on its data until the faulty entry is alone; the others continue. */
  private async bisect(entries: ReadonlyArray<Entry>, wait: boolean, error: unknown): Promise<void> {
    const [only] = entries
    if (entries.length === 1 && only !== undefined) {
      this.options.warn(`the money core refused a ${only.kind}`, error)
      if (only.kind === "begin") return this.tell(only, { kind: "refused", cause: error })
      if (!only.stripped) {
        // Its money must settle whatever its body contains.
        return await this.run([{ ...only, stripped: true, settle: strippedOf(only.settle) }], wait)
      }
      // It fails even without its body, so it stays queued and is retried alone, without delaying other entries.
      setTimeout(() => this.push(only), reconnectMillisMax)
      return
    }
    const middle = entries.length >> 1
    await this.run(entries.slice(0, middle), wait)
    await this.run(entries.slice(middle), wait)
  }
}

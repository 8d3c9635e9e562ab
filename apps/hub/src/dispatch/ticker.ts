/**
 * The hub's side of the tick: begins and settles that arrive together go to PostgreSQL as one call in one transaction, on connections
 * of their own. While a tick runs, the next batch gathers; there is no timer. `resources/migrations/0003_tick.sql` decides.
 */
import { int4Array, int8Array, textArray } from "../platform/db.ts"

/** A tick takes at most this many begins, and as many settles. */
export const tickEntriesMax = 512
/** Connections for ticks. All but one may wait for a locked workspace; the last keeps serving the others. */
const lanesMax = 4
/** A caller hears `unavailable` when its begin could not be decided for this long; the begin itself is resolved when the database is back. */
const beginPatienceMillis = 20_000
const reconnectMillisMax = 1_000

/** An approval to file when the request has to wait. */
export interface Wait {
  readonly id: string
  readonly threshold_cents: number
  readonly reason: string
  readonly policy_id?: string
  readonly required: number
  readonly deciders?: string
  readonly life_seconds: number
  readonly digest: string
  readonly filed_by?: string
}

/** The approval that lets an existing request begin, and who gave the last voice. */
export interface Granted {
  readonly id: string
  readonly by: string
  readonly comment?: string
  readonly actor: string
  readonly audit: string
  readonly ip?: string
  readonly data: string
}

export interface Begin {
  readonly id: string
  readonly org: string
  readonly agent: string
  readonly agentVersion: number
  readonly rulesVersion: number
  readonly mode: string
  readonly service: string
  readonly operation: string
  readonly scope: string | null
  readonly key: string | null
  /** SHA-256 in hex of what the key is bound to. */
  readonly hash: string
  readonly verdict: "admit" | "wait" | "blocked" | "failed"
  readonly ceilingCents: number
  /** Ids of limits, in the order in which a tight one is told. */
  readonly limits: ReadonlyArray<number>
  readonly wallet: number | null
  /** One of `limits` that is looked at and never taken. */
  readonly check: number | null
  readonly payload: string
  readonly reason: string | null
  readonly result: string | null
  readonly block: string | null
  readonly wait: Wait | null
  readonly origin: string | null
  readonly script: string | null
  readonly granted: Granted | null
  readonly audit: string
  readonly actor: string
  readonly ip: string | null
  readonly data: string
}

export type BeginAnswer =
  | { readonly kind: "admitted"; readonly at: number }
  | { readonly kind: "waits"; readonly at: number; readonly approvalId: string }
  | { readonly kind: "blocked"; readonly at: number; readonly reason: string; readonly block: string | null }
  | { readonly kind: "failed"; readonly at: number }
  /** Known by its key, or by its own id after a lost reply: `id` is the request that stands. */
  | { readonly kind: "known"; readonly id: string }
  | { readonly kind: "conflict"; readonly id: string }
  | { readonly kind: "not_pending" }
  | { readonly kind: "stale" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "refused"; readonly cause: unknown }

export interface Settle {
  readonly id: string
  readonly org: string
  readonly status: "executed" | "failed" | "blocked" | "running"
  /** The actual, clamped to 0…ceiling: whole cents and millionths of one. */
  readonly cents: number
  readonly micro: number
  readonly reason: string | null
  readonly result: string | null
  /** Only of `running`. */
  readonly ref: string | null
  readonly dueMillis: number | null
  readonly deadlineMillis: number | null
  readonly audit: string
  readonly move: string
  readonly actor: string
  readonly data: string
}

export type SettleAnswer =
  | { readonly kind: "done"; readonly at: number; readonly costCents: number }
  /** It was not open any more: the settlement that stands is another's. */
  | { readonly kind: "settled" }

type Entry =
  | { readonly kind: "begin"; readonly org: string; readonly begin: Begin; resolve: (answer: BeginAnswer) => void; again: boolean; abandoned: boolean; readonly since: number }
  | { readonly kind: "settle"; readonly org: string; readonly settle: Settle; resolve: (answer: SettleAnswer) => void; again: boolean; stripped: boolean }

export interface TickRow {
  readonly o_b: ReadonlyArray<number>
  readonly o_b_ref: ReadonlyArray<string | null>
  readonly o_b_at: ReadonlyArray<number | null>
  readonly o_b_block: ReadonlyArray<string | null>
  readonly o_s: ReadonlyArray<number>
  readonly o_s_at: ReadonlyArray<number | null>
  readonly o_s_cents: ReadonlyArray<number | null>
}

/** One connection that runs ticks; `close` on any doubt about it. */
export interface Lane {
  readonly run: (text: string, parameters: ReadonlyArray<unknown>) => Promise<ReadonlyArray<TickRow>>
  readonly close: () => Promise<void>
}

export interface TickerOptions {
  readonly openLane: () => Promise<Lane>
  readonly owner: () => number
  /** Workspaces whose log moved. */
  readonly committed: (orgs: ReadonlySet<string>) => void
  readonly observe?: (entries: number, millis: number) => void
  readonly warn: (message: string, cause: unknown) => void
  /** A begin whose caller was told `unavailable` was admitted after all, and must be ended unsent. */
  readonly orphaned: (begin: Begin) => void
}

const parameterCount = 45
const statement = `select * from tick(${Array.from({ length: parameterCount }, (_, at) => `$${at + 1}`).join(", ")})`
const verdicts = { admit: 1, wait: 2, blocked: 3, failed: 4 } as const

const parametersOf = (owner: number, wait: boolean, again: boolean, begins: ReadonlyArray<Begin>, settles: ReadonlyArray<Settle>): ReadonlyArray<unknown> => {
  const text = (of: (begin: Begin) => string | null) => textArray(begins.map(of))
  const int = (of: (begin: Begin) => number) => int4Array(begins.map(of))
  const cents = (of: (begin: Begin) => number | null) => int8Array(begins.map(of))
  const settled = (of: (settle: Settle) => string | null) => textArray(settles.map(of))
  const settledCents = (of: (settle: Settle) => number | null) => int8Array(settles.map(of))
  return [
    owner, wait, again,
    text((x) => x.id), text((x) => x.org), text((x) => x.agent), int((x) => x.agentVersion), int((x) => x.rulesVersion), text((x) => x.mode),
    text((x) => x.service), text((x) => x.operation), text((x) => x.scope), text((x) => x.key), text((x) => x.hash), int((x) => verdicts[x.verdict]),
    cents((x) => x.ceilingCents), text((x) => `{${x.limits.join(",")}}`), cents((x) => x.wallet), cents((x) => x.check), text((x) => x.payload),
    text((x) => x.reason), text((x) => x.result), text((x) => x.block), text((x) => x.wait === null ? null : JSON.stringify(x.wait)),
    text((x) => x.origin), text((x) => x.script), text((x) => x.granted === null ? null : JSON.stringify(x.granted)), text((x) => x.audit),
    text((x) => x.actor), text((x) => x.ip), text((x) => x.data),
    settled((x) => x.id), settled((x) => x.org), settled((x) => x.status), settledCents((x) => x.cents), int4Array(settles.map((x) => x.micro)),
    settled((x) => x.reason), settled((x) => x.result), settled((x) => x.ref), settledCents((x) => x.dueMillis), settledCents((x) => x.deadlineMillis),
    settled((x) => x.audit), settled((x) => x.move), settled((x) => x.actor), settled((x) => x.data)
  ]
}

const beginAnswer = (row: TickRow, at: number): BeginAnswer => {
  const when = row.o_b_at[at] ?? 0
  const ref = row.o_b_ref[at] ?? ""
  switch (row.o_b[at]) {
    case 200: return { kind: "admitted", at: when }
    case 202: return { kind: "waits", at: when, approvalId: ref }
    case 402: return { kind: "blocked", at: when, reason: ref, block: row.o_b_block[at] ?? null }
    case 400: return { kind: "failed", at: when }
    case 208: return { kind: "known", id: ref }
    case 409: return { kind: "conflict", id: ref }
    case 410: return { kind: "not_pending" }
    default: return { kind: "stale" }
  }
}

/** What the reader of an error needs to know: may the transaction have been committed, or did the data break it? */
export type Failure = "connection" | "conflict" | "data"

export const failureOf = (error: unknown): Failure => {
  const reason = (error as { readonly reason?: { readonly _tag: string; readonly cause?: { readonly code?: unknown } } } | undefined)?.reason
  const code = String(reason?.cause?.code ?? "")
  if (code === "40001" || code === "40P01") return "conflict"
  // 57P0x: the server goes away; 08: the connection; 53: it is out of something; 25006: not primary (yet).
  if (/^(57P|08|53|25006)/.test(code) || reason?._tag === "ConnectionError") return "connection"
  return "data"
}

/** One begin as a call of the tick, for a transaction that holds the workspace's lock already; and how its row is read. */
export const singleBegin = (owner: number, begin: Begin) => ({ statement, parameters: parametersOf(owner, true, false, [begin], []) })
export const readSingleBegin = (row: TickRow | undefined): BeginAnswer => row === undefined ? { kind: "stale" } : beginAnswer(row, 0)

export class Ticker {
  private readonly options: TickerOptions
  private queue: Array<Entry> = []
  private readonly busy = new Set<string>()
  /** Workspaces that a shared tick found locked: they go by themselves and wait. */
  private readonly solo = new Set<string>()
  private readonly idle: Array<Lane> = []
  private lanes = 0
  private waiting = 0
  private closed = false
  private drained: (() => void) | undefined

  constructor(options: TickerOptions) {
    this.options = options
  }

  begin(begin: Begin): Promise<BeginAnswer> {
    return new Promise((resolve) => {
      const entry: Entry = { kind: "begin", org: begin.org, begin, resolve, again: false, abandoned: false, since: performance.now() }
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

  /** Waits until nothing is queued or running; then closes the connections. */
  async close(): Promise<void> {
    if (this.queue.length > 0 || this.busy.size > 0) await new Promise<void>((resolve) => void (this.drained = resolve))
    this.closed = true
    await Promise.all(this.idle.splice(0).map((lane) => lane.close()))
  }

  private scheduled = false
  /** A turn later, so that all that one turn of the event loop brings is one batch. */
  private pump(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      while (!this.closed && this.lanes < lanesMax) {
        const batch = this.gather()
        if (batch === undefined) return
        this.lanes++
        void this.serve(batch)
      }
    })
  }

  private gather(): { readonly entries: ReadonlyArray<Entry>; readonly orgs: ReadonlySet<string>; readonly wait: boolean } | undefined {
    const entries: Array<Entry> = []
    const rest: Array<Entry> = []
    const orgs = new Set<string>()
    let begins = 0, settles = 0
    let alone: string | undefined
    const mayWait = this.waiting < lanesMax - 1
    for (const entry of this.queue) {
      const isSolo = this.solo.has(entry.org)
      const fits = entry.kind === "begin" ? begins < tickEntriesMax : settles < tickEntriesMax
      if (!fits || this.busy.has(entry.org) || (isSolo && !mayWait) || (alone !== undefined ? entry.org !== alone : isSolo && entries.length > 0)) {
        rest.push(entry)
        continue
      }
      if (isSolo) alone = entry.org
      if (entry.kind === "begin") begins++
      else settles++
      entries.push(entry)
      orgs.add(entry.org)
    }
    if (entries.length === 0) return undefined
    this.queue = rest
    for (const org of orgs) this.busy.add(org)
    return { entries, orgs, wait: orgs.size === 1 && mayWait }
  }

  private async serve(batch: { readonly entries: ReadonlyArray<Entry>; readonly orgs: ReadonlySet<string>; readonly wait: boolean }): Promise<void> {
    if (batch.wait) this.waiting++
    try {
      await this.run(batch.entries, batch.wait)
    } finally {
      if (batch.wait) this.waiting--
      for (const org of batch.orgs) this.busy.delete(org)
      this.lanes--
      if (this.queue.length > 0) this.pump()
      else if (this.busy.size === 0) this.drained?.()
    }
  }

  private async run(entries: ReadonlyArray<Entry>, wait: boolean): Promise<void> {
    let pause = 25
    for (;;) {
      const begins = entries.filter((entry) => entry.kind === "begin")
      const settles = entries.filter((entry) => entry.kind === "settle")
      const started = performance.now()
      let lane: Lane | undefined
      try {
        lane = this.idle.pop() ?? await this.options.openLane()
        const again = entries.some((entry) => entry.again)
        const [row] = await lane.run(statement, parametersOf(this.options.owner(), wait, again, begins.map((x) => x.begin), settles.map((x) => x.settle)))
        if (row === undefined) throw new Error("a tick answered no row")
        this.idle.push(lane)
        this.options.observe?.(entries.length, performance.now() - started)
        this.answer(row, begins, settles)
        return
      } catch (error) {
        const failure = failureOf(error)
        if (failure === "data") {
          if (lane !== undefined) this.idle.push(lane)
          return await this.bisect(entries, wait, error)
        }
        if (lane !== undefined) void lane.close().catch(() => {})
        // The reply may be lost while the transaction is not: the same ids are sent again.
        for (const entry of entries) entry.again = true
        if (failure === "connection") this.options.warn("the money core cannot reach the database; trying again", error)
        this.abandonOld(begins)
        await new Promise((resolve) => setTimeout(resolve, failure === "conflict" ? Math.random() * 20 : pause))
        pause = Math.min(pause * 2, reconnectMillisMax)
      }
    }
  }

  private abandonOld(begins: ReadonlyArray<Extract<Entry, { kind: "begin" }>>): void {
    for (const entry of begins) {
      if (!entry.abandoned && performance.now() - entry.since > beginPatienceMillis) {
        entry.abandoned = true
        entry.resolve({ kind: "unavailable" })
      }
    }
  }

  private answer(row: TickRow, begins: ReadonlyArray<Extract<Entry, { kind: "begin" }>>, settles: ReadonlyArray<Extract<Entry, { kind: "settle" }>>): void {
    const moved = new Set<string>()
    const locked: Array<Entry> = []
    begins.forEach((entry, at) => {
      if (row.o_b[at] === 423) return void locked.push(entry)
      this.solo.delete(entry.org)
      const answer = beginAnswer(row, at)
      if (answer.kind !== "admitted") moved.add(entry.org)
      if (!entry.abandoned) return entry.resolve(answer)
      if (answer.kind === "admitted" || (answer.kind === "known" && answer.id === entry.begin.id)) this.options.orphaned(entry.begin)
    })
    settles.forEach((entry, at) => {
      if (row.o_s[at] === 423) return void locked.push(entry)
      this.solo.delete(entry.org)
      moved.add(entry.org)
      entry.resolve(row.o_s[at] === 200 ? { kind: "done", at: row.o_s_at[at] ?? 0, costCents: row.o_s_cents[at] ?? 0 } : { kind: "settled" })
    })
    if (locked.length > 0) {
      for (const entry of locked) this.solo.add(entry.org)
      this.queue = [...locked, ...this.queue]
    }
    if (moved.size > 0) this.options.committed(moved)
  }

  /** A tick that fails on data is halved until the culprit stands alone; everyone else goes on. */
  private async bisect(entries: ReadonlyArray<Entry>, wait: boolean, error: unknown): Promise<void> {
    const [only] = entries
    if (entries.length === 1 && only !== undefined) {
      this.options.warn(`the money core refused a ${only.kind}`, error)
      if (only.kind === "begin") return only.resolve({ kind: "refused", cause: error })
      if (!only.stripped) {
        // Its money must settle whatever its body holds.
        return await this.run([{ ...only, stripped: true, settle: { ...only.settle, result: JSON.stringify({ code: "unstorable", detail: "The answer could not be stored." }), data: "{\"unstorable\":true}" } }], wait)
      }
      await new Promise((resolve) => setTimeout(resolve, reconnectMillisMax))
      return await this.run([only], wait)
    }
    const middle = entries.length >> 1
    await this.run(entries.slice(0, middle), wait)
    await this.run(entries.slice(middle), wait)
  }
}


/**
 * The hub's side of the tick: begins and settles that arrive together go to PostgreSQL as one call in one transaction, on connections
 * of their own. While a tick runs, the next batch gathers; there is no timer. `resources/migrations/0003_tick.sql` decides.
 */
import { int4Array, int8Array, isPassing, sqlStateOf, textArray } from "../platform/db.ts"

/** A tick takes at most this many begins, and as many settles. */
export const tickEntriesMax = 512

/** So many that wait go before the tick that ended is answered: the database works while the hub does. Fewer join what the answers bring. */
const overlapMin = 32

/** How ticks are cut. Benches set others, to compare with one transaction for each phase. */
export interface TickLimits {
  /** Entries of one tick, of both kinds. */
  readonly entriesMax: number
  /** Connections for ticks. All but one may wait for a locked workspace; the last keeps serving the others. */
  readonly lanesMax: number
  /** Of one workspace at a time: more would only queue on its lock. */
  readonly lanesOfOrgMax: number
}
export const tickLimits: TickLimits = { entriesMax: 2 * tickEntriesMax, lanesMax: 4, lanesOfOrgMax: 1 }

/** A caller hears `unavailable` when its begin could not be decided for this long; the begin itself is resolved when the database is back. */
const beginPatienceMillis = 20_000
const reconnectMillisMax = 1_000
/** A tick without an answer for so long is asked again on a new connection: its peer may be gone without a word. */
const answerMillisMax = 60_000
/** A hub that ends waits so long for a database that is away. */
const closeMillisMax = 30_000
/** Characters of payloads and results that one tick carries, one entry aside. */
const tickLengthMax = 16 << 20

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
  /** `owner`: whose hold it is; only that owner may send it. `at` is when it began, also when an earlier call did it. */
  | { readonly kind: "admitted"; readonly at: number; readonly owner: number }
  | { readonly kind: "waits"; readonly at: number; readonly approvalId: string }
  | { readonly kind: "blocked"; readonly at: number; readonly reason: string; readonly block: string | null }
  | { readonly kind: "failed"; readonly at: number }
  /** Known by its key, or by its own id after a lost reply when it is not this owner's to send: `id` is the request that stands. */
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

/** In characters: most bytes of a tick are in these two. */
const weightOf = (entry: Entry): number => entry.kind === "begin" ? entry.begin.payload.length : entry.settle.result?.length ?? 0
/** It broke a tick by itself, even without its body: it goes alone. */
const isUnwell = (entry: Entry): boolean => entry.kind === "settle" && entry.stripped

interface BeginEntry {
  readonly kind: "begin"; readonly org: string; readonly begin: Begin; readonly resolve: (answer: BeginAnswer) => void; readonly since: number
  again: boolean
  abandoned: boolean
}
interface SettleEntry {
  readonly kind: "settle"; readonly org: string; readonly settle: Settle; readonly resolve: (answer: SettleAnswer) => void
  again: boolean
  readonly stripped: boolean
}
type Entry = BeginEntry | SettleEntry

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
  /** A begin whose caller was told `unavailable` is decided at last: an admitted one must be ended unsent. Called once for each. */
  readonly orphaned: (begin: Begin, admitted: boolean) => void
  readonly limits?: TickLimits
}

const parameterCount = 45
const statement = `select * from tick(${Array.from({ length: parameterCount }, (_, at) => `$${at + 1}`).join(", ")})`
const verdicts = { admit: 1, wait: 2, blocked: 3, failed: 4 } as const

/** A limit that is named twice counts once. */
const distinct = (limits: ReadonlyArray<number>): ReadonlyArray<number> =>
  limits.some((limit, at) => limits.indexOf(limit) !== at) ? [...new Set(limits)] : limits

/** Columns that are mostly empty go as an empty array where they are: `unnest` and subscripts find null beyond an array's end. */
const sparse = <A>(values: ReadonlyArray<A | null>): ReadonlyArray<A | null> => values.every((value) => value === null) ? [] : values

const parametersOf = (
  owner: number, wait: boolean, again: boolean, begins: ReadonlyArray<Begin>, settles: ReadonlyArray<Settle>
): ReadonlyArray<unknown> => {
  const text = (of: (begin: Begin) => string | null) => textArray(begins.map(of))
  const rareText = (of: (begin: Begin) => string | null) => textArray(sparse(begins.map(of)))
  const int = (of: (begin: Begin) => number) => int4Array(begins.map(of))
  const cents = (of: (begin: Begin) => number | null) => int8Array(begins.map(of))
  const settled = (of: (settle: Settle) => string | null) => textArray(settles.map(of))
  const rareSettled = (of: (settle: Settle) => string | null) => textArray(sparse(settles.map(of)))
  const rareMillis = (of: (settle: Settle) => number | null) => int8Array(sparse(settles.map(of)))
  return [
    owner, wait, again,
    text((x) => x.id), text((x) => x.org), text((x) => x.agent), int((x) => x.agentVersion), int((x) => x.rulesVersion), text((x) => x.mode),
    text((x) => x.service), text((x) => x.operation),
    rareText((x) => x.scope), rareText((x) => x.key), rareText((x) => x.key === null ? null : x.hash),
    int((x) => verdicts[x.verdict]), cents((x) => x.ceilingCents), text((x) => `{${distinct(x.limits).join(",")}}`), cents((x) => x.wallet),
    int8Array(sparse(begins.map((x) => x.check))), text((x) => x.payload),
    // Whole even where it is empty: the tick writes into it.
    text((x) => x.reason),
    rareText((x) => x.result), rareText((x) => x.block), rareText((x) => x.wait === null ? null : JSON.stringify(x.wait)),
    rareText((x) => x.origin), rareText((x) => x.script), rareText((x) => x.granted === null ? null : JSON.stringify(x.granted)),
    text((x) => x.audit), text((x) => x.actor), text((x) => x.ip), text((x) => x.data),
    settled((x) => x.id), settled((x) => x.org), settled((x) => x.status), int8Array(settles.map((x) => x.cents)),
    int4Array(settles.map((x) => x.micro)), rareSettled((x) => x.reason), settled((x) => x.result), rareSettled((x) => x.ref),
    rareMillis((x) => x.dueMillis), rareMillis((x) => x.deadlineMillis),
    settled((x) => x.audit), settled((x) => x.move), settled((x) => x.actor), settled((x) => x.data)
  ]
}

const beginAnswer = (row: TickRow, at: number, owner: number): BeginAnswer => {
  const when = row.o_b_at[at] ?? 0
  const ref = row.o_b_ref[at] ?? ""
  switch (row.o_b[at]) {
    case 200: case 207: return { kind: "admitted", at: when, owner }
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

class LaneLost extends Error {}

export const failureOf = (error: unknown): Failure => {
  const state = sqlStateOf(error)
  if (state === "40001" || state === "40P01") return "conflict"
  return isPassing(error) || error instanceof LaneLost ? "connection" : "data"
}

/** One begin as a call of the tick, for a transaction that holds the workspace's lock already; and how its row is read. */
export const singleBegin = (owner: number, begin: Begin) => ({ statement, parameters: parametersOf(owner, true, false, [begin], []) })
export const readSingleBegin = (row: TickRow | undefined, owner: number): BeginAnswer => row === undefined ? { kind: "stale" } : beginAnswer(row, 0, owner)

const strippedOf = (settle: Settle): Settle => ({
  ...settle, ref: null, result: JSON.stringify({ code: "unstorable", detail: "The answer could not be stored." }), data: "{\"unstorable\":true}"
})

const answered = async <A>(reply: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => void (timer = setTimeout(() => reject(new LaneLost("a tick got no answer in time")), answerMillisMax)))
  try {
    return await Promise.race([reply, late])
  } finally {
    clearTimeout(timer)
  }
}

export class Ticker {
  private readonly options: TickerOptions
  private queue: Array<Entry> = []
  private readonly limits: TickLimits
  /** Workspaces that a tick is at, and how many are. */
  private readonly busy = new Map<string, number>()
  /** Workspaces that a shared tick found locked: they go by themselves and wait. */
  private readonly solo = new Set<string>()
  private readonly idle: Array<Lane> = []
  private lanes = 0
  private waiting = 0
  private closed = false
  private drained: (() => void) | undefined

  constructor(options: TickerOptions) {
    this.options = options
    this.limits = options.limits ?? tickLimits
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

  /** Waits until nothing is queued or running, for a database that is away only so long; then closes the connections. */
  async close(millis = closeMillisMax): Promise<void> {
    if (this.queue.length > 0 || this.busy.size > 0) {
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, millis)
        this.drained = () => {
          clearTimeout(limit)
          resolve()
        }
      })
    }
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
      this.start()
    })
  }

  private start(): void {
    while (!this.closed && this.lanes < this.limits.lanesMax) {
      const batch = this.gather()
      if (batch === undefined) return
      this.lanes++
      void this.serve(batch)
    }
  }

  private gather(): { readonly entries: ReadonlyArray<Entry>; readonly orgs: ReadonlySet<string>; readonly wait: boolean } | undefined {
    const entries: Array<Entry> = []
    const rest: Array<Entry> = []
    const orgs = new Set<string>()
    let begins = 0, settles = 0, length = 0
    let alone: string | undefined
    let sealed = false
    const { entriesMax, lanesMax, lanesOfOrgMax } = this.limits
    const mayWait = this.waiting < lanesMax - 1
    for (const entry of this.queue) {
      const isSolo = this.solo.has(entry.org)
      const weight = weightOf(entry)
      const fits = !sealed && entries.length < entriesMax && (entry.kind === "begin" ? begins : settles) < tickEntriesMax &&
        (entries.length === 0 || (length + weight <= tickLengthMax && !isUnwell(entry)))
      if (!fits || (this.busy.get(entry.org) ?? 0) >= lanesOfOrgMax || (isSolo && !mayWait) || (alone !== undefined ? entry.org !== alone : isSolo && entries.length > 0)) {
        rest.push(entry)
        continue
      }
      if (isSolo) alone = entry.org
      if (entry.kind === "begin") begins++
      else settles++
      length += weight
      sealed = isUnwell(entry)
      entries.push(entry)
      orgs.add(entry.org)
    }
    if (entries.length === 0) return undefined
    this.queue = rest
    for (const org of orgs) this.busy.set(org, (this.busy.get(org) ?? 0) + 1)
    return { entries, orgs, wait: orgs.size === 1 && mayWait }
  }

  private async serve(batch: { readonly entries: ReadonlyArray<Entry>; readonly orgs: ReadonlySet<string>; readonly wait: boolean }): Promise<void> {
    if (batch.wait) this.waiting++
    let released = false
    const release = () => {
      if (released) return
      released = true
      if (batch.wait) this.waiting--
      for (const org of batch.orgs) {
        const others = (this.busy.get(org) ?? 1) - 1
        if (others === 0) this.busy.delete(org)
        else this.busy.set(org, others)
      }
      this.lanes--
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
      else if (this.busy.size === 0) this.drained?.()
    }
  }

  /** `committed` is called before the entries are answered, which may take as long as the next tick. */
  private async run(entries: ReadonlyArray<Entry>, wait: boolean, committed: () => void = () => {}): Promise<void> {
    const begins = entries.filter((entry) => entry.kind === "begin")
    const settles = entries.filter((entry) => entry.kind === "settle")
    let pause = 25
    for (;;) {
      const asked = await this.ask(begins, settles, wait)
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

  /** One try. A lane that failed otherwise than on data is not used again. */
  private async ask(begins: ReadonlyArray<BeginEntry>, settles: ReadonlyArray<SettleEntry>, wait: boolean): Promise<
    { readonly row: TickRow; readonly owner: number } | { readonly failure: Failure; readonly error: unknown }
  > {
    let lane = this.idle.pop()
    try {
      lane ??= await this.options.openLane()
    } catch (error) {
      return { failure: "connection", error }
    }
    const started = performance.now()
    const owner = this.options.owner()
    const again = begins.some((entry) => entry.again) || settles.some((entry) => entry.again)
    try {
      const [row] = await answered(lane.run(statement, parametersOf(owner, wait, again, begins.map((x) => x.begin), settles.map((x) => x.settle))))
      if (row === undefined) throw new LaneLost("a tick answered no row")
      this.idle.push(lane)
      this.options.observe?.(begins.length + settles.length, performance.now() - started)
      return { row, owner }
    } catch (error) {
      const failure = failureOf(error)
      if (failure === "data") this.idle.push(lane)
      else void lane.close().catch(() => {})
      return { failure, error }
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
      if (row.o_b[at] === 423) return void locked.push(entry)
      this.solo.delete(entry.org)
      const answer = beginAnswer(row, at, owner)
      if (answer.kind !== "admitted") moved.add(entry.org)
      this.tell(entry, answer)
    })
    settles.forEach((entry, at) => {
      if (row.o_s[at] === 423) return void locked.push(entry)
      this.solo.delete(entry.org)
      moved.add(entry.org)
      const isDone = row.o_s[at] === 200 || row.o_s[at] === 207
      entry.resolve(isDone ? { kind: "done", at: row.o_s_at[at] ?? 0, costCents: row.o_s_cents[at] ?? 0 } : { kind: "settled" })
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


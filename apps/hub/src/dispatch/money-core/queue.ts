/**
 * The queue of the ticks, and the workspaces of running ticks. A workspace's entries go in one batch at a time, in
 * order. A workspace that a shared tick found locked gets separate batches that wait for the lock, while the last lane
 * keeps serving the others.
 */
import type { OrgId } from "@countersign/domain/ids"
import type { Patience } from "../../platform/patience.ts"
import type { Begin, BeginAnswer, Settle, SettleAnswer } from "./entries.ts"

/** The most begins of a tick, and the most settles. */
export const tickEntriesMax = 512

/** The limits of a batch. Benchmarks set others, to compare with one transaction for each phase. */
export interface TickLimits {
  /** Entries of one tick, of both kinds. */
  readonly entriesMax: number
  /** Connections for ticks. All except one may wait for a locked workspace; the last keeps serving the others. */
  readonly lanesMax: number
  /** Lanes of one workspace at a time: more would only queue on its lock. */
  readonly lanesOfOrgMax: number
  /** False: a single entry is a batch of one. */
  readonly isShort?: boolean
}
export const tickLimits: TickLimits = { entriesMax: 2 * tickEntriesMax, lanesMax: 4, lanesOfOrgMax: 1 }

/** Characters of payloads and results in one tick; a single larger entry is still sent. */
const tickLengthMax = 16 << 20

export interface BeginEntry {
  readonly kind: "begin"
  readonly org: OrgId
  readonly begin: Begin
  readonly resolve: (answer: BeginAnswer) => void
  readonly reject: (error: unknown) => void
  readonly since: number
  /** It may have reached the database, so it can no longer be dropped. */
  again: boolean
  /** Its caller got `unavailable`: resolves the `decided` of that answer. */
  late: ((answer: BeginAnswer | undefined) => void) | undefined
}
export interface SettleEntry {
  readonly kind: "settle"
  readonly org: OrgId
  readonly settle: Settle
  readonly resolve: (answer: SettleAnswer) => void
  readonly since: number
  /** Called once if the settlement takes longer than a caller waits. */
  delayed: (() => void) | undefined
  again: boolean
  readonly stripped: boolean
}
export type Entry = BeginEntry | SettleEntry

/** In characters: payloads and results are most of a tick's bytes. */
const weightOf = (entry: Entry): number =>
  entry.kind === "begin" ? entry.begin.payload.length : entry.settle.result?.length ?? 0
/** It failed a tick alone, even without its body, so it is sent alone. */
const failedAlone = (entry: Entry): boolean => entry.kind === "settle" && entry.stripped

/** Entries of one tick. `wait`: the tick waits for its workspace's lock. */
export interface Batch {
  readonly entries: ReadonlyArray<Entry>
  readonly orgs: ReadonlySet<OrgId>
  readonly wait: boolean
}

/** The number of pending begins, and the characters of their payloads. */
interface Begins {
  count: number
  length: number
}

export class TickQueue {
  private readonly limits: TickLimits
  private entries: Array<Entry> = []
  /** Workspaces with running ticks, and how many ticks. */
  private readonly busy = new Map<string, number>()
  /** Workspaces that a shared tick found locked: they get separate batches that wait. */
  private readonly solo = new Set<string>()
  private lanes = 0
  private waiting = 0
  /** Counts the begins in `entries`. */
  private readonly begins: Begins = { count: 0, length: 0 }
  private readonly beginsOf = new Map<string, Begins>()

  constructor(limits: TickLimits) {
    this.limits = limits
  }

  get length(): number {
    return this.entries.length
  }

  /** No tick is running. */
  get isQuiet(): boolean {
    return this.busy.size === 0
  }

  push(entry: Entry): void {
    this.entries.push(entry)
    this.count(entry, 1)
  }

  private count(entry: Entry, sign: 1 | -1): void {
    if (entry.kind !== "begin") return
    const own = this.beginsOf.get(entry.org) ?? { count: 0, length: 0 }
    for (const begins of [this.begins, own]) {
      begins.count += sign
      begins.length += sign * weightOf(entry)
    }
    if (own.count === 0) this.beginsOf.delete(entry.org)
    else this.beginsOf.set(entry.org, own)
  }

  /**
   * Whether the limit of pending begins is reached. One workspace may use half of it, so that a locked one leaves room
   * for the others.
   */
  isFull(org: OrgId, { beginLengthMax, beginsMax }: Pick<Patience, "beginsMax" | "beginLengthMax">): boolean {
    const isOver = ({ count, length }: Begins, share: number) =>
      count >= beginsMax * share || length >= beginLengthMax * share
    const own = this.beginsOf.get(org)
    return isOver(this.begins, 1) || (own !== undefined && isOver(own, 0.5))
  }

  /** Removes begins that have waited since before `since` and never reached the database. */
  dropOlder(since: number): ReadonlyArray<BeginEntry> {
    const isDropped = (entry: Entry): entry is BeginEntry =>
      entry.kind === "begin" && !entry.again && entry.since < since
    const dropped = this.entries.filter(isDropped)
    if (dropped.length > 0) this.entries = this.entries.filter((entry) => !isDropped(entry))
    for (const entry of dropped) this.count(entry, -1)
    return dropped
  }

  /** All pending entries, in order. */
  all(): ReadonlyArray<Entry> {
    return this.entries
  }

  /** Puts entries of locked workspaces before all others, each workspace separately. */
  pushLocked(locked: ReadonlyArray<Entry>): void {
    for (const entry of locked) {
      this.solo.add(entry.org)
      this.count(entry, 1)
    }
    this.entries = [...locked, ...this.entries]
  }

  /** A tick got the lock of this workspace. */
  unlocked(org: OrgId): void {
    this.solo.delete(org)
  }

  /**
   * The next batch, with a lane for it; `release` returns the lane. `undefined` when all lanes or all workspaces are
   * busy.
   */
  take(): Batch | undefined {
    if (this.lanes >= this.limits.lanesMax) return undefined
    const entries: Array<Entry> = []
    const rest: Array<Entry> = []
    const orgs = new Set<OrgId>()
    let begins = 0, settles = 0, length = 0
    let alone: string | undefined
    let sealed = false
    const { entriesMax, lanesMax, lanesOfOrgMax } = this.limits
    const mayWait = this.waiting < lanesMax - 1
    for (const entry of this.entries) {
      const isSolo = this.solo.has(entry.org)
      const weight = weightOf(entry)
      const fits = !sealed && entries.length < entriesMax &&
        (entry.kind === "begin" ? begins : settles) < tickEntriesMax &&
        (entries.length === 0 || (length + weight <= tickLengthMax && !failedAlone(entry)))
      if (
        !fits || (this.busy.get(entry.org) ?? 0) >= lanesOfOrgMax ||
        (isSolo && !mayWait) ||
        (alone !== undefined ? entry.org !== alone : isSolo && entries.length > 0)
      ) {
        rest.push(entry)
        continue
      }
      if (isSolo) alone = entry.org
      if (entry.kind === "begin") begins++
      else settles++
      this.count(entry, -1)
      length += weight
      sealed = failedAlone(entry)
      entries.push(entry)
      orgs.add(entry.org)
    }
    if (entries.length === 0) return undefined
    this.entries = rest
    for (const org of orgs) this.busy.set(org, (this.busy.get(org) ?? 0) + 1)
    const wait = orgs.size === 1 && mayWait
    this.lanes++
    if (wait) this.waiting++
    return { entries, orgs, wait }
  }

  release({ orgs, wait }: Batch): void {
    if (wait) this.waiting--
    for (const org of orgs) {
      const others = (this.busy.get(org) ?? 1) - 1
      if (others === 0) this.busy.delete(org)
      else this.busy.set(org, others)
    }
    this.lanes--
  }
}

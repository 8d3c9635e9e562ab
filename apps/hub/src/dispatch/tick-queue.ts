/**
 * What waits for a tick, and which workspaces ticks are at. A workspace's entries go one batch at a time, in order; a workspace
 * that a shared tick found locked goes by itself and waits for the lock, while the last lane keeps serving the others.
 */
import type { Begin, BeginAnswer, Settle, SettleAnswer } from "./tick-entries.ts"

/** A tick takes at most this many begins, and as many settles. */
export const tickEntriesMax = 512

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

/** Characters of payloads and results that one tick carries, one entry aside. */
const tickLengthMax = 16 << 20

export interface BeginEntry {
  readonly kind: "begin"
  readonly org: string
  readonly begin: Begin
  readonly resolve: (answer: BeginAnswer) => void
  readonly since: number
  again: boolean
  abandoned: boolean
}
export interface SettleEntry {
  readonly kind: "settle"; readonly org: string; readonly settle: Settle; readonly resolve: (answer: SettleAnswer) => void
  again: boolean
  readonly stripped: boolean
}
export type Entry = BeginEntry | SettleEntry

/** In characters: most bytes of a tick are in these two. */
const weightOf = (entry: Entry): number => entry.kind === "begin" ? entry.begin.payload.length : entry.settle.result?.length ?? 0
/** It broke a tick by itself, even without its body: it goes alone. */
const isUnwell = (entry: Entry): boolean => entry.kind === "settle" && entry.stripped

/** Entries of one tick. `wait`: it waits for its workspace's lock. */
export interface Batch {
  readonly entries: ReadonlyArray<Entry>
  readonly orgs: ReadonlySet<string>
  readonly wait: boolean
}

export class TickQueue {
  private readonly limits: TickLimits
  private entries: Array<Entry> = []
  /** Workspaces that a tick is at, and how many are. */
  private readonly busy = new Map<string, number>()
  /** Workspaces that a shared tick found locked: they go by themselves and wait. */
  private readonly solo = new Set<string>()
  private lanes = 0
  private waiting = 0

  constructor(limits: TickLimits) {
    this.limits = limits
  }

  get length(): number {
    return this.entries.length
  }

  /** No tick is at any workspace. */
  get isQuiet(): boolean {
    return this.busy.size === 0
  }

  push(entry: Entry): void {
    this.entries.push(entry)
  }

  /** Their workspaces were locked: they go before all others, each workspace by itself. */
  pushLocked(locked: ReadonlyArray<Entry>): void {
    for (const entry of locked) this.solo.add(entry.org)
    this.entries = [...locked, ...this.entries]
  }

  /** A tick got at this workspace. */
  unlocked(org: string): void {
    this.solo.delete(org)
  }

  /** The next batch, with a lane for it; `release` gives the lane back. Nothing when all lanes or all workspaces are taken. */
  take(): Batch | undefined {
    if (this.lanes >= this.limits.lanesMax) return undefined
    const entries: Array<Entry> = []
    const rest: Array<Entry> = []
    const orgs = new Set<string>()
    let begins = 0, settles = 0, length = 0
    let alone: string | undefined
    let sealed = false
    const { entriesMax, lanesMax, lanesOfOrgMax } = this.limits
    const mayWait = this.waiting < lanesMax - 1
    for (const entry of this.entries) {
      const isSolo = this.solo.has(entry.org)
      const weight = weightOf(entry)
      const fits = !sealed && entries.length < entriesMax && (entry.kind === "begin" ? begins : settles) < tickEntriesMax &&
        (entries.length === 0 || (length + weight <= tickLengthMax && !isUnwell(entry)))
      if (
        !fits || (this.busy.get(entry.org) ?? 0) >= lanesOfOrgMax || (isSolo && !mayWait) ||
        (alone !== undefined ? entry.org !== alone : isSolo && entries.length > 0)
      ) {
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

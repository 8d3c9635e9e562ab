/**
 * What a hub keeps in memory of what the database says. One rule for all: an entry goes with the signal of its workspace, every entry
 * goes when signals may have been lost, and none is used beyond its lifetime, whatever was lost.
 */
import type { Signals } from "./signals.ts"

/** An entry that is older is read again in the background while it is used. */
const freshMillisDefault = 15_000
/** An entry that is older is read again before it is used. */
const staleMillisDefault = 30_000
/** Entries at most; beyond it the one read longest ago goes. */
const entriesMaxDefault = 10_000

/** Calls back when what is kept of a workspace (nothing: of any) may be stale; answers how to stop. */
export const onStale = (signals: Signals["Service"], drop: (org: string | undefined) => void): () => void =>
  signals.subscribe((signal) => {
    if (signal.kind === "config") drop(signal.org)
    else if (signal.kind === "resync") drop(undefined)
  })

export interface CacheOptions<A> {
  readonly load: (key: string) => Promise<A>
  readonly freshMillis?: number
  readonly staleMillis?: number
  readonly entriesMax?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

interface Entry<A> {
  readonly promise: Promise<A>
  value: { readonly of: A } | undefined
  freshUntil: number
  readonly staleAt: number
}

/** Loads by key, each once at a time. A load that an invalidation overtook answers its callers and is not kept. */
export class Cache<A> {
  private readonly entries = new Map<string, Entry<A>>()
  private readonly load: (key: string) => Promise<A>
  private readonly freshMillis: number
  private readonly staleMillis: number
  private readonly entriesMax: number
  private readonly now: () => number

  constructor(options: CacheOptions<A>) {
    this.load = options.load
    this.freshMillis = options.freshMillis ?? freshMillisDefault
    this.staleMillis = options.staleMillis ?? staleMillisDefault
    this.entriesMax = options.entriesMax ?? entriesMaxDefault
    this.now = options.now ?? (() => performance.now())
  }

  /** What is there and not stale, without a wait. */
  peek(key: string): A | undefined {
    return this.standing(key)?.value?.of
  }

  get(key: string): Promise<A> {
    const entry = this.standing(key)
    return entry === undefined
      ? this.begin(key, (loading) => this.put(key, loading))
      : entry.value === undefined
      ? entry.promise
      : Promise.resolve(entry.value.of)
  }

  drop(key: string): void {
    this.entries.delete(key)
  }

  dropWhere(matches: (key: string) => boolean): void {
    for (const key of this.entries.keys()) if (matches(key)) this.entries.delete(key)
  }

  clear(): void {
    this.entries.clear()
  }

  /** One user of an entry that is not fresh reads it again; the others go on with it. */
  private standing(key: string): Entry<A> | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    const now = this.now()
    if (now >= entry.staleAt) return undefined
    if (now >= entry.freshUntil && entry.value !== undefined) {
      entry.freshUntil = entry.staleAt
      this.begin(key, (loading) =>
        loading.promise.then(() => {
          if (this.entries.get(key) === entry) this.put(key, loading)
        }, () => {}))
    }
    return entry
  }

  private put(key: string, entry: Entry<A>): void {
    this.entries.delete(key)
    if (this.entries.size >= this.entriesMax) this.entries.delete(this.entries.keys().next().value as string)
    this.entries.set(key, entry)
  }

  /** The time of an entry counts from before it is read. */
  private begin(key: string, keep: (entry: Entry<A>) => void): Promise<A> {
    const now = this.now()
    const promise = this.load(key)
    const entry: Entry<A> = {
      promise,
      value: undefined,
      freshUntil: now + this.freshMillis,
      staleAt: now + this.staleMillis
    }
    promise.then(
      (value) => {
        entry.value = { of: value }
      },
      () => {
        if (this.entries.get(key) === entry) this.entries.delete(key)
      }
    )
    keep(entry)
    return promise
  }
}

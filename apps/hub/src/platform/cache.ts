/**
 * A cache of database rows in memory. One rule for all: an entry is dropped by the signal of its workspace, every entry
 * is dropped when signals may have been lost, and none is used beyond its lifetime, which restarts when another read
 * confirms its value.
 */
import type { OrgId } from "@countersign/domain/ids"
import { LRUCache } from "lru-cache"
import type { Signals } from "./signals.ts"

/** An older entry is read again in the background while it is used. */
const freshMillisDefault = 15_000
/** An older entry is read again before it is used. */
const staleMillisDefault = 30_000
/** The most entries; beyond it the least recently read one is dropped. */
const entriesMaxDefault = 10_000

/**
 * Calls back when cached data of a workspace (`undefined`: of any) may be stale; returns the function that
 * unsubscribes.
 */
export const onStale = (signals: Signals["Service"], drop: (org: OrgId | undefined) => void): () => void =>
  signals.subscribe((signal) => {
    if (signal.kind === "config") drop(signal.org)
    else if (signal.kind === "resync") drop(undefined)
  })

export interface CacheOptions<A, K extends string> {
  readonly load: (key: K) => Promise<A>
  readonly freshMillis?: number
  readonly staleMillis?: number
  readonly entriesMax?: number
  /** When another read last found this value to be current, in the time of `now`. */
  readonly confirmedAt?: (key: K, value: A) => number | undefined
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

interface Lifetime {
  freshUntil: number
  staleAt: number
}

/** Restarts a lifetime at a confirmation, unless a later one did. */
export const renew = (
  entry: Lifetime,
  confirmedAt: number | undefined,
  { freshMillis, staleMillis }: { readonly freshMillis: number; readonly staleMillis: number }
): void => {
  if (confirmedAt === undefined || confirmedAt + staleMillis <= entry.staleAt) return
  entry.freshUntil = confirmedAt + freshMillis
  entry.staleAt = confirmedAt + staleMillis
}

interface Entry<A> extends Lifetime {
  readonly promise: Promise<A>
  value: { readonly of: A } | undefined
}

/**
 * Loads by key, each at most once at a time. A load that began before an invalidation answers its callers and is not
 * cached.
 */
export class Cache<A, K extends string = string> {
  private readonly entries: LRUCache<K, Entry<A>>
  private readonly load: (key: K) => Promise<A>
  private readonly freshMillis: number
  private readonly staleMillis: number
  private readonly now: () => number
  private readonly confirmedAt: (key: K, value: A) => number | undefined

  constructor(options: CacheOptions<A, K>) {
    this.load = options.load
    this.freshMillis = options.freshMillis ?? freshMillisDefault
    this.staleMillis = options.staleMillis ?? staleMillisDefault
    this.entries = new LRUCache({ max: options.entriesMax ?? entriesMaxDefault })
    this.now = options.now ?? (() => performance.now())
    this.confirmedAt = options.confirmedAt ?? (() => undefined)
  }

  /** The cached value if it is not stale, without waiting. */
  peek(key: K): A | undefined {
    return this.usable(key)?.value?.of
  }

  get(key: K): Promise<A> {
    const entry = this.usable(key)
    return entry === undefined
      ? this.begin(key, (loading) => this.entries.set(key, loading))
      : entry.value === undefined
      ? entry.promise
      : Promise.resolve(entry.value.of)
  }

  drop(key: K): void {
    this.entries.delete(key)
  }

  dropWhere(matches: (key: K) => boolean): void {
    // Copied, because a deletion during an iteration disturbs it.
    const keys = [...this.entries.keys()]
    for (const key of keys) if (matches(key)) this.entries.delete(key)
  }

  clear(): void {
    this.entries.clear()
  }

  /** One user of an entry that is no longer fresh reads it again; the others use the old one meanwhile. */
  private usable(key: K): Entry<A> | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    const now = this.now()
    if (now >= entry.freshUntil && entry.value !== undefined) {
      const { freshMillis, staleMillis } = this
      renew(entry, this.confirmedAt(key, entry.value.of), { freshMillis, staleMillis })
    }
    if (now >= entry.staleAt) return undefined
    if (now >= entry.freshUntil && entry.value !== undefined) {
      entry.freshUntil = entry.staleAt
      this.begin(key, (loading) =>
        loading.promise.then(() => {
          if (this.entries.peek(key) === entry) this.entries.set(key, loading)
        }, () => {}))
    }
    return entry
  }

  /** An entry's age counts from before it is read. */
  private begin(key: K, keep: (entry: Entry<A>) => void): Promise<A> {
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
        if (this.entries.peek(key) === entry) this.entries.delete(key)
      }
    )
    keep(entry)
    return promise
  }
}

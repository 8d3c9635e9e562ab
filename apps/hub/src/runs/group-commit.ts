/**
 * Writes that gather: while one batch is written, the next entries collect, and become one transaction. Entries that need
 * their workspace's lock wait for it in batches of that workspace, so that they delay no other one. Spec:
 * reference/workflows.md "Ownership".
 */
import type { OrgId } from "@countersign/domain/ids"
import { setImmediate, setTimeout } from "node:timers/promises"
import { isConflict, isPassing } from "../platform/db.ts"

const batchMax = 512
const pauseMillis = 100

export interface Entry {
  readonly org: OrgId
  readonly reject: (error: unknown) => void
}

export interface GroupOptions<E extends Entry> {
  /**
   * Writes all in one transaction and answers them; returns those whose workspace another transaction has locked. With
   * `wait` it waits for the locks.
   */
  readonly write: (entries: ReadonlyArray<E>, wait: boolean) => Promise<ReadonlyArray<E>>
  /** Whether a write is repeated after an error that its data did not cause. */
  readonly mayRepeat: (error: unknown) => boolean
}

/** One batch at a time; entries of one turn of the event loop come together. */
const gathering = <E>(serve: (entries: Array<E>) => Promise<void>, drained: () => void = () => {}) => {
  let queue: Array<E> = []
  let isServing = false
  const work = async () => {
    isServing = true
    while (queue.length > 0) {
      await setImmediate()
      await serve(queue.splice(0, batchMax))
    }
    isServing = false
    drained()
  }
  return (...entries: ReadonlyArray<E>) => {
    queue.push(...entries)
    if (!isServing) void work()
  }
}

/** Repeats a write until the database accepts it. Refused entries are found by halving the batch. */
const writing = <E extends Entry>({ mayRepeat, write }: GroupOptions<E>) => {
  const written = async (entries: ReadonlyArray<E>, wait: boolean): Promise<ReadonlyArray<E>> => {
    for (;;) {
      try {
        return await write(entries, wait)
      } catch (error) {
        const isOfData = !isPassing(error) && !isConflict(error)
        if (isOfData && entries.length > 1) {
          const half = entries.length >> 1
          return [...await written(entries.slice(0, half), wait), ...await written(entries.slice(half), wait)]
        }
        if (isOfData || !mayRepeat(error)) {
          for (const { reject } of entries) reject(error)
          return []
        }
        await setTimeout(pauseMillis)
      }
    }
  }
  return written
}

/** For entries that need no lock. */
export const groupCommit = <E extends Entry>(options: GroupOptions<E>): (entry: E) => void => {
  const written = writing(options)
  return gathering(async (entries) => void await written(entries, false))
}

/** For entries that need their workspace's lock. */
export const lockedGroupCommit = <E extends Entry>(options: GroupOptions<E>): (entry: E) => void => {
  const written = writing(options)
  /** Workspaces whose entries wait for the lock. */
  const alone = new Map<string, (...entries: ReadonlyArray<E>) => void>()
  const wait = (org: OrgId, entries: ReadonlyArray<E>) => {
    const push = alone.get(org) ?? gathering<E>(
      async (batch) => {
        for (const { reject } of await written(batch, true)) reject(new Error(`workspace ${org} does not exist`))
      },
      () => alone.delete(org)
    )
    alone.set(org, push)
    push(...entries)
  }
  const shared = gathering<E>(async (entries) => {
    const byOrg = Map.groupBy(entries, ({ org }) => org)
    const locked = byOrg.size === 1 ? byOrg : Map.groupBy(await written(entries, false), ({ org }) => org)
    for (const [org, own] of locked) wait(org, own)
  })
  return (entry) => {
    const own = alone.get(entry.org)
    if (own === undefined) shared(entry)
    else own(entry)
  }
}

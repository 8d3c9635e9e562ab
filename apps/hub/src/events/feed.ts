/**
 * One reader of each workspace's log for all streams of this hub: the newest events are kept in memory, a stream that stands
 * further back reads for itself. So a thousand streams cost one read per workspace and wake-up, and a slow one costs nothing
 * until it is drained.
 *
 * What is told once is sent once for each stream, so many streams of a busy workspace are told at longer intervals, and more than
 * they could all be sent is skipped: they are reset, and list again. Otherwise consoles would take the hub from the agents.
 */
import { eventsOf, type SourcedEvent } from "@countersign/domain/events"
import { Clock, Effect, Semaphore } from "effect"
import type { EntryRow, EventsRepository } from "./repository.ts"

/** Entries that are kept of each workspace that somebody follows. */
const keptEntries = 1_024
const readPage = 500
/** Reads for streams that stand too far back, at a time. */
const catchUpReads = 2

/** After it told its streams of something, a workspace rests so long for each of them, within these bounds; in milliseconds. */
const restMillisPerStream = 0.6
const restMillisMax = 1_000
/** Entries times streams that may be told a second; what one entry tells is some 600 bytes. */
const fanOutPerSecond = 100_000
/** A backlog that is not worth a reset, however many streams there are. */
const skippedMin = 32
/** After a reset, in which every reader lists again. */
const resetMillisPerStream = 10
const resetMillisMin = 1_000
const resetMillisMax = 10_000

const between = (low: number, value: number, high: number) => Math.max(low, Math.min(value, high))

/** How long a workspace with so many streams rests after it told them. */
export const restAfter = (streams: number): number => between(0, streams * restMillisPerStream, restMillisMax)
/** Entries that may be told at once to so many streams after such a rest. */
export const backlogMax = (streams: number, restMillis: number): number =>
  Math.max(skippedMin, Math.floor(fanOutPerSecond * Math.max(restMillis, 100) / 1_000 / Math.max(1, streams)))

export interface FeedEntry {
  readonly seq: number
  readonly events: ReadonlyArray<SourcedEvent>
  readonly owner: string | null
}

interface OrgFeed {
  /** The `seq` up to which the log is read; none before the first read. */
  last: number | undefined
  /** Gapless, ends at `last`. */
  readonly kept: Array<FeedEntry>
  /** Who stands before it is reset. */
  skippedTo: number
  /** Milliseconds since 1970: it is not read before. */
  restUntil: number
  readonly nudges: Set<() => void>
}

const toFeedEntry = (org: string) => (row: EntryRow): FeedEntry => ({
  seq: row.seq,
  events: eventsOf(org, row),
  owner: row.owner_user_id
})

export const makeFeed = (repository: EventsRepository["Service"]) => {
  const feeds = new Map<string, OrgFeed>()
  /** Rises whenever any workspace got something new. */
  let version = 0
  const catchUp = Semaphore.makeUnsafe(catchUpReads)

  const tell = (feed: OrgFeed) => {
    for (const nudge of feed.nudges) nudge()
  }

  /** Reads on from where the feed stands; from its head when it has not read before. Only one reader of a workspace at a time. */
  const read = (org: string) =>
    Effect.gen(function*() {
      let started = false
      for (;;) {
        const feed = feeds.get(org)
        if (feed === undefined) return
        if (feed.last === undefined) {
          feed.last = (yield* repository.heads([org])).get(org) ?? 0
          version++
          return tell(feed)
        }
        const streams = feed.nudges.size
        const rest = restAfter(streams)
        if (!started) {
          started = true
          feed.restUntil = (yield* Clock.currentTimeMillis) + rest
        }
        if (backlogMax(streams, rest) < keptEntries) {
          const head = (yield* repository.heads([org])).get(org) ?? 0
          if (head - feed.last > backlogMax(streams, rest)) {
            feed.kept.length = 0
            feed.last = feed.skippedTo = head
            feed.restUntil += between(resetMillisMin, streams * resetMillisPerStream, resetMillisMax)
            version++
            return tell(feed)
          }
        }
        const rows = yield* repository.entries(org, feed.last, readPage)
        for (const row of rows) {
          // A piece of the log is gone, or was restored from a backup: what is kept would lie.
          if (row.seq !== feed.last + 1) feed.kept.length = 0
          feed.kept.push(toFeedEntry(org)(row))
          feed.last = row.seq
        }
        if (feed.kept.length > 2 * keptEntries) feed.kept.splice(0, feed.kept.length - keptEntries)
        if (rows.length > 0) {
          version++
          tell(feed)
        }
        if (rows.length < readPage) return
      }
    })

  return {
    orgs: (): ReadonlyArray<string> => [...feeds.keys()],
    follows: (org: string): boolean => feeds.has(org),
    /** Workspaces that have entries beyond what is read, or were never read. */
    behind: (heads: ReadonlyMap<string, number>): ReadonlyArray<string> =>
      [...feeds].filter(([org, feed]) => feed.last === undefined || (heads.get(org) ?? 0) > feed.last).map(([org]) =>
        org
      ),
    read,
    version: (): number => version,
    /** When a workspace that is told of again may be read, in milliseconds since 1970. */
    restsUntil: (org: string): number => feeds.get(org)?.restUntil ?? 0,
    /** The `seq` up to which a workspace is read; none before the first read. */
    readTo: (org: string): number | undefined => feeds.get(org)?.last,
    /** Calls `nudge` whenever there may be more; answers how to stop. The first read is the caller's to ask for. */
    watch: (org: string, nudge: () => void): () => void => {
      let feed = feeds.get(org)
      if (feed === undefined) {
        feed = { last: undefined, kept: [], skippedTo: 0, restUntil: 0, nudges: new Set() }
        feeds.set(org, feed)
      }
      const { nudges } = feed
      nudges.add(nudge)
      return () => {
        nudges.delete(nudge)
        if (nudges.size === 0 && feeds.get(org)?.nudges === nudges) feeds.delete(org)
      }
    },
    /**
     * At most `limit` entries after `seq`; `undefined` when the log does not go on from there: it was cut, or never came so far.
     */
    after: (org: string, seq: number, limit: number): Effect.Effect<ReadonlyArray<FeedEntry> | undefined> => {
      const feed = feeds.get(org)
      if (feed?.last === undefined || seq === feed.last) return Effect.succeed([])
      // A reader that knows more than this hub has read yet waits; one that knows more than there is does not.
      if (seq > feed.last) {
        return Effect.map(repository.heads([org]), (heads) =>
          seq > (heads.get(org) ?? 0) ? undefined : [])
      }
      if (seq < feed.skippedTo) return Effect.succeed(undefined)
      const first = feed.kept[0]
      if (first !== undefined && seq >= first.seq - 1) {
        const from = seq + 1 - first.seq
        return Effect.succeed(feed.kept.slice(from, from + limit))
      }
      return catchUp.withPermit(repository.entries(org, seq, limit)).pipe(
        Effect.map((rows) => rows[0]?.seq === seq + 1 ? rows.map(toFeedEntry(org)) : undefined)
      )
    }
  }
}
export type Feed = ReturnType<typeof makeFeed>

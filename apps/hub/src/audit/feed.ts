/**
 * One reader of each workspace's log for all streams of this hub: the newest events are kept in memory, and a stream
 * that is further behind reads from the database itself. So a thousand streams cost one read per workspace and wake-up,
 * and a slow stream costs nothing until it is drained.
 *
 * An event is sent once for each stream, so workspaces with many streams are read at longer intervals, and a backlog
 * that is too large for all of them is skipped: they are reset, and their clients list again. Otherwise consoles would
 * take the hub's capacity from agents.
 */
import { eventsOf, type SourcedEvent } from "@countersign/domain/events"
import type { OrgId } from "@countersign/domain/ids"
import { Clock, Effect, Semaphore } from "effect"
import type { OwnedAgent } from "../auth/own.ts"
import type { EntryRow, EventsRepository } from "./events-repository.ts"

/** Entries kept for each followed workspace. */
const keptEntries = 1_024
const readPage = 500
/** Maximum number of concurrent reads for streams that are too far behind. */
const catchUpReads = 2

/** After it sent entries, a workspace pauses for this long per stream, within these bounds; in milliseconds. */
const restMillisPerStream = 0.6
const restMillisMax = 1_000
/** Maximum of entries times streams sent a second; the events of one entry take some 600 bytes. */
const fanOutPerSecond = 100_000
/** A backlog up to this size is never reset, regardless of the number of streams. */
const skippedMin = 32
/** After a reset, in which every client lists again. */
const resetMillisPerStream = 10
const resetMillisMin = 1_000
const resetMillisMax = 10_000

const between = (low: number, value: number, high: number) => Math.max(low, Math.min(value, high))

/** How long a workspace with this many streams pauses after it sent entries. */
export const restAfter = (streams: number): number => between(0, streams * restMillisPerStream, restMillisMax)
/** Maximum number of entries that may be sent at once to this many streams after such a pause. */
export const backlogMax = (streams: number, restMillis: number): number =>
  Math.max(skippedMin, Math.floor(fanOutPerSecond * Math.max(restMillis, 100) / 1_000 / Math.max(1, streams)))

export interface FeedEntry {
  readonly seq: number
  readonly events: ReadonlyArray<SourcedEvent>
  /** Owner and team of the agent or device that the entry is about. */
  readonly of: OwnedAgent
}

interface OrgFeed {
  /** The `seq` up to which the log is read; none before the first read. */
  last: number | undefined
  /** Gapless, ends at `last`. */
  readonly kept: Array<FeedEntry>
  /** Streams before this `seq` are reset. */
  skippedTo: number
  /** Milliseconds since 1970: no read before it. */
  restUntil: number
  readonly nudges: Set<() => void>
}

const toFeedEntry = (org: OrgId) => (row: EntryRow): FeedEntry => ({
  seq: row.seq,
  events: eventsOf(org, row),
  of: { owner_user_id: row.owner_user_id, team_id: row.team_id }
})

export const makeFeed = (repository: EventsRepository["Service"]) => {
  const feeds = new Map<OrgId, OrgFeed>()
  /** Rises whenever any workspace has new entries. */
  let version = 0
  const catchUp = Semaphore.makeUnsafe(catchUpReads)

  const notify = (feed: OrgFeed) => {
    for (const nudge of feed.nudges) nudge()
  }

  /**
   * Reads from the feed's position, or from the log's head at the first read. Only one fiber reads a workspace at a
   * time.
   */
  const read = (org: OrgId) =>
    Effect.gen(function*() {
      let started = false
      for (;;) {
        const feed = feeds.get(org)
        if (feed === undefined) return
        if (feed.last === undefined) {
          feed.last = (yield* repository.heads([org])).get(org) ?? 0
          version++
          return notify(feed)
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
            return notify(feed)
          }
        }
        const rows = yield* repository.entries(org, feed.last, readPage)
        for (const row of rows) {
          // A part of the log is missing, or was restored from a backup: the kept entries would be wrong.
          if (row.seq !== feed.last + 1) feed.kept.length = 0
          feed.kept.push(toFeedEntry(org)(row))
          feed.last = row.seq
        }
        if (feed.kept.length > 2 * keptEntries) feed.kept.splice(0, feed.kept.length - keptEntries)
        if (rows.length > 0) {
          version++
          notify(feed)
        }
        if (rows.length < readPage) return
      }
    })

  return {
    orgs: (): ReadonlyArray<OrgId> => [...feeds.keys()],
    follows: (org: OrgId): boolean => feeds.has(org),
    /** Workspaces that have unread entries, or were never read. */
    behind: (heads: ReadonlyMap<OrgId, number>): ReadonlyArray<OrgId> =>
      [...feeds].filter(([org, feed]) => feed.last === undefined || (heads.get(org) ?? 0) > feed.last).map(([org]) =>
        org
      ),
    read,
    version: (): number => version,
    /** When a workspace with new entries may be read, in milliseconds since 1970. */
    restsUntil: (org: OrgId): number => feeds.get(org)?.restUntil ?? 0,
    /** The `seq` up to which a workspace is read; none before the first read. */
    readTo: (org: OrgId): number | undefined => feeds.get(org)?.last,
    /**
     * Calls `nudge` whenever there may be new entries; returns the function that stops it. The caller requests the
     * first read.
     */
    watch: (org: OrgId, nudge: () => void): () => void => {
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
     * At most `limit` entries after `seq`; `undefined` when the log does not continue there: it was cut, or is shorter.
     */
    after: (org: OrgId, seq: number, limit: number): Effect.Effect<ReadonlyArray<FeedEntry> | undefined> => {
      const feed = feeds.get(org)
      if (feed?.last === undefined || seq === feed.last) return Effect.succeed([])
      // A reader ahead of this hub's reads waits; a reader ahead of the log does not.
      if (seq > feed.last) {
        return Effect.map(repository.heads([org]), (heads) => seq > (heads.get(org) ?? 0) ? undefined : [])
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

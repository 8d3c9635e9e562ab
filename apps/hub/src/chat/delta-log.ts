/**
 * Deltas of this hub's turns on their way to the database: gathered for a moment, stored by one statement, and only then shown
 * to readers. A turn never waits for its readers. Spec: reference/chat.md "Events".
 */
import { Cause, Effect } from "effect"
import type { Signals } from "../platform/signals.ts"
import type { RecentChatEvents } from "./recent-events.ts"
import type { EventRow } from "./records.ts"
import type { ChatTurnsRepository, Claim } from "./turns-repository.ts"

const gatherMillis = 60
const againMillis = 500

export interface Delta {
  readonly event: "thinking" | "message_delta"
  readonly part: number
  readonly offset: number
  delta: string
}

type Gathered = Delta & { readonly seq: number }

/** Writes the events of one turn. */
export interface EventWriter {
  readonly claim: Claim
  readonly nextSeq: () => number
  /** Another hub owns the turn. */
  readonly lost: () => void
  readonly isLost: () => boolean
}

export interface DeltaLog {
  /** `now`: without gathering, as the first event of a turn. */
  readonly add: (writer: EventWriter, delta: Delta, now: boolean) => void
  /** Removes and returns the deltas that are not stored, once those in progress are. */
  readonly take: (writer: EventWriter) => Promise<ReadonlyArray<EventRow>>
}

const rowOf = (turn: string, { delta, event, offset, part, seq }: Gathered): EventRow => ({
  turn_id: turn,
  seq,
  event,
  data: JSON.stringify({ turn_id: turn, seq, part, offset, delta })
})

export const makeDeltaLog = ({ recent, repository, run, signals }: {
  readonly recent: RecentChatEvents["Service"]
  readonly repository: ChatTurnsRepository["Service"]
  readonly run: <A>(effect: Effect.Effect<A>) => Promise<A>
  readonly signals: Signals["Service"]
}): DeltaLog => {
  let pending = new Map<EventWriter, Array<Gathered>>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  /** Repeats until they are stored or not wanted any more: a gap in the sequence would stay. */
  const write = async (batch: ReadonlyMap<EventWriter, ReadonlyArray<Gathered>>) => {
    for (;;) {
      const rows = [...batch].flatMap(([{ claim, isLost }, events]) =>
        isLost()
          ? []
          : events.map((event) => ({ ...rowOf(claim.turn, event), owner: claim.owner, attempt: claim.attempt }))
      )
      if (rows.length === 0) return
      try {
        const held = await run(repository.appendEvents(rows))
        for (const { claim, isLost, lost } of batch.keys()) {
          if (held.has(claim.turn)) {
            if (!isLost()) recent.add(claim.turn, rows.filter(({ turn_id }) => turn_id === claim.turn))
            signals.object(claim.turn)
          } else lost()
        }
        return
      } catch (error) {
        await run(Effect.logWarning("events of turns could not be stored yet", Cause.die(error)))
        if (signals.stopped()) return batch.forEach((_, writer) => writer.lost())
        await new Promise((resolve) => setTimeout(resolve, againMillis))
      }
    }
  }

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = pending
    pending = new Map()
    if (batch.size > 0) writing = writing.then(() => write(batch))
  }

  return {
    add: (writer, delta, now) => {
      const events = pending.get(writer) ?? []
      const last = events.at(-1)
      if (last?.event === delta.event && last.part === delta.part && last.offset + last.delta.length === delta.offset) {
        last.delta += delta.delta
      } else events.push({ ...delta, seq: writer.nextSeq() })
      pending.set(writer, events)
      if (now) flush()
      else timer ??= setTimeout(flush, gatherMillis)
    },
    take: async (writer) => {
      const events = pending.get(writer) ?? []
      pending.delete(writer)
      await writing
      return events.map((event) => rowOf(writer.claim.turn, event))
    }
  }
}

/**
 * The latest stored events of the turns that this hub drives, so that its readers need not read them from the
 * database. Unstored ones are not here: another hub that continues the turn reads every event that a reader saw.
 * Spec: reference/chat.md "Events".
 */
import { endsStream } from "@countersign/domain/chat-events"
import { Context, Layer } from "effect"
import type { EventRow } from "./records.ts"

/** Of one turn; a reader that is further behind reads the database. */
const eventsMax = 32
const lengthMax = 64 * 1024

export class RecentChatEvents extends Context.Service<RecentChatEvents, {
  /** Adds events after their commit. */
  readonly add: (turn: string, events: ReadonlyArray<EventRow>) => void
  /**
   * The events after a position, up to the next end of a stream: whether that is shown depends on the turn's state.
   * Empty when they are not all here, or when there are none.
   */
  readonly after: (turn: string, position: number) => ReadonlyArray<EventRow>
  /** Whether the event at this position is the latest. */
  readonly isLatest: (turn: string, position: number) => boolean
  /** This hub no longer drives the turn. */
  readonly forget: (turn: string) => void
}>()("@countersign/hub/chat/RecentChatEvents") {
  static readonly layer = Layer.sync(RecentChatEvents, () => {
    const recent = new Map<string, ReadonlyArray<EventRow>>()

    /** The last of these events, without gaps and within the limits. */
    const kept = (events: ReadonlyArray<EventRow>): ReadonlyArray<EventRow> => {
      let first = events.length
      for (let length = 0; first > 0 && events.length - first < eventsMax; first--) {
        const event = events[first - 1]!
        const next = events[first]
        length += event.data.length
        if (length > lengthMax || (next !== undefined && next.seq !== event.seq + 1)) break
      }
      return events.slice(first)
    }

    return RecentChatEvents.of({
      add: (turn, events) => {
        if (events.length > 0) recent.set(turn, kept([...recent.get(turn) ?? [], ...events]))
      },
      after: (turn, position) => {
        const events = recent.get(turn) ?? []
        const first = events.findIndex(({ seq }) => seq === position + 1)
        if (first < 0) return []
        const end = events.findIndex(({ event }, at) => at >= first && endsStream(event))
        return events.slice(first, end < 0 ? undefined : end)
      },
      isLatest: (turn, position) => recent.get(turn)?.at(-1)?.seq === position,
      forget: (turn) => void recent.delete(turn)
    })
  })
}

/** Streams of turns, read from the database or this hub's memory and woken by signals: any hub serves any turn. Spec: reference/chat.md "Events". */
import { isTurnMoving } from "@countersign/domain/chat"
import { endsStream, eventIdOf, seqOf } from "@countersign/domain/chat-events"
import { type ApiError, invalidField, notFound } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { type FollowedEvents, followEvents } from "../platform/event-stream.ts"
import { Signals } from "../platform/signals.ts"
import { ChatReaders } from "./readers.ts"
import { RecentChatEvents } from "./recent-events.ts"
import type { EventRow } from "./records.ts"
import { ChatTurnsRepository, type EventPage, eventsAtOnce } from "./turns-repository.ts"

const textOf = ({ data, event, seq, turn_id }: EventRow): string =>
  `id: ${eventIdOf(turn_id, seq)}\nevent: ${event}\ndata: ${data}\n\n`

/** The events of a page that a reader gets: the end of an earlier stream is left out once the turn went on. */
const followed = ({ events, state }: EventPage, after: number): FollowedEvents => {
  const last = events.at(-1)
  if (last === undefined) return { texts: [], position: after, done: false }
  // Whether the turn went on after the last event of a full page is in the next one.
  const isFull = events.length === eventsAtOnce && endsStream(last.event)
  const page = isFull ? events.slice(0, -1) : events
  const ended = page.at(-1)
  const done = ended !== undefined && !isFull && endsStream(ended.event) && !isTurnMoving(state)
  return {
    texts: page.filter((row) => !endsStream(row.event) || (done && row === ended)).map(textOf),
    position: ended?.seq ?? after,
    done
  }
}

export class ChatStreams extends Context.Service<ChatStreams, {
  /** The position of `last-event-id`; 0 without one. 400 for the id of another stream. */
  readonly position: (turn: string, last: string | undefined) => Effect.Effect<number, ApiError>
  /** The events of a turn after a position, to the end of the stream. It counts as a reader, as one of a new turn does. */
  readonly follow: (org: OrgId, turn: string, from: number, isNew: boolean) => Stream.Stream<string>
}>()("@countersign/hub/chat/ChatStreams") {
  static readonly layer = Layer.effect(
    ChatStreams,
    Effect.gen(function*() {
      const turns = yield* ChatTurnsRepository
      const readers = yield* ChatReaders
      const recent = yield* RecentChatEvents
      const signals = yield* Signals

      /** A reader that has everything gets the end again: every stream has one. */
      const again = Effect.fnUntraced(function*(org: OrgId, turn: string, after: number) {
        const row = Option.getOrUndefined(yield* turns.find(org, turn))
        if (row === undefined || isTurnMoving(row.state) || row.last_seq === 0) return undefined
        const page = yield* turns.events(org, turn, Math.min(after, row.last_seq) - 1)
        return page === undefined ? undefined : followed(page, after)
      })

      const read = Effect.fnUntraced(
        function*(org: OrgId, turn: string, after: number): Effect.fn.Return<FollowedEvents, ApiError> {
          const known = recent.after(turn, after)
          const last = known.at(-1)
          if (last !== undefined) return { texts: known.map(textOf), position: last.seq, done: false }
          const page = yield* turns.events(org, turn, after)
          if (page === undefined) return yield* Effect.fail(notFound("turn"))
          if (page.events.length > 0 || isTurnMoving(page.state)) return followed(page, after)
          return (yield* again(org, turn, after)) ?? followed(page, after)
        }
      )

      return ChatStreams.of({
        position: (turn, last) => {
          if (last === undefined || last === "") return Effect.succeed(0)
          const seq = seqOf(turn, last)
          return seq === undefined
            ? Effect.fail(invalidField("last-event-id", "expected the id of an event of this turn"))
            : Effect.succeed(seq)
        },
        follow: (org, turn, from, isNew) =>
          readers.while(turn, isNew)(
            followEvents(
              signals,
              turn,
              from,
              (after) => read(org, turn, after),
              (after) => recent.isLatest(turn, after)
            )
          )
      })
    })
  )
}

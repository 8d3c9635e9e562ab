/** Server-sent events: their texts, the answer that carries them, and streams that follow one subject to its end. */
import type { ApiError } from "@countersign/domain/errors"
import { pingSeconds } from "@countersign/domain/events"
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { awaitSignal, type SubjectSignals } from "./waiting.ts"

/** The end of a stream when the hub stops: its client reconnects soon, with the id of the last event. */
export const reconnectHint = ": the hub is stopping, reconnect\nretry: 1000\n\n"

const comment = ": \n\n"

export const eventText = (id: string | number, event: string, data: unknown): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Its headers tell proxies not to store or buffer it. */
export const eventStreamAnswer = <E>(stream: Stream.Stream<Uint8Array, E>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(stream, {
    contentType: "text/event-stream; charset=utf-8",
    headers: { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }
  })

/** New events of a subject, and the position after them; `done`: none will follow. */
export interface FollowedEvents {
  readonly texts: ReadonlyArray<string>
  readonly position: number
  readonly done: boolean
}

/**
 * Sends the events of a subject after the position `from` to their end (with `isLatest`, nothing is read before the next
 * signal where no event can follow yet), and a comment line while nothing changes. The
 * stream also ends when the hub stops, and when `read` fails: the subject is gone or the caller lost access.
 */
export const followEvents = (
  signals: SubjectSignals,
  subject: string,
  from: number,
  read: (after: number) => Effect.Effect<FollowedEvents, ApiError>,
  isLatest: (position: number) => boolean = () => false
): Stream.Stream<string> =>
  // Sends a first line at once, because a client has no response status before it.
  Stream.concat(
    Stream.succeed(comment),
    Stream.paginate(from, (after) =>
      awaitSignal(
        signals,
        subject,
        pingSeconds * 1_000,
        read(after),
        ({ done, texts }) => done || texts.length > 0,
        { isPending: () => isLatest(after) }
      )
        .pipe(
          Effect.map(({ done, position, texts }) => {
            if (done) return [texts, Option.none<number>()] as const
            // After a restart, the client continues at this hub or another one.
            if (signals.stopped()) return [[...texts, reconnectHint], Option.none<number>()] as const
            return [texts.length === 0 ? [comment] : texts, Option.some(position)] as const
          }),
          Effect.catch(() => Effect.succeed([[], Option.none<number>()] as const))
        ))
  )

/** The events of one task as server-sent events, to its end; a comment line while nothing changes. */
import type { ApiError } from "@countersign/domain/errors"
import { pingSeconds } from "@countersign/domain/events"
import { Effect, Option, Stream } from "effect"
import { reconnectHint } from "../audit/events.ts"
import type { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"
import type { TaskEvents } from "./service.ts"

/** `read` returns the events after a position. */
export const followTask = (
  signals: Signals["Service"],
  org: string,
  from: number,
  read: (after: number) => Effect.Effect<TaskEvents, ApiError>
): Stream.Stream<string> =>
  // Sends a first line at once, because a client has no response status before it.
  Stream.concat(
    Stream.succeed(": \n\n"),
    Stream.paginate(from, (after) =>
      awaitSignal(signals, org, pingSeconds * 1_000, read(after), ({ done, events }) =>
        done || events.length > 0).pipe(
          Effect.map(({ done, events, position }) => {
            const texts = events.map((event) =>
              `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
            )
            if (done) return [texts, Option.none<number>()] as const
            if (signals.stopped()) return [[...texts, reconnectHint], Option.none<number>()] as const
            return [texts.length === 0 ? [": \n\n"] : texts, Option.some(position)] as const
          }),
          // The task is gone or the caller lost access: the stream ends.
          Effect.catch(() => Effect.succeed([[], Option.none<number>()] as const))
        ))
  )

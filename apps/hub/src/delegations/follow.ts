/** The events of one task as server-sent events, to its end. */
import type { ApiError } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { Effect, type Stream } from "effect"
import { eventText, followEvents } from "../platform/event-stream.ts"
import type { Signals } from "../platform/signals.ts"
import type { TaskEvents } from "./service.ts"

/** `read` returns the events after a position. */
export const followTask = (
  signals: Signals["Service"],
  org: OrgId,
  from: number,
  read: (after: number) => Effect.Effect<TaskEvents, ApiError>
): Stream.Stream<string> =>
  followEvents(signals, org, from, (after) =>
    Effect.map(read(after), ({ done, events, position }) => ({
      texts: events.map((event) => eventText(event.id, event.type, event)),
      position,
      done
    })))

/** Live output as server-sent events: `output` for each chunk, and `command` at the end. */
import type { OutputPage } from "@countersign/domain/devices"
import type { ApiError } from "@countersign/domain/errors"
import { Effect, type Stream } from "effect"
import { eventText, followEvents } from "../platform/event-stream.ts"
import type { Signals } from "../platform/signals.ts"

const chunksAtOnce = 50

/** `read` returns the page after a `seq`. */
export const followOutput = (
  signals: Signals["Service"],
  command: string,
  from: number,
  read: (seq: number, limit: number) => Effect.Effect<OutputPage, ApiError>
): Stream.Stream<string> =>
  followEvents(signals, command, from, (seq) =>
    Effect.map(read(seq, chunksAtOnce), ({ data, next_seq, ...end }) => {
      const chunks = data.map((chunk) => eventText(chunk.seq, "output", chunk))
      const position = data.at(-1)?.seq ?? seq
      return next_seq === null
        ? { texts: [...chunks, eventText(position, "command", { id: command, ...end })], position, done: true }
        : { texts: chunks, position, done: false }
    }))

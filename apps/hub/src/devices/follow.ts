/** Live output as server-sent events: `output` for each chunk, `command` at the end, and a comment line while idle. */
import type { OutputPage } from "@countersign/domain/devices"
import type { ApiError } from "@countersign/domain/errors"
import { pingSeconds } from "@countersign/domain/events"
import { Effect, Option, Stream } from "effect"
import { reconnectHint } from "../audit/events.ts"
import type { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"

const chunksAtOnce = 50

const frame = (id: number, event: string, data: unknown): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** `read` returns the page after a `seq`. */
export const followOutput = (
  signals: Signals["Service"],
  command: string,
  from: number,
  read: (seq: number, limit: number) => Effect.Effect<OutputPage, ApiError>
): Stream.Stream<string> =>
  // Sends a first line at once, because a client has no response status before it.
  Stream.concat(
    Stream.succeed(": \n\n"),
    Stream.paginate(from, (seq) =>
      Effect.gen(function*() {
        const page = yield* awaitSignal(
          signals,
          command,
          pingSeconds * 1_000,
          read(seq, chunksAtOnce),
          ({ data, next_seq }) => data.length > 0 || next_seq === null
        )
        const texts = page.data.map((chunk) => frame(chunk.seq, "output", chunk))
        const last = page.data.at(-1)?.seq ?? seq
        if (page.next_seq === null) {
          const { data: _, next_seq: __, ...end } = page
          return [[...texts, frame(last, "command", { id: command, ...end })], undefined] as const
        }
        // After a restart, the client continues at this hub or another one.
        return signals.stopped()
          ? [[...texts, reconnectHint], undefined] as const
          : [texts.length === 0 ? [": \n\n"] : texts, last] as const
      }).pipe(
        Effect.map(([texts, next]) => [texts, next === undefined ? Option.none() : Option.some(next)] as const),
        // The command is gone or the caller lost access: the stream ends.
        Effect.catch(() => Effect.succeed([[], Option.none<number>()] as const))
      ))
  )

/** Output of commands, in order and without a gap; read in pages or followed. Spec: reference/devices.md "Output". */
import { chunkBytesMax, type Output, type OutputAnswer } from "@countersign/domain/device-protocol"
import type { OutputChunk, OutputPage } from "@countersign/domain/devices"
import { type ApiError, conflict, invalidField, notFound, payloadTooLarge } from "@countersign/domain/errors"
import { Context, Effect, Layer, Stream } from "effect"
import { Liveness } from "../auth/liveness.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { actsFor, type DeviceCaller } from "./caller.ts"
import { DeviceCommandsRepository } from "./commands-repository.ts"
import { DeviceCommands } from "./commands.ts"
import { Delivery } from "./delivery.ts"
import { followOutput } from "./follow.ts"
import { type ChunkRow, OutputRepository } from "./output-repository.ts"
import { DevicesRepository } from "./repository.ts"
import { type CommandRow, isFinal } from "./rows.ts"

const pageChunksDefault = 50

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const bytesOf = (sent: Output): Effect.Effect<Uint8Array, ApiError> => {
  if (sent.encoding === "base64" && !base64Pattern.test(sent.data)) {
    return Effect.fail(invalidField("data", "it is not base64"))
  }
  const bytes = Buffer.from(sent.data, sent.encoding === "base64" ? "base64" : "utf8")
  return bytes.length > chunkBytesMax
    ? Effect.fail(payloadTooLarge(`A chunk holds at most ${chunkBytesMax} bytes.`))
    : Effect.succeed(new Uint8Array(bytes))
}

/** Undefined if the bytes are not UTF-8 or contain NUL: clients get those as base64. */
const asText = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

export const toChunk = (row: ChunkRow): OutputChunk => {
  const text = asText(row.data)
  const content = text === undefined
    ? { data: Buffer.from(row.data).toString("base64"), encoding: "base64" as const }
    : { data: text, encoding: "utf8" as const }
  return { seq: row.seq, stream: row.stream, ...content, offset: row.at, created_at: row.created_at.toISOString() }
}

const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

export class DeviceOutput extends Context.Service<DeviceOutput, {
  /** 409 `seq_gap`, `seq_conflict`, `lease_lost`; an equal repeat gets the first answer. */
  readonly write: (caller: DeviceCaller, id: string, sent: Output) => Effect.Effect<OutputAnswer, ApiError>
  readonly read: (
    caller: DeviceCaller,
    id: string,
    query: { readonly after_seq?: number; readonly limit?: number }
  ) => Effect.Effect<OutputPage, ApiError>
  /** The chunks after a `seq` as server-sent events, until the command or the caller's right ends. */
  readonly follow: (caller: DeviceCaller, id: string, after: number) => Effect.Effect<Stream.Stream<string>, ApiError>
}>()("@countersign/hub/devices/DeviceOutput") {
  static readonly layer = Layer.effect(
    DeviceOutput,
    Effect.gen(function*() {
      const devices = yield* DevicesRepository
      const commands = yield* DeviceCommandsRepository
      const output = yield* OutputRepository
      const delivery = yield* Delivery
      const views = yield* DeviceCommands
      const signals = yield* Signals
      const liveness = yield* Liveness
      const db = yield* Db

      const mayUse = Effect.fnUntraced(function*(caller: DeviceCaller, { device_id }: CommandRow) {
        if (caller.kind === "device") return device_id === caller.device_id
        const device = yield* devices.find(caller.org_id, device_id)
        return device !== undefined && actsFor(caller, device)
      })
      const own = Effect.fnUntraced(
        function*(caller: DeviceCaller, id: string): Effect.fn.Return<CommandRow, ApiError> {
          const found = yield* commands.find(caller.org_id, id)
          return found !== undefined && (yield* mayUse(caller, found))
            ? found
            : yield* Effect.fail(notFound("command"))
        }
      )

      /** Takes the command's lock alone, so that a flood of output does not delay the device's other commands. */
      const append = Effect.fnUntraced(
        function*(
          caller: DeviceCaller,
          id: string,
          sent: Output,
          data: Uint8Array
        ): Effect.fn.Return<number, ApiError> {
          const row = yield* commands.lock(caller.org_id, id)
          if (row === undefined) return yield* Effect.fail(notFound("command"))
          if (sent.seq < row.next_seq) {
            const kept = yield* output.chunk(id, sent.seq)
            // A chunk that was dropped since cannot be compared.
            if (kept === undefined || (kept.stream === sent.stream && equal(kept.data, data))) return row.next_seq
            return yield* Effect.fail(
              conflict("seq_conflict", "Another chunk was sent under this seq.", { next_seq: row.next_seq })
            )
          }
          if (isFinal(row.status) || row.status === "queued" || sent.lease !== row.lease_number) {
            return yield* Effect.fail(
              conflict("lease_lost", "This lease is no longer valid. Stop the command and release it.", {
                status: row.status,
                lease: row.lease_number
              })
            )
          }
          if (sent.seq > row.next_seq) {
            return yield* Effect.fail(
              conflict("seq_gap", `Chunks are missing. Continue from seq ${row.next_seq}.`, { next_seq: row.next_seq })
            )
          }
          const streamEnd = sent.stream === "stdout" ? row.stdout_bytes : row.stderr_bytes
          const at = sent.offset ?? streamEnd
          if (at < streamEnd) {
            return yield* Effect.fail(invalidField("offset", `the stream is already at ${streamEnd}`))
          }
          yield* output.append({ command: id, seq: sent.seq, stream: sent.stream, at, data, skipped: at - streamEnd })
          yield* commands.renew(id, true)
          // Signals the command's readers only: the device needs no check.
          yield* db.afterCommit(Effect.sync(() => signals.object(id)))
          return row.next_seq + 1
        },
        db.transaction
      )

      const read = Effect.fn("DeviceOutput.read")(function*(
        caller: DeviceCaller,
        id: string,
        query: { readonly after_seq?: number; readonly limit?: number }
      ): Effect.fn.Return<OutputPage, ApiError> {
        yield* views.get(caller, id)
        const from = query.after_seq ?? -1
        const limit = query.limit ?? pageChunksDefault
        // Reads the status before the chunks: if it is final, the chunks below include the last one.
        const row = yield* commands.find(caller.org_id, id)
        if (row === undefined) return yield* Effect.fail(notFound("command"))
        const rows = yield* output.after(id, from, limit)
        const last = rows.at(-1)?.seq ?? from
        const whole = isFinal(row.status) && rows.length < limit
        return {
          data: rows.map(toChunk),
          next_seq: whole ? null : last,
          output_bytes: row.stdout_bytes + row.stderr_bytes,
          dropped_bytes: row.dropped_bytes,
          status: row.status,
          ...(row.removed_after_days === null ? {} : { removed_after_days: row.removed_after_days })
        }
      })

      return DeviceOutput.of({
        write: Effect.fn("DeviceOutput.write")(function*(caller, id, sent): Effect.fn.Return<OutputAnswer, ApiError> {
          const row = yield* own(caller, id)
          const data = yield* bytesOf(sent)
          const next_seq = yield* append(caller, id, sent, data)
          return { next_seq, controls: yield* delivery.controls(row.org_id, row.device_id) }
        }),
        read,
        follow: Effect.fn("DeviceOutput.follow")(function*(caller, id, after) {
          yield* read(caller, id, { after_seq: after, limit: 1 })
          return followOutput(signals, id, after, (after_seq, limit) => read(caller, id, { after_seq, limit })).pipe(
            Stream.interruptWhen(liveness.ended(caller))
          )
        })
      })
    })
  )
}

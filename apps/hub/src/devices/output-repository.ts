/**
 * Output of commands. Of each command, the chunks that begin in the first MiB and those that hold the last 3 MiB are
 * kept; the bytes dropped in between are counted. A chunk is appended under the lock of its command's row.
 */
import { headBytesMax, tailBytesMax } from "@countersign/domain/device-protocol"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export type OutputStream = "stdout" | "stderr"

export interface ChunkRow {
  readonly seq: number
  readonly stream: OutputStream
  readonly at: number
  readonly data: Uint8Array
  readonly created_at: Date
}

export interface NewChunk {
  readonly command: string
  readonly seq: number
  readonly stream: OutputStream
  /** The chunk's offset in its stream, in bytes. */
  readonly at: number
  readonly data: Uint8Array
  /** Bytes that the device omitted before this chunk. */
  readonly skipped: number
}

export class OutputRepository extends Context.Service<OutputRepository, {
  readonly chunk: (command: string, seq: number) => Effect.Effect<ChunkRow | undefined>
  readonly append: (chunk: NewChunk) => Effect.Effect<void>
  readonly after: (command: string, seq: number, limit: number) => Effect.Effect<ReadonlyArray<ChunkRow>>
}>()("@countersign/hub/devices/OutputRepository") {
  static readonly layer = Layer.effect(
    OutputRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return OutputRepository.of({
        chunk: (command, seq) =>
          sql<
            ChunkRow
          >`select seq, stream, at, data, created_at from device_output where command_id = ${command} and seq = ${seq}`
            .pipe(
              Effect.map(([row]) => row),
              Effect.orDie
            ),
        append: ({ at, command, data, seq, skipped, stream }) =>
          Effect.gen(function*() {
            const end = BigInt(at + data.length)
            const bytes = BigInt(data.length)
            const [row] = yield* sql<{ head: boolean; tail_bytes: number }>`update device_commands set next_seq = ${
              seq + 1
            },
              stdout_bytes = ${stream === "stdout" ? sql`${end}::int8` : sql`stdout_bytes`},
              stderr_bytes = ${stream === "stderr" ? sql`${end}::int8` : sql`stderr_bytes`},
              dropped_bytes = dropped_bytes + ${BigInt(skipped)}::int8,
              head_bytes = head_bytes + case when tail_bytes = 0 and head_bytes < ${headBytesMax} then ${bytes}::int8 else 0 end,
              tail_bytes = tail_bytes + case when tail_bytes = 0 and head_bytes < ${headBytesMax} then 0 else ${bytes}::int8 end
            where id = ${command} returning tail_bytes = 0 as head, tail_bytes`
            yield* sql`insert into device_output (command_id, seq, stream, at, data, head)
            values (${command}, ${seq}, ${stream}, ${BigInt(at)}::int8, ${data}, ${row?.head ?? true})`
            const excess = (row?.tail_bytes ?? 0) - tailBytesMax
            if (excess <= 0) return
            // Deletes whole chunks, the oldest first, as long as the last 3 MiB remain.
            yield* sql`with o as (select seq, sum(length(data)) over (order by seq) as through from device_output
                where command_id = ${command} and not head),
              gone as (delete from device_output d using o
              where d.command_id = ${command} and d.seq = o.seq and o.through <= ${excess}
              returning length(d.data) as n),
              total as (select coalesce(sum(n), 0) as n from gone)
            update device_commands c set tail_bytes = c.tail_bytes - total.n, dropped_bytes = c.dropped_bytes + total.n from total
            where c.id = ${command}`
          }).pipe(Effect.asVoid, Effect.orDie),
        after: (command, seq, limit) =>
          sql<ChunkRow>`select seq, stream, at, data, created_at from device_output
          where command_id = ${command} and seq > ${seq}
          order by seq limit ${limit}`.pipe(
            Effect.orDie
          )
      })
    })
  )
}

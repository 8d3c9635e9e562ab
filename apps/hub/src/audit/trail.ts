/**
 * Reads of the audit log: pages, exports of any size, and the verification of its chain. Spec:
 * reference/audit-and-events.md "Audit log", "Audit export".
 */
import type { AuditEntry, AuditFilter, AuditVerification } from "@countersign/domain/audit"
import type { BadRequest } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { decodeCursor, encodeCursor, type PageOf } from "../platform/cursor.ts"
import { encodePositions } from "../platform/event-cursor.ts"
import { AuditRepository, type AuditRow, type EntryFilter, type SeqRange } from "./repository.ts"

/** Entries that one statement reads when no index matches the filter, and the number of statements for one page. */
const stretchEntries = 20_000
const stretchesPerPage = 10
const exportPageEntries = 1_000
const verifyBatchEntries = 5_000

export interface AuditPageQuery extends EntryFilter {
  readonly limit?: number
  readonly cursor?: string
  /** The one entry with this number. */
  readonly seq?: number
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")

export const entryOf = (row: AuditRow): AuditEntry => {
  const data = JSON.parse(row.data) as Record<string, unknown>
  return {
    id: row.id as AuditEntry["id"],
    seq: row.seq,
    action: row.action,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    ...row.subject_type === null || row.subject_id === null
      ? {}
      : { subject: { type: row.subject_type, id: row.subject_id } },
    ...row.agent_id === null ? {} : { agent_id: row.agent_id },
    ...row.outcome === null ? {} : { outcome: row.outcome },
    ...row.reason_code === null ? {} : { reason_code: row.reason_code },
    ...row.cost_cents === null ? {} : { cost_cents: row.cost_cents },
    ...row.ip === null ? {} : { ip: row.ip },
    data,
    // JSON written by SQL has different whitespace: offline verification needs the exact text.
    ...JSON.stringify(data) === row.data ? {} : { data_text: row.data },
    created_at: row.created_at.toISOString(),
    hash: hex(row.hash),
    prev_hash: hex(row.prev_hash)
  }
}

/** Whether an index answers the filter, so that one statement is enough. */
const indexed = (filter: EntryFilter): boolean =>
  filter.subject_id !== undefined ||
  filter.mode === undefined && filter.actor_id === undefined && filter.action === undefined && filter.q === undefined &&
    filter.service === undefined && filter.operation === undefined &&
    filter.outcome === undefined && filter.min_cents === undefined && filter.max_cents === undefined

/** Whether a page contains every entry of its range: numbers have no gaps, so nothing beyond the page is read. */
const isWhole = (filter: EntryFilter): boolean =>
  indexed(filter) && filter.subject_id === undefined && filter.agent_id === undefined

export class AuditTrail extends Context.Service<AuditTrail, {
  /**
   * Newest first. A page may be short or empty and still have a next page: a search reads a bounded part of the log.
   */
  readonly list: (org: OrgId, query: AuditPageQuery) => Effect.Effect<PageOf<AuditEntry>, BadRequest>
  /**
   * Oldest first, read in short statements as the client consumes them. Entries written after the start are left out.
   */
  readonly entries: (org: OrgId, filter: AuditFilter) => Stream.Stream<AuditEntry>
  /** Recomputes the chain from its first entry to the head at the start of the verification. */
  readonly verify: (org: OrgId) => Effect.Effect<AuditVerification>
}>()("@countersign/hub/audit/AuditTrail") {
  static readonly layer = Layer.effect(
    AuditTrail,
    Effect.gen(function*() {
      const repository = yield* AuditRepository

      /**
       * The first `seq` after `start` that is not before `millis`. Times increase with `seq` there, so a binary search
       * finds it.
       */
      const seqAt = Effect.fnUntraced(function*(org: OrgId, millis: number, start: number, end: number) {
        let low = start + 1
        let high = end
        while (low < high) {
          const middle = Math.floor((low + high) / 2)
          const at = yield* repository.timeOf(org, middle)
          // A removed entry is older than all remaining ones.
          if (at === undefined || at.getTime() < millis) low = middle + 1
          else high = middle
        }
        return low
      })

      const rangeOf = Effect.fnUntraced(function*(org: OrgId, filter: AuditFilter, end: number) {
        // Up to an entry at which the time was set back, times do not increase with `seq`: there only the filter on the
        // time applies.
        const { times_rise_after: start } = yield* repository.head(org)
        const low = filter.from === undefined || start > 0
          ? 1
          : yield* seqAt(org, momentMillis(filter.from), start, end)
        const high = filter.to === undefined ? end : yield* seqAt(org, momentMillis(filter.to), start, end)
        return { low, high }
      })

      const list = Effect.fn("AuditTrail.list")(function*(org: OrgId, query: AuditPageQuery) {
        const cursor = yield* decodeCursor(query.cursor, [/^\d{1,15}$/, /^\d{1,15}$/])
        const head = yield* Effect.orDie(repository.head(org))
        const limit = query.limit ?? pageLimitDefault
        const range = yield* Effect.orDie(rangeOf(org, query, head.seq + 1))
        const bounds = query.seq === undefined
          ? range
          : { low: Math.max(range.low, query.seq), high: Math.min(range.high, query.seq + 1) }
        const rows: Array<AuditRow> = []
        let { high } = bounds
        if (cursor !== undefined) high = Math.min(high, Number(cursor[0]))
        const stretch = indexed(query) ? head.seq + 1 : stretchEntries
        for (let count = 0; count < stretchesPerPage && high > bounds.low && rows.length <= limit; count++) {
          // A complete page may still be short: retention removed entries, or the time was set back.
          const entries = count === 0 && isWhole(query) ? limit + 1 : stretch
          const range: SeqRange = { low: Math.max(bounds.low, high - entries), high }
          rows.push(...yield* Effect.orDie(repository.newestFirst(org, range, query, limit + 1 - rows.length)))
          high = range.low
        }
        const data = rows.slice(0, limit).map(entryOf)
        const last = rows[limit - 1]
        const next = rows.length > limit && last !== undefined
          ? { seq: last.seq, at: last.created_at }
          : high > bounds.low
          ? { seq: high, at: yield* Effect.orDie(repository.timeOf(org, high)) }
          : undefined
        return {
          data,
          next_cursor: next === undefined ? null : encodeCursor([next.seq, (next.at ?? new Date()).getTime()]),
          as_of: encodePositions(new Map([[org, head.seq]]))
        }
      })

      const entries = (org: OrgId, filter: AuditFilter): Stream.Stream<AuditEntry> =>
        Stream.unwrap(
          Effect.gen(function*() {
            const head = yield* repository.head(org)
            const bounds = yield* rangeOf(org, filter, head.seq + 1)
            const stretch = indexed(filter) ? head.seq + 1 : stretchEntries
            return Stream.paginate(
              bounds.low,
              Effect.fnUntraced(function*(low: number) {
                const high = Math.min(bounds.high, low + stretch)
                const rows = low >= high
                  ? []
                  : yield* Effect.orDie(repository.oldestFirst(org, { low, high }, filter, exportPageEntries))
                const next = rows.length === exportPageEntries ? rows.at(-1)!.seq + 1 : high
                return [rows.map(entryOf), next < bounds.high ? Option.some(next) : Option.none<number>()] as const
              })
            )
          }).pipe(Effect.orDie)
        )

      const verify = Effect.fn("AuditTrail.verify")(function*(org: OrgId) {
        const head = yield* repository.head(org)
        let after: { seq: number; hash: Uint8Array } = { seq: 0, hash: new Uint8Array(32) }
        const bad = (first_bad_seq: number): AuditVerification => ({
          ok: false,
          checked: first_bad_seq - 1,
          first_bad_seq
        })
        while (after.seq < head.seq) {
          const stretch = yield* repository.recompute(org, after, head.seq, verifyBatchEntries)
          if (stretch.first_bad !== null) return bad(stretch.first_bad)
          if (stretch.last_seq === null || stretch.last_hash === null) return bad(after.seq + 1)
          after = { seq: stretch.last_seq, hash: stretch.last_hash }
        }
        if (hex(after.hash) !== hex(head.head)) return bad(Math.max(1, head.seq))
        return head.last > head.seq ? bad(head.seq + 1) : { ok: true, checked: head.seq }
      }, Effect.orDie)

      return AuditTrail.of({ list, entries, verify })
    })
  )
}

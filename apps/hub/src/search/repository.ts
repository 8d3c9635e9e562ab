/** The search texts of requests, written from the log of their workspace. */
import type { OrgId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"
import { requestText, searchedCharacters } from "./rules.ts"

/**
 * Maximum size of the payloads of one step, in characters: a text in many scripts is several times as long, and its
 * index larger still.
 */
const stepCharactersMax = 1_000_000

export class SearchRepository extends Context.Service<SearchRepository, {
  /** Workspaces whose log has entries after the last indexed one. */
  readonly behind: (limit: number) => Effect.Effect<ReadonlyArray<OrgId>>
  /**
   * Writes the texts of the requests in the next entries of the log, at most `limit` and fewer for long payloads, in
   * the caller's transaction. Returns the number of processed entries, and whether more are known to follow; none when
   * another hub is indexing this workspace.
   */
  readonly advance: (org: OrgId, limit: number) => Effect.Effect<{ readonly entries: number; readonly more: boolean }>
  /**
   * Whether the database has the index; it needs the extensions pg_trgm and btree_gin. Read once: a migration creates
   * it if it can.
   */
  readonly indexed: Effect.Effect<boolean>
}>()("@countersign/hub/search/SearchRepository") {
  static readonly layer = Layer.effect(
    SearchRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const indexed = yield* sql<{ there: boolean }>`select to_regclass('request_texts_search') is not null as there`
        .pipe(
          Effect.map(([row]) => row?.there === true),
          Effect.orDie,
          // A failure is not cached: the database may have been unreachable.
          Effect.cachedWithTTL(({ _tag }) => _tag === "Success" ? Infinity : 0)
        )
      return SearchRepository.of({
        behind: (limit) =>
          sql<{ org_id: OrgId }>`select h.org_id from org_heads h left join search_positions p on p.org_id = h.org_id
          where h.seq > coalesce(p.seq, 0) limit ${limit}`.pipe(
            Effect.map((rows) => rows.map((row) => row.org_id)),
            Effect.orDie
          ),
        advance: (org, limit) =>
          Effect.gen(function*() {
            yield* sql`insert into search_positions (org_id, seq) values (${org}, 0) on conflict do nothing`
            const [position] = yield* sql<
              { seq: number }
            >`select seq from search_positions where org_id = ${org} for update skip locked`
            if (position === undefined) return { entries: 0, more: false }
            const entries = yield* sql<{ seq: number; request: string | null }>`select seq,
              case when subject_type = 'service_request' then subject_id end as request
            from audit where org_id = ${org} and seq > ${BigInt(position.seq)}::int8 order by seq limit ${limit}`
            if (entries.length === 0) return { entries: 0, more: false }
            const requests = [...new Set(entries.flatMap(({ request }) => request === null ? [] : [request]))]
            // Locked against a concurrent removal of its body.
            const rows = yield* sql<{ id: string; service: string; operation: string; payload: string }>`
            select r.id, r.service, r.operation, left(r.payload, ${searchedCharacters}) as payload from requests r
              where r.org_id = ${org} and r.id = any(${
              textArray(requests)
            }) and r.payload <> ${removedText} order by r.id for share`
            const unwritten = new Map(rows.map((row) => [row.id, row]))
            const texts = new Map<string, string>()
            let [handled, characters] = [0, 0]
            for (const { request } of entries) {
              if (characters >= stepCharactersMax) break
              handled++
              const row = request === null ? undefined : unwritten.get(request)
              if (row === undefined) continue
              unwritten.delete(row.id)
              characters += row.payload.length
              texts.set(row.id, requestText(row))
              // Preparing a long text takes milliseconds: let other fibers run in between.
              yield* Effect.yieldNow
            }
            yield* sql`insert into request_texts (org_id, request_id, text)
            select ${org}, u.id, u.text from unnest(${textArray([...texts.keys()])}, ${
              textArray([...texts.values()])
            }) u(id, text)
            on conflict do nothing`
            yield* sql`update search_positions set seq = ${
              BigInt(entries[handled - 1]!.seq)
            }::int8 where org_id = ${org}`
            return { entries: handled, more: handled < entries.length || entries.length === limit }
          }).pipe(Effect.orDie),
        indexed
      })
    })
  )
}

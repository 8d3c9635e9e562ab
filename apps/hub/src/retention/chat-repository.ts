/** Chats that a workspace no longer keeps. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"

export class ChatRetentionRepository extends Context.Service<ChatRetentionRepository, {
  /**
   * Deletes at most `limit` sessions without a change since a moment, with their messages, turns, and artifacts; returns
   * their number. A session with an open turn stays.
   */
  readonly remove: (org: OrgId, before: Date, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/retention/ChatRetentionRepository") {
  static readonly layer = Layer.effect(
    ChatRetentionRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return ChatRetentionRepository.of({
        remove: (org, before, limit) =>
          Effect.gen(function*() {
            const due = yield* sql<{ id: string }>`select s.id from chat_sessions s
            where s.org_id = ${org} and s.updated_at < ${before}
              and not exists (select 1 from chat_turns t where t.session_id = s.id and t.ended_at is null)
            order by s.updated_at limit ${limit} for update skip locked`
            if (due.length === 0) return 0
            const ids = textArray(due.map(({ id }) => id))
            const turns = sql`select id from chat_turns where org_id = ${org} and session_id = any(${ids})`
            yield* sql`delete from chat_events where org_id = ${org} and turn_id in (${turns})`
            yield* sql`delete from chat_steps where org_id = ${org} and turn_id in (${turns})`
            yield* sql`delete from chat_blobs where org_id = ${org} and session_id = any(${ids})`
            yield* sql`delete from chat_turns where org_id = ${org} and session_id = any(${ids})`
            yield* sql`delete from chat_messages where org_id = ${org} and session_id = any(${ids})`
            yield* sql`delete from chat_sessions where org_id = ${org} and id = any(${ids})`
            return due.length
          }).pipe(Effect.orDie)
      })
    })
  )
}

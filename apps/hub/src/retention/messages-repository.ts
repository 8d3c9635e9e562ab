/** Agent requests and conversations that a workspace no longer keeps. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export class MessageRetentionRepository extends Context.Service<MessageRetentionRepository, {
  /** Deletes at most `limit` agent requests that ended before a moment; returns their number. */
  readonly removeAgentRequests: (org: OrgId, before: Date, limit: number) => Effect.Effect<number>
  /** Deletes at most `limit` conversations without a change since a moment, with their messages; returns their number. */
  readonly removeConversations: (org: OrgId, before: Date, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/retention/MessageRetentionRepository") {
  static readonly layer = Layer.effect(
    MessageRetentionRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return MessageRetentionRepository.of({
        removeAgentRequests: (org, before, limit) =>
          sql`delete from agent_requests where org_id = ${org} and id in (
            select id from agent_requests where org_id = ${org} and status <> 'open' and ended_at < ${before}
            order by ended_at limit ${limit})
          returning id`.pipe(Effect.map((rows) => rows.length), Effect.orDie),
        removeConversations: (org, before, limit) =>
          sql`delete from conversations where org_id = ${org} and id in (
            select id from conversations where org_id = ${org} and updated_at < ${before} order by updated_at limit ${limit})
          returning id`.pipe(Effect.map((rows) => rows.length), Effect.orDie)
      })
    })
  )
}

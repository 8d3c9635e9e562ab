/** Conversations of agents and their messages. */
import type { MessageRole } from "@countersign/domain/conversations"
import type { AgentId, ConversationId, MessageId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface ConversationRow {
  readonly id: ConversationId
  readonly agent_id: AgentId
  readonly title: string
  /** JSON text. */
  readonly metadata: string | null
  readonly message_count: number
  readonly created_at: Date
  readonly updated_at: Date
}

export interface MessageRow {
  readonly id: MessageId
  readonly role: MessageRole
  readonly content: string
  /** JSON text. */
  readonly metadata: string | null
  readonly created_at: Date
}

interface Range {
  readonly before: string | undefined
  readonly limit: number
}

export class ConversationsRepository extends Context.Service<ConversationsRepository, {
  readonly insert: (
    org: OrgId,
    conversation: Pick<ConversationRow, "id" | "title" | "metadata" | "created_at"> & { readonly agent_id: AgentId }
  ) => Effect.Effect<void>
  /** The number of an agent's conversations. */
  readonly countOf: (org: OrgId, agent: AgentId) => Effect.Effect<number>
  readonly find: (org: OrgId, agent: AgentId, id: string) => Effect.Effect<Option.Option<ConversationRow>>
  /** Newest first; returns one more than `limit` when there are more. */
  readonly list: (org: OrgId, agent: AgentId, range: Range) => Effect.Effect<ReadonlyArray<ConversationRow>>
  /** Also counts it in its conversation. Call it under the workspace's lock. */
  readonly addMessage: (org: OrgId, conversation: string, message: MessageRow) => Effect.Effect<void>
  /** Newest first; returns one more than `limit` when there are more. */
  readonly messages: (org: OrgId, conversation: string, range: Range) => Effect.Effect<ReadonlyArray<MessageRow>>
}>()("@countersign/hub/conversations/ConversationsRepository") {
  static readonly layer = Layer.effect(
    ConversationsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = (org: OrgId, agent: AgentId) =>
        sql`select id, agent_id, title, metadata, message_count, created_at, updated_at from conversations
        where org_id = ${org} and agent_id = ${agent}`
      const older = (before: string | undefined) => before === undefined ? sql`` : sql`and id < ${before}`
      return ConversationsRepository.of({
        insert: (org, { agent_id, created_at, id, metadata, title }) =>
          sql`insert into conversations (id, org_id, agent_id, title, metadata, created_at, updated_at)
          values (${id}, ${org}, ${agent_id}, ${title}, ${metadata}, ${created_at}, ${created_at})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        countOf: (org, agent) =>
          sql<{ n: number }>`select count(*)::int as n from conversations where org_id = ${org} and agent_id = ${agent}`
            .pipe(Effect.map(([row]) => row?.n ?? 0), Effect.orDie),
        find: (org, agent, id) =>
          sql<ConversationRow>`${rows(org, agent)} and id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, agent, { before, limit }) =>
          sql<ConversationRow>`${rows(org, agent)} ${older(before)} order by id desc limit ${limit + 1}`.pipe(
            Effect.orDie
          ),
        addMessage: Effect.fnUntraced(function*(org, conversation, { content, created_at, id, metadata, role }) {
          yield* sql`insert into conversation_messages (id, org_id, conversation_id, role, content, metadata, created_at)
          values (${id}, ${org}, ${conversation}, ${role}, ${content}, ${metadata}, ${created_at})`
          yield* sql`update conversations set message_count = message_count + 1, updated_at = ${created_at}
          where org_id = ${org} and id = ${conversation}`
        }, Effect.orDie),
        messages: (org, conversation, { before, limit }) =>
          sql<MessageRow>`select id, role, content, metadata, created_at from conversation_messages
          where org_id = ${org} and conversation_id = ${conversation} ${older(before)} order by id desc limit ${
            limit + 1
          }`.pipe(Effect.orDie)
      })
    })
  )
}

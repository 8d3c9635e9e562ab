/** Conversations of agents. Spec: reference/conversations.md "Conversation". */
import type { Permission, Principal } from "@countersign/domain/auth"
import {
  type AddMessageInput,
  type Conversation,
  type ConversationMessage,
  conversationsMax,
  type ConversationWithMessages,
  type CreateConversationInput,
  messagesMax
} from "@countersign/domain/conversations"
import { type ApiError, conflict, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer, Option } from "effect"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { callerLock } from "../members/caller-lock.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { type ConversationRow, ConversationsRepository, type MessageRow } from "./repository.ts"

export class Conversations extends Context.Service<Conversations, {
  readonly list: (
    principal: Principal,
    agent: AgentId,
    query: PageQuery
  ) => Effect.Effect<PageOf<Conversation>, ApiError>
  readonly create: (
    principal: Principal,
    agent: AgentId,
    input: CreateConversationInput
  ) => Effect.Effect<Conversation, ApiError>
  readonly get: (
    principal: Principal,
    agent: AgentId,
    id: string,
    query: PageQuery
  ) => Effect.Effect<ConversationWithMessages, ApiError>
  readonly addMessage: (
    principal: Principal,
    agent: AgentId,
    id: string,
    input: AddMessageInput
  ) => Effect.Effect<ConversationMessage, ApiError>
}>()("@countersign/hub/conversations/Conversations") {
  static readonly layer = Layer.effect(
    Conversations,
    Effect.gen(function*() {
      const repository = yield* ConversationsRepository
      const ownAgent = ownAgentIn(yield* AgentsRepository)
      const lock = yield* callerLock
      const audit = yield* AuditLog
      const db = yield* Db

      const found = Effect.fnUntraced(function*(
        principal: Principal,
        agent: AgentId,
        id: string,
        permission?: Permission
      ) {
        yield* ownAgent(principal, agent, permission)
        const row = yield* repository.find(principal.org_id, agent, id)
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("conversation"))
      })

      const create = Effect.fn("Conversations.create")(
        function*(principal: Principal, agent: AgentId, { metadata, title }: CreateConversationInput) {
          const org = principal.org_id
          const at = yield* lock(principal)
          yield* ownAgent(principal, agent, "agents:write")
          if ((yield* repository.countOf(org, agent)) >= conversationsMax) {
            return yield* Effect.fail(
              conflict("limit_reached", `An agent can have ${conversationsMax} conversations.`, {
                max: conversationsMax
              })
            )
          }
          const id = newId("cnv")
          yield* repository.insert(org, {
            id,
            agent_id: agent,
            title: title ?? "",
            metadata: jsonText(metadata),
            created_at: at
          })
          yield* audit.record(org, actorOf(principal), {
            action: "conversation.created",
            subject: { type: "conversation", id },
            agent_id: agent
          })
          return toConversation(yield* found(principal, agent, id))
        },
        db.transaction
      )

      const addMessage = Effect.fn("Conversations.addMessage")(
        function*(principal: Principal, agent: AgentId, id: string, { content, metadata, role }: AddMessageInput) {
          const org = principal.org_id
          const at = yield* lock(principal)
          const conversation = yield* found(principal, agent, id, "agents:write")
          if (conversation.message_count >= messagesMax) {
            return yield* Effect.fail(
              conflict("limit_reached", `A conversation can have ${messagesMax} messages; create another one.`, {
                max: messagesMax
              })
            )
          }
          const message: MessageRow = {
            id: newId("msg"),
            role,
            content,
            metadata: jsonText(metadata),
            created_at: at
          }
          yield* repository.addMessage(org, id, message)
          yield* audit.record(org, actorOf(principal), {
            action: "conversation.message_added",
            subject: { type: "conversation", id },
            agent_id: agent,
            data: { message_id: message.id, role }
          })
          return toMessage(message)
        },
        db.transaction
      )

      return Conversations.of({
        create,
        addMessage,
        list: Effect.fn("Conversations.list")(function*(principal, agent, query) {
          const [before] = (yield* decodeCursor(query.cursor, [idPattern("cnv")])) ?? []
          const as_of = yield* audit.asOf(principal.org_id)
          yield* ownAgent(principal, agent)
          const limit = query.limit ?? pageLimitDefault
          const rows = yield* repository.list(principal.org_id, agent, { before, limit })
          const { data, next_cursor } = toPage(rows, query.limit, ({ id }) => [id])
          return { data: data.map(toConversation), next_cursor, as_of }
        }),
        get: Effect.fn("Conversations.get")(function*(principal, agent, id, query) {
          const [before] = (yield* decodeCursor(query.cursor, [idPattern("msg")])) ?? []
          const conversation = yield* found(principal, agent, id)
          const limit = query.limit ?? pageLimitDefault
          const rows = yield* repository.messages(principal.org_id, id, { before, limit })
          const { data, next_cursor } = toPage(rows, query.limit, (message) => [message.id])
          return { ...toConversation(conversation), messages: { data: data.map(toMessage), next_cursor } }
        })
      })
    })
  )
}

const jsonText = (value: unknown): string | null => value === undefined ? null : JSON.stringify(value)

const toConversation = (row: ConversationRow): Conversation => ({
  id: row.id,
  agent_id: row.agent_id,
  title: row.title,
  ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) }),
  message_count: row.message_count,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

const toMessage = (row: MessageRow): ConversationMessage => ({
  id: row.id,
  role: row.role,
  content: row.content,
  ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) }),
  created_at: row.created_at.toISOString()
})

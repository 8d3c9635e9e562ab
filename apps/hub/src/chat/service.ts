/** Sessions of chat. Spec: reference/chat.md "Sessions". */
import type { Mode, Permission, Principal, UserPrincipal } from "@countersign/domain/auth"
import type {
  ChatSession,
  ChatSessionWithMessages,
  CreateChatSessionInput,
  UpdateChatSessionInput
} from "@countersign/domain/chat"
import { type ApiError, invalidField, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer, Option } from "effect"
import { BindingsRepository } from "../agents/bindings-repository.ts"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { needsOnAgent } from "../auth/own.ts"
import { callerLock } from "../members/caller-lock.ts"
import { modelTarget } from "../model-calls/target.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { maySeeSession, seenBy } from "./access.ts"
import { ChatEngine } from "./engine.ts"
import { ChatModels } from "./model-choice.ts"
import { type SessionRow, toMessage, toSession } from "./records.ts"
import { ChatSessionsRepository } from "./sessions-repository.ts"
import { ChatTurnsRepository } from "./turns-repository.ts"

const chatAgentName = "Chat"

export class ChatSessions extends Context.Service<ChatSessions, {
  /** 404 for a session that the caller may not see; with `permission`, 403 unless they may act on it. */
  readonly found: (principal: Principal, id: string, permission?: Permission) => Effect.Effect<SessionRow, ApiError>
  readonly list: (
    principal: Principal,
    query: PageQuery & { readonly agent_id?: AgentId }
  ) => Effect.Effect<PageOf<ChatSession>, ApiError>
  readonly create: (principal: Principal, input: CreateChatSessionInput) => Effect.Effect<ChatSession, ApiError>
  readonly get: (
    principal: Principal,
    id: string,
    query: PageQuery
  ) => Effect.Effect<ChatSessionWithMessages, ApiError>
  readonly update: (
    principal: Principal,
    id: string,
    input: UpdateChatSessionInput
  ) => Effect.Effect<ChatSession, ApiError>
  /** Also cancels its open turn. */
  readonly close: (principal: Principal, id: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/chat/ChatSessions") {
  static readonly layer = Layer.effect(
    ChatSessions,
    Effect.gen(function*() {
      const repository = yield* ChatSessionsRepository
      const turns = yield* ChatTurnsRepository
      const agents = yield* AgentsRepository
      const bindings = yield* BindingsRepository
      const engine = yield* ChatEngine
      const models = yield* ChatModels
      const ownAgent = ownAgentIn(agents)
      const lock = yield* callerLock
      const signals = yield* Signals
      const audit = yield* AuditLog
      const db = yield* Db

      const found = Effect.fnUntraced(function*(
        principal: Principal,
        id: string,
        permission?: Permission
      ): Effect.fn.Return<SessionRow, ApiError> {
        const row = Option.filter(
          yield* repository.find(principal.org_id, id),
          (session) => maySeeSession(principal, session)
        )
        if (Option.isNone(row)) return yield* Effect.fail(notFound("session"))
        if (permission !== undefined && principal.kind === "user" && row.value.user_id !== principal.user_id) {
          yield* needsOnAgent(principal, permission, row.value)
        }
        return row.value
      })

      /** An agent for one chat, bound to model calls alone. */
      const createAgent = Effect.fnUntraced(function*(user: UserPrincipal) {
        const org = user.org_id
        const id = newId("agt") as AgentId
        const { operation, service } = modelTarget
        yield* agents.insert(org, {
          id,
          name: chatAgentName,
          kind: "chat",
          description: "",
          icon: null,
          category: null,
          personality: null,
          voice_config: null,
          owner_user_id: user.user_id
        }, null)
        yield* bindings.put(org, id, newId("bnd"), { service, operations: [operation], enabled: true })
        yield* audit.record(org, actorOf(user), {
          action: "agent.created",
          subject: { type: "agent", id },
          agent_id: id,
          data: { name: chatAgentName, kind: "chat" }
        })
        yield* db.afterCommit(Effect.sync(() => signals.config(org)))
        return id
      })

      /** The agent of a new session, and its mode. */
      const agentFor = Effect.fnUntraced(function*(
        principal: Principal,
        { agent_id, mode }: CreateChatSessionInput
      ): Effect.fn.Return<{ readonly agent: AgentId; readonly mode: Mode }, ApiError> {
        if (principal.kind === "agent") {
          if (agent_id !== undefined && agent_id !== principal.agent_id) return yield* Effect.fail(notFound("agent"))
          if (mode !== undefined && mode !== principal.mode) {
            return yield* Effect.fail(invalidField("mode", `the agent key is of the mode ${principal.mode}`))
          }
          return { agent: principal.agent_id, mode: principal.mode }
        }
        if (agent_id !== undefined) yield* ownAgent(principal, agent_id, "chat:write")
        return { agent: agent_id ?? (yield* createAgent(principal)), mode: mode ?? "live" }
      })

      const create = Effect.fn("ChatSessions.create")(
        function*(principal: Principal, input: CreateChatSessionInput) {
          const org = principal.org_id
          const at = yield* lock(principal)
          const { agent, mode } = yield* agentFor(principal, input)
          const model = input.model ?? models.standard()
          if (input.model !== undefined) yield* models.check(model, mode)
          const id = newId("cht")
          yield* repository.insert(org, {
            id,
            agent,
            user: principal.kind === "user" ? principal.user_id : null,
            title: input.title ?? "",
            model,
            mode,
            at
          })
          yield* audit.record(org, actorOf(principal), {
            action: "chat_session.created",
            subject: { type: "chat_session", id },
            agent_id: agent,
            data: { mode, model }
          })
          return toSession(yield* found(principal, id))
        },
        db.transaction
      )

      const update = Effect.fn("ChatSessions.update")(
        function*(principal: Principal, id: string, input: UpdateChatSessionInput) {
          const org = principal.org_id
          const at = yield* lock(principal)
          const session = yield* found(principal, id, "chat:write")
          if (input.model !== undefined) yield* models.check(input.model, session.mode)
          yield* repository.update(org, id, input, at)
          yield* audit.record(org, actorOf(principal), {
            action: "chat_session.updated",
            subject: { type: "chat_session", id },
            agent_id: session.agent_id,
            data: { fields: Object.keys(input) }
          })
          return toSession(yield* found(principal, id))
        },
        db.transaction
      )

      const close = Effect.fn("ChatSessions.close")(
        function*(principal: Principal, id: string) {
          const org = principal.org_id
          const at = yield* lock(principal)
          const session = yield* found(principal, id, "chat:write")
          if (session.status === "closed") return
          yield* repository.lock(org, id)
          yield* repository.close(org, id, at)
          yield* audit.record(org, actorOf(principal), {
            action: "chat_session.closed",
            subject: { type: "chat_session", id },
            agent_id: session.agent_id
          })
          const open = yield* turns.openOf(org, id)
          if (Option.isNone(open)) return
          yield* engine.cancel(org, open.value)
        },
        db.transaction
      )

      return ChatSessions.of({
        found,
        create,
        update,
        close,
        list: Effect.fn("ChatSessions.list")(function*(principal, { agent_id, cursor, limit }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("cht")])) ?? []
          const as_of = yield* audit.asOf(principal.org_id)
          const { only, ...seen } = seenBy(principal)
          const isOther = only !== undefined && agent_id !== undefined && agent_id !== only
          const rows = isOther ? [] : yield* repository.list(principal.org_id, {
            ...seen,
            agent: agent_id ?? only,
            before,
            limit: limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toPage(rows, limit, ({ id }) => [id])
          return { data: data.map(toSession), next_cursor, as_of }
        }),
        get: Effect.fn("ChatSessions.get")(function*(principal, id, { cursor, limit }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("msg")])) ?? []
          const session = yield* found(principal, id)
          const rows = yield* repository.messages(principal.org_id, id, { before, limit: limit ?? pageLimitDefault })
          const { data, next_cursor } = toPage(rows, limit, (message) => [message.id])
          return { ...toSession(session), messages: { data: data.map(toMessage), next_cursor } }
        })
      })
    })
  )
}

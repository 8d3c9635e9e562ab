/**
 * Begins turns. A turn that this hub drives begins by one statement, with its first model call. The rows that decide
 * it are read before, and compared under the workspace's lock. A turn in the queue, and one whose session changes meanwhile,
 * begins step by step in a transaction. Spec: reference/chat.md "Turns".
 */
import type { Principal } from "@countersign/domain/auth"
import type { TurnInput, TurnState } from "@countersign/domain/chat"
import type { MessagePart } from "@countersign/domain/chat-events"
import { type ApiError, conflict, invalidField } from "@countersign/domain/errors"
import { type ChatTurnId, type MessageId, newId, type OrgId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { callerLock } from "../members/caller-lock.ts"
import { OutputLimits } from "../model-calls/output-limit.ts"
import { actorOf, AuditLog, type Entry, entryRow } from "../platform/audit-log.ts"
import { Db, isConflict } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { modelEvent, TurnActor } from "./actor.ts"
import { ChatAttachments } from "./attachments.ts"
import { ChatEngine } from "./engine.ts"
import { ChatModels } from "./model-choice.ts"
import { ChatModelSteps } from "./model-steps.ts"
import { RecentChatEvents } from "./recent-events.ts"
import { type DrivenTurn, eventRow, type MessageRow, type SessionRow, toStepRow } from "./records.ts"
import { titleOf } from "./rules.ts"
import { ChatSessions } from "./service.ts"
import { ChatSessionsRepository } from "./sessions-repository.ts"
import { ChatTurnsRepository, type NewTurn } from "./turns-repository.ts"

/** A stream to read: of this turn, after this position. */
export interface Attached {
  readonly turn: string
  readonly org: OrgId
  readonly replayed: boolean
  /** Begun by this call. */
  readonly isNew: boolean
}

export interface TurnKey {
  readonly scope: string
  readonly key: string
}

interface Call {
  readonly principal: Principal
  readonly input: TurnInput
  /** With the hash of the input. */
  readonly key: TurnKey & { readonly hash: Buffer } | undefined
}

/** What a turn answers: a new message, or an older one of a person. */
interface Asked {
  readonly id: MessageId
  readonly message?: { readonly parts: string; readonly parent: MessageId | null; readonly title?: string }
}

const startedEntry = (session: SessionRow, turn: NewTurn): Entry => ({
  action: "chat_turn.started",
  subject: { type: "chat_session", id: session.id },
  agent_id: session.agent_id,
  data: { turn_id: turn.id, model: turn.model }
})

const inProgress = (turn: { readonly id: string; readonly state: TurnState }) =>
  conflict(
    "turn_in_progress",
    "The session has an open turn. Follow it with continue_from, or cancel it first.",
    { turn_id: turn.id, state: turn.state }
  )

/** `before`: the message before the new one, or the one to answer again. */
const askedOf = (
  session: SessionRow,
  { message, parent_id }: TurnInput,
  attached: ReadonlyArray<MessagePart>,
  before: MessageRow | undefined
): Effect.Effect<Asked, ApiError> => {
  const parent = parent_id === undefined ? session.head_id : parent_id
  if (parent !== null && before === undefined) {
    return Effect.fail(invalidField("parent_id", "no such message in this session"))
  }
  if (message === undefined && attached.length === 0) {
    return before?.role === "user" && parent_id !== undefined
      ? Effect.succeed({ id: before.id })
      : Effect.fail(invalidField("message", "send a message, or the parent_id of one to answer again"))
  }
  return Effect.succeed({
    id: newId("msg") as MessageId,
    message: {
      parts: JSON.stringify([...message === undefined ? [] : [{ type: "text", text: message }], ...attached]),
      parent: before?.id ?? null,
      ...session.title === "" && message !== undefined ? { title: titleOf(message) } : {}
    }
  })
}

export class ChatTurnStarts extends Context.Service<ChatTurnStarts, {
  /** Begins a turn, or returns the one that the same key began. */
  readonly start: (
    principal: Principal,
    input: TurnInput,
    key: TurnKey | undefined
  ) => Effect.Effect<Attached, ApiError>
}>()("@countersign/hub/chat/ChatTurnStarts") {
  static readonly layer = Layer.effect(
    ChatTurnStarts,
    Effect.gen(function*() {
      const sessions = yield* ChatSessions
      const messages = yield* ChatSessionsRepository
      const repository = yield* ChatTurnsRepository
      const attachments = yield* ChatAttachments
      const engine = yield* ChatEngine
      const limits = yield* OutputLimits
      const models = yield* ChatModels
      const steps = yield* ChatModelSteps
      const recent = yield* RecentChatEvents
      const lock = yield* callerLock
      const signals = yield* Signals
      const audit = yield* AuditLog
      const db = yield* Db

      /** The model of a turn that the session can have now. */
      const checked = Effect.fnUntraced(function*(
        session: SessionRow,
        input: TurnInput
      ): Effect.fn.Return<string, ApiError> {
        if (session.status === "closed") {
          return yield* Effect.fail(conflict("session_closed", "The session is closed. Create another one."))
        }
        if (session.turn_id !== null && session.turn_state !== null) {
          return yield* Effect.fail(inProgress({ id: session.turn_id, state: session.turn_state }))
        }
        const names = (input.local_tools ?? []).map(({ name }) => name)
        if (new Set(names).size < names.length) {
          return yield* Effect.fail(invalidField("local_tools", "two tools have the same name"))
        }
        const model = input.model ?? session.model
        yield* models.check(model, session.mode)
        return model
      })

      /** A call's new turn of this session, and the message that it answers. */
      const prepared = Effect.fnUntraced(function*(
        { input, key, principal }: Call,
        session: SessionRow,
        before: MessageRow | undefined
      ): Effect.fn.Return<{ readonly asked: Asked; readonly turn: NewTurn }, ApiError> {
        const model = yield* checked(session, input)
        const attached = yield* attachments.parts(principal, input.attachments ?? [])
        const asked = yield* askedOf(session, input, attached, before)
        const turn: NewTurn = {
          id: newId("trn"),
          session: session.id,
          agent: session.agent_id,
          user: principal.kind === "user" ? principal.user_id : null,
          mode: session.mode,
          model,
          userMessage: asked.id,
          message: newId("msg"),
          background: input.background ?? false,
          forceApproval: input.force_approval ?? false,
          localTools: JSON.stringify(input.local_tools ?? []),
          key
        }
        return { asked, turn }
      })

      const inSteps = Effect.fnUntraced(
        function*(call: Call): Effect.fn.Return<Attached, ApiError> {
          const { input, key, principal } = call
          const org = principal.org_id
          const at = yield* lock(principal)
          // Statements that need nothing of each other share a round trip.
          const [, session] = yield* Effect.all(
            [messages.lock(org, input.session_id), sessions.found(principal, input.session_id, "chat:write")],
            { concurrency: 2 }
          )
          if (key !== undefined) {
            const earlier = Option.getOrUndefined(yield* repository.byKey(org, key.scope, key.key))
            if (earlier !== undefined) {
              return earlier.key_hash !== null && key.hash.equals(earlier.key_hash)
                ? { turn: earlier.id, org, replayed: true, isNew: false }
                : yield* Effect.fail(conflict(
                  "idempotency_conflict",
                  "This idempotency key was used with another payload. Use a new key for a new request."
                ))
            }
          }
          const parent = input.parent_id === undefined ? session.head_id : input.parent_id
          const before = parent === null
            ? undefined
            : Option.getOrUndefined(yield* messages.message(org, session.id, parent))
          const { asked, turn } = yield* prepared(call, session, before)
          const owner = engine.ownerOfNew()
          const { message } = asked
          const stored = message === undefined ? Effect.void : messages.addMessage(org, {
            ...message,
            id: asked.id,
            session: session.id,
            role: "user",
            turn: turn.id,
            created_at: at
          })
          yield* Effect.all([
            stored,
            repository.insert(org, turn, owner, at),
            audit.record(org, actorOf(principal), startedEntry(session, turn))
          ], { concurrency: "unbounded", discard: true })
          yield* db.afterCommit(Effect.sync(() =>
            owner === 0
              ? engine.nudge()
              : engine.adopt({ id: turn.id, org_id: org, attempt: 1, user_message_id: asked.id })
          ))
          return { turn: turn.id, org, replayed: false, isNew: true }
        },
        db.transaction
      )

      /** By one statement; undefined when the turn is to begin step by step. */
      const atOnce = Effect.fnUntraced(function*(call: Call): Effect.fn.Return<Attached | undefined, ApiError> {
        const { input, key, principal } = call
        const org = principal.org_id
        const owner = engine.ownerOfNew()
        if (owner === 0) return undefined
        const agent = principal.kind === "agent" ? { org, agent: principal.agent_id, mode: principal.mode } : undefined
        const [session, earlier, before, left] = yield* Effect.all([
          sessions.found(principal, input.session_id, "chat:write"),
          key === undefined ? Effect.succeedNone : repository.byKey(org, key.scope, key.key),
          input.parent_id === null
            ? Effect.succeed([])
            : messages.pathIn(org, input.session_id, input.parent_id),
          agent === undefined ? Effect.undefined : limits.left(agent)
        ], { concurrency: "unbounded" })
        const isChanging = input.parent_id === undefined && (before.at(-1)?.id ?? null) !== session.head_id
        if (Option.isSome(earlier) || session.status === "closed" || session.turn_id !== null || isChanging) {
          return undefined
        }
        const { asked, turn } = yield* prepared(call, session, before.at(-1))
        const row: DrivenTurn = {
          org_id: org,
          id: turn.id as ChatTurnId,
          session_id: session.id,
          agent_id: session.agent_id,
          agent_name: session.agent_name,
          personality: session.personality,
          user_id: turn.user,
          mode: turn.mode,
          model: turn.model,
          user_message_id: asked.id,
          message_id: turn.message as MessageId,
          background: turn.background,
          force_approval: turn.forceApproval,
          local_tools: turn.localTools,
          cancel_requested: false,
          last_seq: 0
        }
        const { message } = asked
        const path: ReadonlyArray<MessageRow> = message === undefined ? before : [...before, {
          id: asked.id,
          role: "user",
          parts: message.parts,
          parent_id: message.parent,
          turn_id: row.id,
          created_at: new Date()
        }]
        const actor = new TurnActor(row, { turn: turn.id, owner, attempt: 1 }, [], path)
        const history = yield* steps.history(actor)
        if (history.isTooLong === true) return undefined
        const { events, step } = yield* steps.plan(actor, history, left)
        const first = [modelEvent(row), ...events].map((event) => eventRow(turn.id, actor.nextSeq(), event))
        actor.put(step)
        const begun = repository.begin(org, {
          turn,
          owner,
          member: principal.kind === "user" ? principal.user_id : null,
          session,
          message,
          step: toStepRow(turn.id, step),
          events: first,
          entry: entryRow(actorOf(principal), startedEntry(session, turn))
        }).pipe(
          // Nothing of a conflicting statement was stored.
          Effect.catchDefect((error) => isConflict(error) ? Effect.succeed(false) : Effect.die(error)),
          Effect.tap((isBegun) =>
            Effect.sync(() => {
              if (!isBegun) return
              recent.add(turn.id, first)
              signals.log(org)
              engine.adopt({ id: turn.id, org_id: org, attempt: 1 }, { actor, history })
            })
          ),
          // A caller that hangs up does not stop the turn.
          Effect.uninterruptible
        )
        return (yield* begun) ? { turn: turn.id, org, replayed: false, isNew: true } : undefined
      })

      return ChatTurnStarts.of({
        start: Effect.fn("ChatTurnStarts.start")(function*(principal, input, sent) {
          const key = sent === undefined
            ? undefined
            : { ...sent, hash: createHash("sha256").update(canonicalize(input)).digest() }
          const call = { principal, input, key }
          return (yield* atOnce(call)) ?? (yield* inSteps(call))
        })
      })
    })
  )
}

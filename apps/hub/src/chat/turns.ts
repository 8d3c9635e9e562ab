/** Turns of chat for their callers: begun, continued, canceled, and read. Spec: reference/chat.md "Turns". */
import type { Principal } from "@countersign/domain/auth"
import {
  type ChatTurn,
  isTurnEnded,
  localResultBytesMax,
  type TurnInput,
  type TurnState
} from "@countersign/domain/chat"
import type { MessagePart } from "@countersign/domain/chat-events"
import type { LocalStep } from "@countersign/domain/chat-state"
import {
  type ApiError,
  conflict,
  invalidField,
  invalidRequest,
  notFound,
  payloadTooLarge
} from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { callerLock } from "../members/caller-lock.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"
import { ChatAttachments } from "./attachments.ts"
import { localPendingEvent } from "./driver.ts"
import { ChatEngine } from "./engine.ts"
import { ChatModels } from "./model-choice.ts"
import { kept, localOutcome } from "./outcomes.ts"
import { type EventRow, type SessionRow, toStep, toStepRow, toTurn, type TurnRow } from "./records.ts"
import { titleOf } from "./rules.ts"
import { ChatSessions } from "./service.ts"
import { ChatSessionsRepository } from "./sessions-repository.ts"
import { doneEvent, endedStep, sourceOf } from "./tool-calls.ts"
import { ChatTurnsRepository } from "./turns-repository.ts"

/** How long a cancellation waits for the turn to end. */
const cancelMillisMax = 10_000

/** A stream to read: of this turn, after this position. */
export interface Attached {
  readonly turn: string
  readonly org: string
  readonly replayed: boolean
  /** Begun by this call. */
  readonly isNew: boolean
}

export class ChatTurns extends Context.Service<ChatTurns, {
  /** Begins a turn, or returns the one that the same key began. */
  readonly start: (
    principal: Principal,
    input: TurnInput,
    key: { readonly scope: string; readonly key: string } | undefined
  ) => Effect.Effect<Attached, ApiError>
  /** Continues a waiting or paused turn, and takes the results of its local tools. */
  readonly resume: (principal: Principal, turn: string, input: TurnInput) => Effect.Effect<Attached, ApiError>
  readonly get: (principal: Principal, id: string) => Effect.Effect<ChatTurn, ApiError>
  /** Waits for its end for some seconds. */
  readonly cancel: (principal: Principal, id: string) => Effect.Effect<ChatTurn, ApiError>
}>()("@countersign/hub/chat/ChatTurns") {
  static readonly layer = Layer.effect(
    ChatTurns,
    Effect.gen(function*() {
      const sessions = yield* ChatSessions
      const messages = yield* ChatSessionsRepository
      const repository = yield* ChatTurnsRepository
      const attachments = yield* ChatAttachments
      const engine = yield* ChatEngine
      const models = yield* ChatModels
      const lock = yield* callerLock
      const signals = yield* Signals
      const audit = yield* AuditLog
      const db = yield* Db

      const found = Effect.fnUntraced(function*(
        principal: Principal,
        id: string,
        permission?: "chat:write"
      ): Effect.fn.Return<TurnRow, ApiError> {
        const row = Option.getOrUndefined(yield* repository.find(principal.org_id, id))
        if (row === undefined) return yield* Effect.fail(notFound("turn"))
        yield* Effect.mapError(
          sessions.found(principal, row.session_id, permission),
          (error) => error._tag === "NotFound" ? notFound("turn") : error
        )
        return row
      })

      const inProgress = (turn: { readonly id: string; readonly state: TurnState }) =>
        conflict(
          "turn_in_progress",
          "The session has an open turn. Follow it with continue_from, or cancel it first.",
          { turn_id: turn.id, state: turn.state }
        )

      /** The message that a new turn answers, and the statement that stores it if it is new. */
      const askedMessage = Effect.fnUntraced(function*(
        session: SessionRow,
        { message, parent_id }: TurnInput,
        attached: ReadonlyArray<MessagePart>,
        turn: string,
        at: Date
      ): Effect.fn.Return<{ readonly id: string; readonly stored: Effect.Effect<void> }, ApiError> {
        const org = session.org_id
        const parent = parent_id === undefined ? session.head_id : parent_id
        const before = parent === null ? undefined : Option.getOrUndefined(
          yield* messages.message(org, session.id, parent)
        )
        if (parent !== null && before === undefined) {
          return yield* Effect.fail(invalidField("parent_id", "no such message in this session"))
        }
        if (message === undefined && attached.length === 0) {
          return before?.role === "user" && parent_id !== undefined
            ? { id: before.id, stored: Effect.void }
            : yield* Effect.fail(invalidField("message", "send a message, or the parent_id of one to answer again"))
        }
        const id = newId("msg")
        const stored = messages.addMessage(org, {
          id,
          session: session.id,
          parent,
          role: "user",
          parts: JSON.stringify([...message === undefined ? [] : [{ type: "text", text: message }], ...attached]),
          turn,
          ...session.title === "" && message !== undefined ? { title: titleOf(message) } : {},
          created_at: at
        })
        return { id, stored }
      })

      const start = Effect.fn("ChatTurns.start")(
        function*(
          principal: Principal,
          input: TurnInput,
          key: { readonly scope: string; readonly key: string } | undefined
        ): Effect.fn.Return<Attached, ApiError> {
          const org = principal.org_id
          const hash = createHash("sha256").update(canonicalize(input)).digest()
          const at = yield* lock(principal)
          // Statements that need nothing of each other share a round trip.
          const [, session] = yield* Effect.all(
            [messages.lock(org, input.session_id), sessions.found(principal, input.session_id, "chat:write")],
            { concurrency: 2 }
          )
          if (key !== undefined) {
            const earlier = Option.getOrUndefined(yield* repository.byKey(org, key.scope, key.key))
            if (earlier !== undefined) {
              return earlier.key_hash !== null && hash.equals(earlier.key_hash)
                ? { turn: earlier.id, org, replayed: true, isNew: false }
                : yield* Effect.fail(conflict(
                  "idempotency_conflict",
                  "This idempotency key was used with another payload. Use a new key for a new request."
                ))
            }
          }
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
          const turn = newId("trn")
          const attached = yield* attachments.parts(principal, input.attachments ?? [])
          const asked = yield* askedMessage(session, input, attached, turn, at)
          const owner = engine.ownerOfNew()
          const begun = repository.insert(org, {
            id: turn,
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
            key: key === undefined ? undefined : { ...key, hash },
            at
          }, owner)
          const recorded = audit.record(org, actorOf(principal), {
            action: "chat_turn.started",
            subject: { type: "chat_session", id: session.id },
            agent_id: session.agent_id,
            data: { turn_id: turn, model }
          })
          yield* Effect.all([asked.stored, begun, recorded], { concurrency: "unbounded", discard: true })
          yield* db.afterCommit(Effect.sync(() =>
            owner === 0
              ? engine.nudge()
              : engine.adopt({ id: turn, org_id: org, attempt: 1, user_message_id: asked.id })
          ))
          return { turn, org, replayed: false, isNew: true }
        },
        db.transaction
      )

      /** Stores results of local tools; returns the steps that are still to be answered. */
      const takeResults = Effect.fnUntraced(function*(
        row: TurnRow,
        steps: ReadonlyArray<LocalStep>,
        results: NonNullable<TurnInput["tool_results"]>
      ): Effect.fn.Return<ReadonlyArray<LocalStep>, ApiError> {
        const events: Array<EventRow> = []
        const ended = new Map<string, LocalStep>()
        let seq = row.last_seq
        for (const [index, result] of results.entries()) {
          const path = `tool_results.${index}.call_id`
          const step = ended.get(result.call_id) ?? steps.find(({ call_id }) => call_id === result.call_id)
          if (step === undefined) {
            return yield* Effect.fail(invalidField(path, "no such call of a local tool in this turn"))
          }
          const outcome = localOutcome(step.name, result)
          if (Buffer.byteLength(outcome.text) > localResultBytesMax) {
            return yield* Effect.fail(
              payloadTooLarge(`The result of a local tool has at most ${localResultBytesMax} bytes of JSON.`)
            )
          }
          if (step.outcome !== undefined) {
            if (step.outcome.digest === outcome.digest) continue
            return yield* Effect.fail(
              conflict("conflict", `The call ${result.call_id} already has another result.`, {
                call_id: result.call_id
              })
            )
          }
          if (row.state !== "waiting_local") {
            return yield* Effect.fail(
              conflict("conflict", `The turn is ${row.state}: it takes no results of local tools.`)
            )
          }
          const { blobs, outcome: short } = kept(outcome, sourceOf(step), row)
          for (const blob of blobs) yield* repository.addBlob(row.org_id, blob)
          ended.set(step.call_id, endedStep(step, short))
          const { data, event } = doneEvent(step, short)
          seq++
          events.push({
            turn_id: row.id,
            seq,
            event,
            data: JSON.stringify({ turn_id: row.id, seq, ...data })
          })
        }
        if (ended.size === 0) return steps.filter(({ state }) => state !== "done")
        const rest = steps.filter(({ call_id, state }) => state !== "done" && !ended.has(call_id))
        for (const next of rest.length === 0 ? [] : [localPendingEvent(rest), pendingLocal]) {
          seq++
          events.push({
            turn_id: row.id,
            seq,
            event: next.event,
            data: JSON.stringify({ turn_id: row.id, seq, ...next.data })
          })
        }
        yield* repository.putSteps(row.org_id, [...ended.values()].map((step) => toStepRow(row.id, step)))
        yield* repository.addEvents(row.org_id, events)
        return rest
      })

      const resume = Effect.fn("ChatTurns.resume")(
        function*(principal: Principal, id: string, input: TurnInput): Effect.fn.Return<Attached, ApiError> {
          const org = principal.org_id
          if (input.message !== undefined || input.parent_id !== undefined || input.attachments !== undefined) {
            return yield* Effect.fail(invalidRequest("Send either a message or continue_from.", [
              { path: "continue_from", message: "it takes no message, attachments, or parent_id" }
            ]))
          }
          const at = yield* lock(principal)
          const seen = yield* found(principal, id, "chat:write")
          if (seen.session_id !== input.session_id) return yield* Effect.fail(notFound("turn"))
          const row = Option.getOrElse(yield* repository.lock(org, id), () => seen)
          const attached: Attached = { turn: id, org, replayed: false, isNew: false }
          const local = input.tool_results === undefined
            ? undefined
            : yield* takeResults(
              row,
              (yield* repository.steps(org, [id])).map(toStep).filter((step): step is LocalStep =>
                step.kind === "local"
              ),
              input.tool_results
            )
          yield* db.afterCommit(Effect.sync(() => signals.object(id)))
          const wakes = row.state === "paused" ||
            (row.state === "waiting_local" && local !== undefined && local.length === 0) ||
            (row.state === "waiting_approval" && (yield* repository.isDecided(org, id)))
          if (!wakes) return attached
          yield* repository.resume(org, id, {
            at,
            ...input.background === undefined ? {} : { background: input.background },
            ...input.local_tools === undefined ? {} : { localTools: JSON.stringify(input.local_tools) }
          })
          yield* audit.record(org, actorOf(principal), {
            action: "chat_turn.resumed",
            subject: { type: "chat_session", id: row.session_id },
            agent_id: row.agent_id,
            data: { turn_id: id }
          })
          yield* db.afterCommit(Effect.sync(() => engine.nudge()))
          return attached
        },
        db.transaction
      )

      const get = Effect.fnUntraced(function*(principal: Principal, id: string) {
        const row = yield* found(principal, id)
        return toTurn(row, (yield* repository.steps(principal.org_id, [id])).map(toStep))
      })

      const requestCancel = Effect.fnUntraced(function*(principal: Principal, id: string) {
        const row = yield* found(principal, id, "chat:write")
        if (!isTurnEnded(row.state)) yield* engine.cancel(principal.org_id, id)
      }, db.transaction)

      return ChatTurns.of({
        start,
        resume,
        get,
        cancel: Effect.fn("ChatTurns.cancel")(function*(principal, id) {
          yield* requestCancel(principal, id)
          return yield* awaitSignal(
            signals,
            id,
            cancelMillisMax,
            get(principal, id),
            ({ state }) => isTurnEnded(state)
          )
        })
      })
    })
  )
}

const pendingLocal = { event: "done", data: { reason: "pending_local_tools" } } as const

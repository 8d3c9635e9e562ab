/** Turns of chat for their callers: continued, canceled, and read. Spec: reference/chat.md "Turns". */
import type { Principal } from "@countersign/domain/auth"
import { type ChatTurn, isTurnEnded, localResultBytesMax, type TurnInput } from "@countersign/domain/chat"
import type { LocalStep } from "@countersign/domain/chat-state"
import {
  type ApiError,
  conflict,
  invalidField,
  invalidRequest,
  notFound,
  payloadTooLarge
} from "@countersign/domain/errors"
import { Context, Effect, Layer, Option } from "effect"
import { callerLock } from "../members/caller-lock.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"
import { localPendingEvent } from "./driver.ts"
import { ChatEngine } from "./engine.ts"
import { kept, localOutcome } from "./outcomes.ts"
import { type EventRow, toStep, toStepRow, toTurn, type TurnRow } from "./records.ts"
import { ChatSessions } from "./service.ts"
import type { Attached } from "./starts.ts"
import { doneEvent, endedStep, sourceOf } from "./tool-calls.ts"
import { ChatTurnsRepository } from "./turns-repository.ts"

/** How long a cancellation waits for the turn to end. */
const cancelMillisMax = 10_000

export class ChatTurns extends Context.Service<ChatTurns, {
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
      const repository = yield* ChatTurnsRepository
      const engine = yield* ChatEngine
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

/** Drives one turn from safe point to safe point, until it waits, pauses, or ends. Spec: reference/chat.md "Turns". */
import {
  localToolsHours,
  parallelCallsMax,
  type PauseReason,
  readerSecondsMax,
  textPartBytesMax,
  turnMinutesMax
} from "@countersign/domain/chat"
import { type EndReason, type MessagePart, type NewChatEvent, type TurnError } from "@countersign/domain/chat-events"
import {
  type CallStep,
  type ChatStep,
  interruptions,
  interruptionsMax,
  isCallStep,
  isModelStep,
  type LocalStep,
  type ModelStep,
  type NextAction,
  nextAction,
  type ToolStep
} from "@countersign/domain/chat-state"
import { type ArtifactId, newId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { Approvals } from "../approvals/service.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { Signals } from "../platform/signals.ts"
import { ChatSaves, type TurnActor } from "./actor.ts"
import { ChatModelSteps, type History, type ModelEnd } from "./model-steps.ts"
import { cancelledOutcome, localTimeout, toolOutcomeOf } from "./outcomes.ts"
import { ChatReaders } from "./readers.ts"
import { partsOf } from "./records.ts"
import { ChatToolCalls, doneEvent, endedStep, isOpenTool, sourceOf } from "./tool-calls.ts"
import { ChatTurnsRepository, type NewBlob } from "./turns-repository.ts"

/** How often a driven turn is read between safe points, and how long a canceled call may take to end. */
const cancelMillisMax = 10_000

type Parted = "continues" | "parted"

const done = (reason: EndReason): NewChatEvent => ({ event: "done", data: { reason } })

const tooLong: TurnError = {
  code: "context_length_exceeded",
  message:
    "The conversation is longer than the model can read. Choose a model with a larger window, or begin another " +
    "chat.",
  retryable: false
}

/** The calls of the last answer that the caller is to run. */
export const localPendingEvent = (steps: ReadonlyArray<LocalStep>): NewChatEvent => ({
  event: "local_tools_pending",
  data: { calls: steps.map(({ call_id, input, name }) => ({ call_id, name, input })) }
})

export class ChatDriver extends Context.Service<ChatDriver, {
  /**
   * Ends once the turn waits, pauses, has ended, or belongs to another hub. Dies when the database is unavailable.
   * `first`: the prompt of its only step, which is stored and was never sent.
   */
  readonly drive: (actor: TurnActor, first?: History) => Effect.Effect<void>
}>()("@countersign/hub/chat/ChatDriver") {
  static readonly layer = Layer.effect(
    ChatDriver,
    Effect.gen(function*() {
      const approvals = yield* Approvals
      const calls = yield* ChatToolCalls
      const dispatch = yield* Dispatch
      const models = yield* ChatModelSteps
      const readers = yield* ChatReaders
      const saves = yield* ChatSaves
      const signals = yield* Signals
      const turns = yield* ChatTurnsRepository

      const lastModelStep = ({ steps }: TurnActor): ModelStep | undefined => steps.filter(isModelStep).at(-1)

      /** The answer with everything that the turn did, in its final form. */
      const answerParts = Effect.fnUntraced(function*({ row, steps }: TurnActor) {
        const shown = yield* calls.shown(row)
        const blobs: Array<NewBlob> = []
        const keep = (text: string): MessagePart => {
          const body = Buffer.from(text)
          if (body.byteLength <= textPartBytesMax) return { type: "text", text }
          const id = newId("art")
          blobs.push({
            id,
            session: row.session_id,
            turn: row.id,
            name: "answer.txt",
            contentType: "text/plain; charset=utf-8",
            body
          })
          const head = new TextDecoder().decode(body.subarray(0, textPartBytesMax)).replace(/\ufffd+$/u, "")
          return { type: "text", text: head, artifact_id: id as ArtifactId }
        }
        const parts = partsOf(
          steps.map((step) =>
            step.kind === "tool" ? { ...step, payload: shown(step) as Readonly<Record<string, unknown>> } : step
          ),
          keep
        )
        return { parts, blobs }
      })

      const messageOf = Effect.fnUntraced(function*(actor: TurnActor) {
        const { row } = actor
        const { blobs, parts } = yield* answerParts(actor)
        const at = new Date()
        return {
          blobs,
          stored: { id: row.message_id, parts: JSON.stringify(parts), created_at: at },
          event: {
            event: "message",
            data: {
              message: {
                id: row.message_id,
                role: "assistant",
                parts,
                parent_id: row.user_message_id,
                turn_id: row.id,
                created_at: at.toISOString()
              }
            }
          } as NewChatEvent,
          isEmpty: parts.length === 0
        }
      })

      const finish = Effect.fnUntraced(function*(actor: TurnActor, steps: ReadonlyArray<ChatStep> = []) {
        const message = yield* messageOf(actor)
        yield* saves.save(actor, {
          steps,
          events: [message.event, done("end")],
          blobs: message.blobs,
          message: message.stored,
          change: { state: "done", ended: true, released: true },
          action: "chat_turn.ended"
        })
      })

      const fail = Effect.fnUntraced(function*(
        actor: TurnActor,
        error: TurnError,
        steps: ReadonlyArray<ChatStep> = []
      ) {
        const message = yield* messageOf(actor)
        yield* saves.save(actor, {
          steps,
          events: [...message.isEmpty ? [] : [message.event], { event: "error", data: error }],
          blobs: message.blobs,
          ...message.isEmpty ? {} : { message: message.stored },
          change: { state: "failed", error: JSON.stringify(error), ended: true, released: true },
          action: "chat_turn.failed"
        })
      })

      const pause = (
        actor: TurnActor,
        reason: PauseReason,
        event: NewChatEvent,
        error?: TurnError,
        steps: ReadonlyArray<ChatStep> = []
      ) =>
        saves.save(actor, {
          steps,
          events: [event],
          change: {
            state: "paused",
            pauseReason: reason,
            released: true,
            ...error === undefined ? {} : { error: JSON.stringify(error) }
          },
          action: "chat_turn.paused"
        })

      /** Withdraws what a person has not decided, and takes the outcome of what has one. */
      const cancelCall = Effect.fnUntraced(function*({ row }: TurnActor, step: CallStep) {
        const source = sourceOf(step)
        const { approval_id, request_id } = step
        if (step.kind === "local" || request_id === undefined) return cancelledOutcome(source, undefined)
        const actor = { type: "agent", id: row.agent_id, name: row.agent_name } as const
        if (approval_id !== undefined) yield* approvals.cancel(row.org_id, approval_id, actor)
        const found = yield* dispatch.await(row.org_id, request_id, approval_id === undefined ? cancelMillisMax : 0)
        return Option.match(found, {
          onNone: () => cancelledOutcome(source, undefined),
          onSome: (facts) => toolOutcomeOf(facts, source) ?? cancelledOutcome(source, request_id)
        })
      })

      const cancel = Effect.fnUntraced(function*(actor: TurnActor) {
        const model = lastModelStep(actor)
        if (model?.state === "pending") {
          if (model.approval_id !== undefined) {
            const by = { type: "agent", id: actor.row.agent_id, name: actor.row.agent_name } as const
            yield* approvals.cancel(actor.row.org_id, model.approval_id, by)
          }
          yield* saves.save(actor, {
            steps: [{ ...model, state: "done", outcome: { kind: "replaced", code: "cancelled" } }]
          })
        }
        for (const step of actor.steps.filter(isCallStep)) {
          if (step.state !== "done") yield* calls.end(actor, step, yield* cancelCall(actor, step))
        }
        const message = yield* messageOf(actor)
        yield* saves.save(actor, {
          events: [...message.isEmpty ? [] : [message.event], done("cancelled")],
          blobs: message.blobs,
          ...message.isEmpty ? {} : { message: message.stored },
          change: { state: "cancelled", ended: true, released: true },
          action: "chat_turn.cancelled"
        })
      })

      /** Stores the end of a model call: its answer with the calls in it, or why there is none. */
      const endModel = Effect.fnUntraced(function*(actor: TurnActor, { result, step }: ModelEnd) {
        const { row } = actor
        switch (result.kind) {
          case "answered": {
            const { answer, estimated, usage } = result
            const planned = step.kind === "compact"
              ? { steps: [], events: [] }
              : yield* calls.plan(actor, answer, step.step + 1)
            const total = yield* turns.usage(row.org_id, row.id)
            yield* saves.save(actor, {
              steps: [
                {
                  ...step,
                  state: "done",
                  outcome: { kind: "answered", answer },
                  ...step.sent === undefined || estimated
                    ? {}
                    : { sent: { ...step.sent, input_tokens: usage.inputTokens } },
                  cost_cents: usage.costCents
                },
                ...planned.steps
              ],
              events: [
                {
                  event: "usage",
                  data: {
                    input_tokens: total.input_tokens + usage.inputTokens,
                    output_tokens: total.output_tokens + usage.outputTokens,
                    cached_tokens: total.cached_tokens + usage.cachedTokens,
                    cost_cents: total.cost_cents + usage.costCents,
                    accrued_micro_cents: total.accrued_micro_cents + usage.microCents
                  }
                },
                ...planned.events
              ],
              usage
            })
            return "continues" satisfies Parted
          }
          case "pending": {
            const { approvalId } = result
            const facts = step.request_id === undefined
              ? Option.none()
              : yield* dispatch.find(row.org_id, step.request_id)
            const ceiling = Option.match(facts, { onNone: () => 0, onSome: ({ ceiling_cents }) => ceiling_cents })
            yield* saves.save(actor, {
              steps: [{ ...step, state: "pending", approval_id: approvalId }],
              events: [yield* calls.pendingEvent(row.org_id, "model", approvalId, ceiling)]
            })
            return "continues" satisfies Parted
          }
          case "interrupted": {
            const replaced: ModelStep = {
              ...step,
              state: "done",
              outcome: { kind: "replaced", code: "interrupted" }
            }
            if (interruptions([...actor.steps.slice(0, step.step), replaced]) <= interruptionsMax) {
              yield* saves.save(actor, { steps: [replaced], events: yield* models.erased(actor, step) })
              return "continues" satisfies Parted
            }
            yield* fail(actor, {
              code: "interrupted",
              message: "The hub stopped during the model's answer, several times. Send the message again.",
              retryable: true
            }, [replaced])
            return "parted" satisfies Parted
          }
          case "blocked":
          case "failed": {
            const { error } = result
            const replaced: ModelStep = { ...step, state: "done", outcome: { kind: "replaced", code: error.code } }
            if (actor.isCancelled) yield* saves.save(actor, { steps: [replaced] })
            else if (result.kind === "failed") yield* fail(actor, error, [replaced])
            else yield* pause(actor, "budget", { event: "error", data: error }, error, [replaced])
            return actor.isCancelled ? "continues" as const : "parted" as const
          }
          case "running":
            return "parted" satisfies Parted
        }
      })

      /** Pending calls that a person has decided since. */
      const settlePending = Effect.fnUntraced(function*(actor: TurnActor) {
        for (const step of actor.steps.filter(isOpenTool)) {
          if (step.state === "pending") yield* calls.settle(actor, step)
        }
        const model = lastModelStep(actor)
        if (model?.state !== "pending") return
        const found = model.request_id === undefined
          ? Option.none()
          : yield* dispatch.find(actor.row.org_id, model.request_id)
        if (Option.isNone(found) || found.value.status === "approval_required") return
        // Its prompt is stored: the request that was approved is found, and nothing is sent.
        yield* saves.save(actor, { steps: [{ ...model, state: "open" }] })
      })

      const runCalls = Effect.fnUntraced(
        function*(actor: TurnActor, steps: ReadonlyArray<ToolStep>, sources: ReadonlyArray<string>) {
          yield* saves.save(actor, {
            events: [{
              event: "status",
              data: {
                phase: "executing",
                text: steps.length === 1 ? "Running a call" : `Running ${steps.length} calls`
              }
            }]
          })
          yield* Effect.forEach(
            steps,
            (step) =>
              actor.isCancelled && step.request_id === undefined
                ? Effect.void
                : calls.run(actor, step, sources),
            { concurrency: parallelCallsMax, discard: true }
          )
        }
      )

      const act = Effect.fnUntraced(function*(actor: TurnActor, action: NextAction) {
        switch (action.kind) {
          case "call_model": {
            const history: History = yield* models.history(actor)
            if (history.isTooLong === true) {
              yield* fail(actor, tooLong)
              return "parted" satisfies Parted
            }
            const { events, step } = yield* models.plan(actor, history)
            yield* saves.save(actor, { steps: [step], events })
            return yield* endModel(actor, yield* models.run(actor, step, history, false))
          }
          case "resume_model": {
            const history = yield* models.history(actor)
            const { step } = action
            // The agent's tools changed since the call was planned, and it was never sent.
            if (history.kind !== step.kind && !(yield* models.isSent(actor, step))) {
              yield* saves.save(actor, {
                steps: [{ ...step, state: "done", outcome: { kind: "replaced", code: "replanned" } }]
              })
              return "continues" satisfies Parted
            }
            return yield* endModel(actor, yield* models.run(actor, step, history, true))
          }
          case "run_calls": {
            const { sources } = yield* models.history(actor)
            yield* runCalls(actor, action.steps, sources)
            return "continues" satisfies Parted
          }
          case "wait_approval":
            yield* saves.save(actor, {
              events: [done("pending_approval")],
              change: { state: "waiting_approval", released: true },
              action: "chat_turn.waiting"
            })
            // A decision may have come since the calls were looked up.
            if (actor.row.background) yield* turns.wakeDecided(undefined)
            break
          case "ask_local":
            yield* saves.save(actor, {
              events: [localPendingEvent(action.steps), done("pending_local_tools")],
              change: { state: "waiting_local", released: true, localHours: localToolsHours },
              action: "chat_turn.waiting"
            })
            break
          case "time_out_local": {
            const outcomes = action.steps.map((step) => [step, localTimeout(step.name)] as const)
            yield* saves.save(actor, {
              steps: outcomes.map(([step, outcome]) => endedStep(step, outcome)),
              events: outcomes.map(([step, outcome]) => doneEvent(step, outcome))
            })
            return "continues" satisfies Parted
          }
          case "pause":
            yield* pause(actor, action.reason, done("paused"))
            break
          case "fail":
            yield* fail(actor, action.error)
            break
          case "finish":
            yield* finish(actor)
            break
          case "cancel":
            yield* cancel(actor)
            break
        }
        return "parted" satisfies Parted
      })

      const drive = Effect.fn("ChatDriver.drive")(function*(actor: TurnActor, first?: History) {
        const { background, cancel_requested, id } = actor.row
        const step = lastModelStep(actor)
        if (first !== undefined && step !== undefined) {
          if ((yield* endModel(actor, yield* models.run(actor, step, first, false))) === "parted") return
        }
        for (;;) {
          yield* settlePending(actor)
          const flags = actor.isNew
            ? { cancel_requested, watched: true, overtime: false, local_overdue: false }
            : yield* turns.flags(actor.claim, { readerSeconds: readerSecondsMax, minutes: turnMinutesMax })
          if (flags === undefined) return
          if (flags.cancel_requested) actor.stop.abort()
          const draining = signals.stopped()
          const action = nextAction(actor.steps, {
            cancelRequested: flags.cancel_requested,
            watched: flags.watched || readers.isOpen(id),
            draining: draining && !background,
            overtime: flags.overtime,
            localOverdue: flags.local_overdue
          })
          // Another hub, or this one's next start, continues it.
          const isBegun = action.kind === "run_calls" && action.steps.some(({ request_id }) => request_id !== undefined)
          if (draining && (action.kind === "call_model" || action.kind === "run_calls") && !isBegun) {
            return yield* turns.release(actor.claim.owner, [id])
          }
          if ((yield* act(actor, action)) === "parted") return
        }
      })

      return ChatDriver.of({ drive })
    })
  )
}

/**
 * Calls of a turn: planned from the model's answer, sent through dispatch, and ended with an outcome that the model
 * reads. Spec: reference/chat.md "Tool calls".
 */
import { toolCallsPerAnswerMax } from "@countersign/domain/chat"
import type { NewChatEvent } from "@countersign/domain/chat-events"
import type { CallStep, ChatStep, LocalStep, ModelAnswer, ToolOutcome, ToolStep } from "@countersign/domain/chat-state"
import { isCallStep, shownResult } from "@countersign/domain/chat-state"
import { answered } from "@countersign/domain/dispatch-outcomes"
import type { ApiError } from "@countersign/domain/errors"
import { type ApprovalId, newId, type OrgId } from "@countersign/domain/ids"
import { isJsonObject } from "@countersign/domain/json"
import { mask } from "@countersign/domain/masking"
import { Context, Effect, Layer, Option } from "effect"
import { ApprovalsRepository } from "../approvals/repository.ts"
import { Configuration, type Found } from "../dispatch/decision/configuration.ts"
import { payloadSchemaOf } from "../dispatch/decision/decision.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { known } from "../providers/llm/wire.ts"
import { boundTools } from "../tools/bound.ts"
import { toolNamesOf } from "../tools/names.ts"
import { ChatSaves, type TurnActor } from "./actor.ts"
import { ChatArtifacts, partOf } from "./artifacts.ts"
import { type Facts, kept, ownOutcome, refusedOutcome, runningOutcome, toolOutcomeOf } from "./outcomes.ts"
import { localPrefix } from "./prompt.ts"
import { type DrivenTurn, localToolsOf } from "./records.ts"
import { foundTools, ownTools } from "./tools.ts"

const againMillis = 1_000
const lookMillis = 1_000
/** A call that runs for longer continues without the turn. */
const runningMillisMax = 300_000
/** A longer id of a model is replaced. */
const callIdLengthMax = 100

/** A call whose name is in no list. */
const unknownService = "unknown"
/** The service that the chat's own tools show. No tool of a workspace's service has their names. */
const ownService = "chat"
const isOwnTool = (name: string): boolean => name === ownTools.find || name === ownTools.read

const argumentsOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const sourceOf = (step: CallStep): string =>
  step.kind === "local" ? `local tool ${step.name}` : `${step.service}.${step.operation}`

/** The event of a call that has ended. */
export const doneEvent = (step: CallStep, outcome: ToolOutcome): NewChatEvent => ({
  event: "tool_done",
  data: {
    call_id: step.call_id,
    ...outcome.service_request_id === undefined ? {} : { service_request_id: outcome.service_request_id },
    status: outcome.status,
    cost_cents: outcome.cost_cents,
    ...outcome.reason_code === undefined ? {} : { reason_code: outcome.reason_code },
    ...outcome.artifact_id === undefined ? {} : { artifact_id: outcome.artifact_id },
    ...known({ result: shownResult(outcome) })
  } as Extract<NewChatEvent, { readonly event: "tool_done" }>["data"]
})

/** A step with its outcome. */
export const endedStep = <S extends CallStep>(step: S, outcome: ToolOutcome): S => ({
  ...step,
  state: "done",
  outcome,
  cost_cents: outcome.cost_cents,
  ...outcome.service_request_id === undefined ? {} : { request_id: outcome.service_request_id }
})

export interface PlannedCalls {
  readonly steps: ReadonlyArray<CallStep>
  readonly events: ReadonlyArray<NewChatEvent>
}

export class ChatToolCalls extends Context.Service<ChatToolCalls, {
  /** The calls of an answer as steps, with the events that announce them. */
  readonly plan: (actor: TurnActor, answer: ModelAnswer, first: number) => Effect.Effect<PlannedCalls>
  /** Sends a call, or finds the request that was sent for it; it ends, or is pending. */
  readonly run: (actor: TurnActor, step: ToolStep, sources: ReadonlyArray<string>) => Effect.Effect<void>
  /** Ends a pending call whose request has left the state `approval_required`. */
  readonly settle: (actor: TurnActor, step: ToolStep) => Effect.Effect<void>
  /** Stores the outcome of a call, with its event. */
  readonly end: (actor: TurnActor, step: CallStep, outcome: ToolOutcome) => Effect.Effect<void>
  /** A payload as readers see it. */
  readonly shown: (row: DrivenTurn) => Effect.Effect<(step: ToolStep) => unknown>
  readonly pendingEvent: (
    org: OrgId,
    callId: string,
    approvalId: ApprovalId,
    ceilingCents: number
  ) => Effect.Effect<NewChatEvent>
}>()("@countersign/hub/chat/ChatToolCalls") {
  static readonly layer = Layer.effect(
    ChatToolCalls,
    Effect.gen(function*() {
      const approvals = yield* ApprovalsRepository
      const artifacts = yield* ChatArtifacts
      const configuration = yield* Configuration
      const dispatch = yield* Dispatch
      const saves = yield* ChatSaves

      const loaded = ({ agent_id, org_id }: DrivenTurn) => Effect.promise(() => configuration.load(org_id, agent_id))

      const shownIn = (found: Found | undefined) => (step: ToolStep): unknown => {
        const schema = found === undefined ? undefined : payloadSchemaOf(found.org, step)
        return schema === undefined || step.payload === undefined ? step.payload ?? {} : mask(schema, step.payload)
      }

      const ceilingOf = Effect.fnUntraced(function*({ agent_id, mode, org_id }: DrivenTurn, step: ToolStep) {
        if (step.payload === undefined || step.service === unknownService || isOwnTool(step.name)) return 0
        const decided = yield* dispatch.decisionOf({
          org: org_id,
          agent: agent_id,
          mode,
          service: step.service,
          operation: step.operation,
          payload: step.payload,
          script: undefined,
          task: undefined
        })
        const decision = decided?.decision
        return decision === undefined || decision.kind === "invalid" ? 0 : decision.ceilingCents
      })

      const plan = Effect.fnUntraced(function*(actor: TurnActor, answer: ModelAnswer, first: number) {
        const { row, steps: before } = actor
        const found = yield* loaded(row)
        const names = found === undefined ? undefined : toolNamesOf(found.org.services)
        const locals = new Set(localToolsOf(row).map(({ name }) => `${localPrefix}${name}`))
        const known = new Set(before.filter(isCallStep).map(({ call_id }) => call_id))
        const steps: Array<CallStep> = []
        const events: Array<NewChatEvent> = []
        const shown = shownIn(found)
        for (const [index, call] of answer.calls.entries()) {
          const step = first + index
          const isUsable = call.id !== "" && call.id.length <= callIdLengthMax && !known.has(call.id)
          const call_id = isUsable ? call.id : `call_${step}`
          known.add(call_id)
          const payload = argumentsOf(call.arguments)
          const common = { step, state: "open", call_id, model_call_id: call.id, cost_cents: 0 } as const
          if (locals.has(call.name)) {
            const local: LocalStep = {
              ...common,
              kind: "local",
              name: call.name.slice(localPrefix.length),
              input: payload ?? call.arguments
            }
            steps.push(local)
            continue
          }
          const target = names?.targetOf(call.name) ??
            { service: isOwnTool(call.name) ? ownService : unknownService, operation: call.name }
          const tool: ToolStep = {
            ...common,
            kind: "tool",
            name: call.name,
            ...target,
            ...payload === undefined ? {} : { payload }
          }
          events.push({
            event: "tool_planned",
            data: {
              call_id,
              service: target.service,
              operation: target.operation,
              payload: shown(tool),
              cost_cents: yield* ceilingOf(row, tool)
            }
          })
          const refusal = index >= toolCallsPerAnswerMax
            ? refusedOutcome(
              sourceOf(tool),
              "too_many_calls",
              `An answer may have ${toolCallsPerAnswerMax} calls. Make the others in another answer.`
            )
            : payload === undefined
            ? refusedOutcome(sourceOf(tool), "invalid_request", "The arguments are not a JSON object.")
            : target.service === unknownService
            ? refusedOutcome(sourceOf(tool), "unknown_tool", `There is no tool ${call.name}.`)
            : undefined
          if (refusal === undefined) steps.push(tool)
          else {
            steps.push(endedStep(tool, refusal))
            events.push(doneEvent(tool, refusal))
          }
        }
        return { steps, events }
      })

      const end = (actor: TurnActor, step: CallStep, whole: ToolOutcome) => {
        const { blobs, outcome } = kept(whole, sourceOf(step), actor.row)
        return saves.save(actor, {
          blobs,
          steps: [endedStep(step, outcome)],
          events: [doneEvent(step, outcome)],
          ...outcome.cost_cents === 0 ? {} : {
            usage: {
              inputTokens: 0,
              outputTokens: 0,
              cachedTokens: 0,
              costCents: outcome.cost_cents,
              microCents: outcome.cost_cents * 1_000_000
            }
          }
        })
      }

      const pendingEvent = Effect.fnUntraced(
        function*(org: OrgId, callId: string, approvalId: ApprovalId, ceilingCents: number) {
          const approval = yield* approvals.find(org, approvalId)
          return {
            event: "tool_pending",
            data: {
              call_id: callId,
              approval_id: approvalId,
              cost_cents: ceilingCents,
              expires_at: Option.match(approval, {
                onNone: () => "",
                onSome: ({ expires_at }) => expires_at.toISOString()
              })
            }
          } as Extract<NewChatEvent, { readonly event: "tool_pending" }>
        }
      )

      /** Until the request has an outcome, is pending, or the turn stops waiting for it. */
      const followed = Effect.fnUntraced(function*(actor: TurnActor, first: Facts) {
        const until = performance.now() + runningMillisMax
        let facts = first
        while (
          facts.status === "running" && performance.now() < until && !actor.isLost() && !actor.isCancelled
        ) {
          const found = yield* dispatch.await(actor.row.org_id, first.id, lookMillis)
          if (Option.isSome(found)) facts = found.value
        }
        return facts
      })

      const finish = Effect.fnUntraced(function*(actor: TurnActor, step: ToolStep, first: Facts) {
        const facts = yield* followed(actor, first)
        const source = sourceOf(step)
        const outcome = toolOutcomeOf(facts, source)
        if (outcome !== undefined) return yield* end(actor, step, outcome)
        if (facts.status === "running") return yield* end(actor, step, runningOutcome(source, facts.id))
        const approval_id = facts.approval_id!
        yield* saves.save(actor, {
          steps: [{ ...step, state: "pending", approval_id }],
          events: [yield* pendingEvent(actor.row.org_id, step.call_id, approval_id, facts.ceiling_cents)]
        })
      })

      const submit = (
        { isLost, row }: TurnActor,
        step: ToolStep,
        sources: ReadonlyArray<string>,
        again: boolean
      ): Effect.Effect<Facts, ApiError> =>
        answered(dispatch.submit({
          mode: row.mode,
          org: row.org_id,
          agent: row.agent_id,
          actor: { type: "agent", id: row.agent_id, name: row.agent_name },
          service: step.service,
          operation: step.operation,
          payload: step.payload ?? {},
          id: step.request_id!,
          ...again ? { again } : {},
          origin: {
            ...row.user_id === null ? {} : { user_id: row.user_id },
            session_id: row.session_id,
            turn_id: row.id,
            call_id: step.call_id
          },
          door: "chat",
          sources,
          ...row.force_approval ? { forceApproval: true } : {}
        })).pipe(
          Effect.map(({ facts }) => facts),
          Effect.catch((error) =>
            error.error.code === "unavailable" && !isLost()
              ? Effect.andThen(
                Effect.sleep(againMillis),
                submit({ isLost, row } as TurnActor, step, sources, true)
              )
              : Effect.fail(error)
          )
        )

      /** The result of one of the chat's own tools, which cost nothing and see this session only. */
      const ownResult = Effect.fnUntraced(function*({ row }: TurnActor, step: ToolStep) {
        const source = sourceOf(step)
        const { id, offset, pointer, query } = step.payload ?? {}
        if (step.name === ownTools.find) {
          const found = yield* loaded(row)
          return typeof query === "string" && found !== undefined
            ? ownOutcome(source, { tools: foundTools(boundTools(found), query) })
            : refusedOutcome(source, "invalid_request", "query: expected words")
        }
        const text = typeof id === "string" ? yield* artifacts.read(row, id) : undefined
        if (text === undefined) return refusedOutcome(source, "not_found", "There is no such artifact in this session.")
        const part = partOf(text, offset, pointer)
        return typeof part === "string" ? refusedOutcome(source, "invalid_request", part) : ownOutcome(source, part)
      })

      const run = Effect.fnUntraced(function*(actor: TurnActor, planned: ToolStep, sources: ReadonlyArray<string>) {
        if (planned.service === ownService && isOwnTool(planned.name)) {
          return yield* end(actor, planned, yield* ownResult(actor, planned))
        }
        const again = planned.request_id !== undefined
        const step: ToolStep = again ? planned : { ...planned, request_id: newId("req") }
        if (!again) {
          yield* saves.save(actor, {
            steps: [step],
            events: [{
              event: "tool_executing",
              data: { call_id: step.call_id, service_request_id: step.request_id! }
            }]
          })
        }
        const facts = yield* Effect.result(submit(actor, step, sources, again))
        if (facts._tag === "Success") return yield* finish(actor, step, facts.success)
        const { code, details, message } = facts.failure.error
        const { request_id: _, ...unsent } = step
        yield* end(
          actor,
          unsent,
          refusedOutcome(
            sourceOf(step),
            code,
            [message, ...(details ?? []).map(({ message, path }) => `${path}: ${message}`)].join(" ")
          )
        )
      })

      const settle = Effect.fnUntraced(function*(actor: TurnActor, step: ToolStep) {
        const found = step.request_id === undefined
          ? Option.none()
          : yield* dispatch.find(actor.row.org_id, step.request_id)
        if (Option.isSome(found) && found.value.status !== "approval_required") yield* finish(actor, step, found.value)
      })

      return ChatToolCalls.of({
        plan,
        run,
        settle,
        end,
        pendingEvent,
        shown: (row) => Effect.map(loaded(row), shownIn)
      })
    })
  )
}

export const isOpenTool = (step: ChatStep): step is ToolStep => step.kind === "tool" && step.state !== "done"

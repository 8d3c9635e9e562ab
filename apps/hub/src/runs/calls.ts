/** Steps that are requests of dispatch: `service_call`, `run_workflow`, and `webhook`. */
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { answered } from "@countersign/domain/dispatch-outcomes"
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import type { Json } from "@countersign/domain/json"
import type { StepOutcome } from "@countersign/domain/run-state"
import type { Block } from "@countersign/domain/service-requests"
import { Context, Effect, Layer, Option } from "effect"
import { Approvals } from "../approvals/service.ts"
import { Interventions } from "../dispatch/pipeline/interventions.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { hubActor } from "../platform/audit-log.ts"
import { CallbacksRepository } from "./callbacks-repository.ts"
import {
  type EffectReport,
  ended,
  failed,
  membersOf,
  nothingLeft,
  opened,
  type StepCall,
  type StepEffect
} from "./effects.ts"
import { kept } from "./environment.ts"
import { agentPrincipalOf } from "./principal.ts"
import { RunsRepository } from "./repository.ts"

interface FailedResult {
  readonly code?: string
  readonly detail?: string
  readonly fate?: "unknown"
}

/** The outcome of a request that has ended; undefined while it has not. */
export const requestOutcome = (facts: RequestFacts): StepOutcome | undefined => {
  switch (facts.status) {
    case "running":
    case "approval_required":
      return undefined
    case "executed":
      return {
        kind: "succeeded",
        output: kept(facts.result === null ? null : JSON.parse(facts.result) as Json),
        cost_cents: facts.cost_cents
      }
    case "blocked": {
      const block = facts.block === null ? undefined : JSON.parse(facts.block) as Block
      const code = facts.reason_code ?? "blocked"
      return {
        kind: "failed",
        error: {
          code,
          message: block?.message ?? block?.detail ?? `The request was blocked: ${code}.`,
          ...(block === undefined ? {} : { block })
        },
        retryable: false,
        ...(code === "spending_frozen" ? { held: true } : {})
      }
    }
    case "failed": {
      const { code = "failed", detail = "The request failed.", fate } = facts.result === null
        ? {}
        : JSON.parse(facts.result) as FailedResult
      return {
        kind: "failed",
        error: { code, message: detail, ...(fate === undefined ? {} : { fate }) },
        retryable: code === "adapter_error" && fate === undefined,
        cost_cents: facts.cost_cents
      }
    }
  }
}

/** The request of a step. */
const requestOf = ({ input, run, step }: StepCall<"service_call" | "run_workflow" | "webhook">) => {
  switch (step.type) {
    case "service_call":
      return { service: step.config.service, operation: step.config.operation, payload: membersOf(input) }
    case "run_workflow": {
      const { input: child, workflow_id } = membersOf(input)
      return {
        service: "workflow",
        operation: "run_workflow",
        payload: { workflow_id, ...(child === undefined ? {} : { input: child }) }
      }
    }
    case "webhook": {
      const { callback_within_seconds: _, ...message } = membersOf(input)
      return { service: "webhook", operation: "send", payload: { ...message, depth: run.depth } }
    }
  }
}

export type CallType = "service_call" | "run_workflow" | "webhook"

/** The reference of a sent call is the id of its request. */
const requestIdOf = ({ ref }: StepCall<CallType>) => ref as ServiceRequestId

export class RunCalls extends Context.Service<
  RunCalls,
  StepEffect<CallType> & {
    /** What an effect that outlived its step cost; undefined while it is open. */
    readonly late: (org: OrgId, request: ServiceRequestId) => Effect.Effect<number | undefined>
  }
>()("@countersign/hub/runs/RunCalls") {
  static readonly layer = Layer.effect(
    RunCalls,
    Effect.gen(function*() {
      const dispatch = yield* Dispatch
      const interventions = yield* Interventions
      const approvals = yield* Approvals
      const callbacks = yield* CallbacksRepository
      const runs = yield* RunsRepository

      /** A parent costs what its child run cost. */
      const withChild = Effect.fnUntraced(function*({ ref, run, step }: StepCall<CallType>, outcome: StepOutcome) {
        if (step.type !== "run_workflow") return outcome
        return { ...outcome, cost_cents: yield* runs.costOf(run.org, childOf(ref)) }
      })

      /** A webhook that was sent waits for its callback, if it asked for one. */
      const reportOf = Effect.fnUntraced(function*(call: StepCall<CallType>, facts: RequestFacts) {
        const outcome = requestOutcome(facts)
        if (outcome === undefined) return opened
        const { run, state, step, stepId } = call
        if (step.type !== "webhook" || outcome.kind === "failed" || step.config.callback_within_seconds === undefined) {
          return ended(yield* withChild(call, outcome))
        }
        const answer = yield* callbacks.find(run.org, stepId, state.attempt)
        return Option.isSome(answer) && answer.value.body !== null
          ? ended({ kind: "succeeded", output: JSON.parse(answer.value.body) as Json })
          : {
            kind: "opened",
            ref: stepId,
            dueAt: (facts.completed_at ?? facts.created_at) + step.config.callback_within_seconds * 1_000
          } satisfies EffectReport
      })

      const start = Effect.fnUntraced(function*(call: StepCall<CallType>, again: boolean) {
        const { run, state, step, stepId } = call
        const request = requestOf(call)
        if (step.type === "webhook" && step.config.callback_within_seconds !== undefined && !again) {
          yield* callbacks.expect({
            step: stepId,
            org: run.org,
            run: run.id,
            label: step.label,
            attempt: state.attempt,
            request: requestIdOf(call)
          })
        }
        return yield* answered(dispatch.submit({
          mode: run.mode,
          org: run.org,
          agent: run.agent,
          actor: { type: "agent", id: run.agent, name: run.agentName },
          service: request.service,
          operation: request.operation,
          payload: request.payload,
          id: requestIdOf(call),
          ...(again ? { again } : {}),
          origin: { run_id: run.id, label: step.label },
          door: "workflow",
          budgets: run.limits
        })).pipe(
          Effect.flatMap(({ facts }) => reportOf(call, facts)),
          Effect.catch((error) =>
            error.error.code === "unavailable"
              // The hub cannot reach its database: the same id is sent again.
              ? Effect.die(error)
              : Effect.succeed(failed(error.error.code, error.error.message))
          )
        )
      })

      const find = (call: StepCall<CallType>) => dispatch.find(call.run.org, requestIdOf(call))

      /** Whether the step was sent and its callback is pending. */
      const awaitsCallback = ({ ref, stepId }: StepCall<CallType>) => ref === stepId

      const callback = Effect.fnUntraced(function*({ run, state, stepId }: StepCall<CallType>) {
        const answer = yield* callbacks.find(run.org, stepId, state.attempt)
        return Option.isSome(answer) && answer.value.body !== null
          ? ended({ kind: "succeeded", output: JSON.parse(answer.value.body) as Json })
          : undefined
      })

      const look = Effect.fnUntraced(function*(call: StepCall<CallType>) {
        if (awaitsCallback(call)) return yield* callback(call)
        const found = yield* find(call)
        if (Option.isNone(found)) return undefined
        const report = yield* reportOf(call, found.value)
        return report.kind === "opened" && report.ref === undefined ? undefined : report
      })

      const stop = Effect.fnUntraced(function*(call: StepCall<CallType>) {
        const { run, state } = call
        if (awaitsCallback(call)) {
          const answer = yield* callback(call)
          if (answer !== undefined) return answer
          return state.stopping === "timeout"
            ? failed("callback_timeout", "No callback came in time.")
            : nothingLeft
        }
        const found = yield* find(call)
        if (Option.isNone(found)) return nothingLeft
        const request = found.value
        const outcome = requestOutcome(request)
        if (outcome !== undefined) return ended(yield* withChild(call, outcome))
        const isPending = request.status === "approval_required" && request.approval_id !== null
        if (isPending && (yield* approvals.cancel(run.org, request.approval_id ?? "", hubActor))) return nothingLeft
        if (!isPending) {
          const stopped = yield* interventions.cancel(agentPrincipalOf(run), request)
          if (stopped !== undefined && requestOutcome(stopped) !== undefined) return nothingLeft
        }
        const now = yield* find(call)
        const last = Option.isSome(now) ? requestOutcome(now.value) : undefined
        return last === undefined
          ? { kind: "stopped" as const, left: "effect" as const }
          : ended(yield* withChild(call, last))
      })

      return RunCalls.of({
        start,
        stop,
        look,
        late: Effect.fnUntraced(function*(org, request) {
          const found = yield* dispatch.find(org, request)
          if (Option.isNone(found)) return 0
          if (requestOutcome(found.value) === undefined) return undefined
          return found.value.service === "workflow" ? yield* runs.costOf(org, childOf(request)) : found.value.cost_cents
        })
      })
    })
  )
}

/** The child run of a request of `workflow.run_workflow` has the same UUID. */
export const childOf = (request: string): string => `run${request.slice(3)}`

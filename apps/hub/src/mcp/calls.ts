/**
 * Calls of tools: each is a dispatch with the same pipeline, limits and approvals as the API. Spec: reference/mcp.md
 * "Calls".
 */
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { answered } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, notFound, unavailable } from "@countersign/domain/errors"
import { isServiceRequestId, type ServiceRequestId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { Approvals } from "../approvals/service.ts"
import { Configuration, type Found } from "../dispatch/decision/configuration.ts"
import { Interventions } from "../dispatch/pipeline/interventions.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { keyHash, readScript, readTask, type Submission } from "../dispatch/pipeline/submission.ts"
import { PickUps } from "../pick-ups/service.ts"
import type { ToolTarget } from "../tools/names.ts"
import type { McpCaller } from "./callers.ts"
import { isPending } from "./rules.ts"

export interface ToolCall {
  readonly target: ToolTarget
  readonly payload: Readonly<Record<string, unknown>>
  /** The caller's own idempotency key. */
  readonly key: string | undefined
  /** `x-test-outcome` and `x-delegated-task`. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Whether the caller has already hung up. */
  readonly hungUp: () => boolean
}

/** A call that became a request. */
export interface Called {
  readonly facts: RequestFacts
  /** The key under which the identical call takes the answer; absent when the caller sent its own. */
  readonly pickUp?: string
}

export class McpCalls extends Context.Service<McpCalls, {
  readonly found: (caller: McpCaller) => Effect.Effect<Found, ApiError>
  /** Sends it, and returns the outcome, or the request as it is when it is pending. */
  readonly call: (caller: McpCaller, call: ToolCall) => Effect.Effect<Called, ApiError>
  /** A request of the caller's agent, once it has ended or after this long. */
  readonly wait: (caller: McpCaller, request: string, millis: number) => Effect.Effect<RequestFacts, ApiError>
  /** Withdraws a pending request. One that runs is stopped where its provider can. */
  readonly cancel: (caller: McpCaller, request: string) => Effect.Effect<void, ApiError>
  /**
   * After the answer was sent, or the caller hung up: `sent` says which. An unsent answer is left for pick-up; a pending
   * approval of a caller that hung up is withdrawn.
   */
  readonly delivered: (caller: McpCaller, called: Called, sent: boolean) => Effect.Effect<void>
}>()("@countersign/hub/mcp/McpCalls") {
  static readonly layer = Layer.effect(
    McpCalls,
    Effect.gen(function*() {
      const dispatch = yield* Dispatch
      const approvals = yield* Approvals
      const interventions = yield* Interventions
      const configuration = yield* Configuration
      const pickUps = yield* PickUps

      const stored = Effect.fnUntraced(function*({ agent, mode, org }: McpCaller, id: string) {
        const request = isServiceRequestId(id) ? Option.getOrUndefined(yield* dispatch.find(org, id)) : undefined
        return request === undefined || request.agent_id !== agent || request.mode !== mode
          ? yield* Effect.fail(notFound("service request"))
          : request
      })

      const submissionOf = Effect.fnUntraced(
        function*({ mode, sender }: McpCaller, { headers, payload, target }: ToolCall) {
          const script = yield* readScript(headers["x-test-outcome"], mode)
          const task = yield* readTask(headers["x-delegated-task"])
          return {
            ...sender,
            ...target,
            payload,
            door: "mcp",
            ...script === undefined ? {} : { script },
            ...task === undefined ? {} : { task }
          } satisfies Submission
        }
      )

      const hashOf = (submission: Submission): Uint8Array =>
        createHash("sha256").update(keyHash(submission, canonicalize(submission.payload))).digest()

      /** An identical call that took over an answer which is still being made waits for it no longer than dispatch does. */
      const running = (caller: McpCaller, error: ApiError): Effect.Effect<RequestFacts, ApiError> => {
        const { code, data } = error.error
        const id = (data as { readonly service_request_id?: ServiceRequestId } | undefined)?.service_request_id
        return code === "idempotency_in_progress" && id !== undefined ? stored(caller, id) : Effect.fail(error)
      }

      const withdraw = Effect.fnUntraced(function*({ org, sender }: McpCaller, facts: RequestFacts) {
        return facts.approval_id !== null && (yield* approvals.cancel(org, facts.approval_id, sender.actor))
      })

      return McpCalls.of({
        found: Effect.fnUntraced(function*({ agent, org }) {
          const found = yield* Effect.promise(() => configuration.load(org, agent))
          return found ?? (yield* Effect.fail(notFound("agent")))
        }),
        call: Effect.fn("McpCalls.call")(function*(caller, call) {
          const submission = yield* submissionOf(caller, call)
          const submit = (key: string) =>
            Effect.map(answered(dispatch.submit({ ...submission, key })), ({ facts }) => facts).pipe(
              Effect.catch((error) => running(caller, error))
            )
          if (call.key !== undefined) return { facts: yield* submit(call.key) }
          const { agent, mode, org } = caller
          const pickUp = yield* pickUps.keyOf({ org, agent, mode, hash: hashOf(submission) })
          if (call.hungUp()) {
            yield* pickUps.end(org, pickUp)
            return yield* Effect.fail(unavailable("The caller hung up before the call began."))
          }
          const facts = yield* Effect.tapError(
            submit(pickUp),
            // Without a request there is nothing to pick up; with an unknown outcome the key stays.
            ({ error }) =>
              error.code === "unavailable" ? pickUps.leave(org, pickUp, undefined) : pickUps.end(org, pickUp)
          )
          // Before the answer, because the client may repeat the call as soon as it has it.
          if (isPending(facts)) yield* pickUps.leave(org, pickUp, facts.id)
          return { facts, pickUp }
        }),
        wait: Effect.fn("McpCalls.wait")(function*(caller, id, millis) {
          const first = yield* stored(caller, id)
          if (!isPending(first) || millis === 0) return first
          return Option.getOrElse(yield* dispatch.await(caller.org, first.id, millis), () => first)
        }),
        cancel: Effect.fn("McpCalls.cancel")(function*(caller, id) {
          const request = yield* stored(caller, id)
          if (request.status === "approval_required") yield* withdraw(caller, request)
          else if (request.status === "running") {
            yield* Effect.ignore(interventions.cancel(caller.principal, request))
          }
        }),
        delivered: Effect.fnUntraced(function*(caller, { facts, pickUp }, sent) {
          const { org } = caller
          const isWithdrawn = !sent && facts.status === "approval_required" && (yield* withdraw(caller, facts))
          if (isPending(facts) && !isWithdrawn) return
          if (sent || isWithdrawn) {
            yield* pickUp === undefined ? pickUps.endOfRequest(org, facts.id) : pickUps.end(org, pickUp)
          } else if (pickUp !== undefined) yield* pickUps.leave(org, pickUp, facts.id)
        })
      })
    })
  )
}

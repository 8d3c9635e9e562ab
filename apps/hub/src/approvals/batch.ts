/** Decides several approvals with one call. Spec: reference/approvals.md "Batches". */
import type { DecideInput, DecideResult } from "@countersign/domain/approvals"
import type { UserPrincipal } from "@countersign/domain/auth"
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, type BadRequest, invalidField } from "@countersign/domain/errors"
import { isJsonObject } from "@countersign/domain/json"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import { Context, Deferred, Effect, Layer, Option } from "effect"
import { renderRequest } from "../dispatch/requests/view.ts"
import { Approvals, type Approved, decideMillisMax, inTime, type Turn } from "./service.ts"

/** Maximum number of concurrent decisions of one batch. */
const batchConcurrency = 16

type DecidedRequest = NonNullable<(typeof DecideResult.Type)["results"][number]["service_request"]>

/** The outcome of a request without its result: a hundred of these are one response. */
const outcomeOf = (facts: RequestFacts): DecidedRequest => {
  const { block, cost_cents, id, reason_code, result, status } = JSON.parse(renderRequest(facts)) as ServiceRequest
  const { code, detail } = (status === "failed" && isJsonObject(result) ? result : {}) as {
    readonly code?: unknown
    readonly detail?: unknown
  }
  return {
    id,
    status,
    cost_cents,
    ...(reason_code === undefined ? {} : { reason_code }),
    ...(block === undefined ? {} : { block }),
    ...(typeof code === "string" ? { failure: { code, ...(typeof detail === "string" ? { detail } : {}) } } : {})
  }
}

/**
 * A turn for each of so many votes. A turn starts after all turns before it, since a vote that is refused early ends
 * before its turn.
 */
const turnsOf = Effect.fnUntraced(function*(count: number) {
  const recorded: Array<Deferred.Deferred<void>> = []
  for (let at = 0; at < count; at++) recorded.push(yield* Deferred.make<void>())
  return recorded.map((mine, at): Turn => ({
    before: Effect.forEach(recorded.slice(0, at), (each) => Deferred.await(each), { discard: true }),
    recorded: Effect.asVoid(Deferred.succeed(mine, undefined))
  }))
})

export class ApprovalBatch extends Context.Service<ApprovalBatch, {
  /**
   * One result for each approval, in the order of the batch. Votes are recorded in that order; a decision that fails does
   * not stop the others.
   */
  readonly decide: (
    user: UserPrincipal,
    input: typeof DecideInput.Type
  ) => Effect.Effect<typeof DecideResult.Type, BadRequest>
}>()("@countersign/hub/approvals/ApprovalBatch") {
  static readonly layer = Layer.effect(
    ApprovalBatch,
    Effect.gen(function*() {
      const approvals = yield* Approvals
      const decide: ApprovalBatch["Service"]["decide"] = Effect.fnUntraced(function*(user, input) {
        const items: ReadonlyArray<
          { readonly id: (typeof input.ids & {})[number]; readonly payload_digest?: string }
        > = input.items ?? (input.ids ?? []).map((id) => ({ id }))
        if (new Set(items.map(({ id }) => id)).size !== items.length) {
          return yield* Effect.fail(invalidField(input.items === undefined ? "ids" : "items", "each approval once"))
        }
        const comment = input.comment === undefined ? {} : { comment: input.comment }
        const until = performance.now() + decideMillisMax
        const turns = yield* turnsOf(items.length)
        const results = yield* Effect.forEach(items, ({ id, payload_digest }, at) =>
          Effect.suspend(() => {
            const decision = { ...comment, ...(payload_digest === undefined ? {} : { payload_digest }) }
            const decided = input.decision === "approve"
              ? approvals.approve(user, id, decision, turns[at])
              : Effect.map(approvals.reject(user, id, decision), (approval): Approved => ({ approval }))
            return Effect.matchEffect(
              Effect.ensuring(inTime(decided, until - performance.now()), turns[at]!.recorded),
              {
                onSuccess: ({ approval, service_request }) =>
                  Effect.succeed({
                    id,
                    status: approval.status,
                    ...(service_request === undefined ? {} : { service_request: outcomeOf(service_request) })
                  }),
                onFailure: ({ error }: ApiError) =>
                  Effect.map(Effect.option(approvals.statusOf(user, id)), (status) => ({
                    id,
                    ...(Option.isNone(status) ? {} : { status: status.value }),
                    error: {
                      code: error.code,
                      message: error.message,
                      ...(error.data === undefined ? {} : { data: error.data })
                    }
                  }))
              }
            )
          }), { concurrency: batchConcurrency })
        return { results }
      })
      return ApprovalBatch.of({ decide })
    })
  )
}

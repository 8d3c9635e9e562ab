/**
 * Interventions by a person, an agent, or a provider on a running request: settle, cancel, reconcile. Each settles at
 * most once; the first one applies.
 */
import type { Principal, UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { actorOf } from "../../platform/audit-log.ts"
import { detailText } from "../../providers/adapter.ts"
import { heldRequest, type OpenHold, RequestsRepository, type StoredRequest } from "../requests/repository.ts"
import { Adapters } from "./adapters.ts"
import { Execution } from "./execution.ts"
import { Dispatch } from "./service.ts"
import { failedResult, refusedByProvider } from "./work.ts"

export interface SettleInput {
  readonly status: "executed" | "failed" | "blocked"
  readonly cost_cents?: number
  readonly result?: unknown
  readonly detail?: string
  readonly comment: string
}

const endOf = ({ comment, cost_cents, detail, status }: SettleInput, ceilingCents: number, result: string) => {
  const said = detailText(detail ?? comment)
  switch (status) {
    case "executed":
      return { cents: cost_cents ?? ceilingCents, result }
    case "failed":
      return { cents: 0, result: failedResult("settled_failed", said) }
    case "blocked":
      return refusedByProvider(said)
  }
}

/** The longest result that a person may set, like a provider's. In characters of JSON. */
const resultLengthMax = 1 << 20

export class Interventions extends Context.Service<Interventions, {
  /** Settles a `running` request with a person's outcome. 409 `not_running` when it is not running, or no longer. */
  readonly settle: (
    user: UserPrincipal,
    id: ServiceRequestId,
    input: SettleInput
  ) => Effect.Effect<StoredRequest, ApiError>
  /**
   * Stops work at its provider where the adapter can. The request is still `running` when the provider accepted the
   * cancellation and has not reported the outcome. `undefined` when the adapter cannot cancel, or the request has
   * already ended.
   */
  readonly cancel: (principal: Principal, request: StoredRequest) => Effect.Effect<StoredRequest | undefined>
}>()("@countersign/hub/dispatch/pipeline/Interventions") {
  static readonly layer = Layer.effect(
    Interventions,
    Effect.gen(function*() {
      const dispatch = yield* Dispatch
      const execution = yield* Execution
      const repository = yield* RequestsRepository
      const adapters = yield* Adapters

      const workOf = (hold: OpenHold, script: string | null) =>
        Effect.promise(() => dispatch.workOf(hold.org_id, heldRequest(hold, script)))
      const stored = (org: OrgId, id: ServiceRequestId) =>
        Effect.flatMap(
          dispatch.find(org, id),
          Option.match({ onNone: () => Effect.die(`request ${id} is gone`), onSome: Effect.succeed })
        )
      const notRunning = (request: StoredRequest) =>
        conflict(
          "not_running",
          request.in_flight
            ? "The hub is waiting for this request's provider. You can settle the request if it is still running after the provider's response or timeout."
            : `This request is ${request.status}; only a running request can be settled.`,
          { status: request.status }
        )

      return Interventions.of({
        settle: Effect.fn("Interventions.settle")(function*(user, id, input) {
          const hold = yield* repository.openHold(id)
          if (Option.isNone(hold) || hold.value.phase !== 2 || hold.value.org_id !== user.org_id) {
            return yield* Effect.flatMap(stored(user.org_id, id), (now) => Effect.fail(notRunning(now)))
          }
          if (input.cost_cents !== undefined && input.cost_cents > hold.value.ceiling_cents) {
            return yield* Effect.fail(invalidField("cost_cents", `at most the ceiling, ${hold.value.ceiling_cents}`))
          }
          if (input.status !== "executed" && (input.cost_cents ?? 0) > 0) {
            return yield* Effect.fail(invalidField("cost_cents", `a ${input.status} request costs nothing`))
          }
          const result = JSON.stringify(input.result ?? {})
          if (result.length > resultLengthMax) {
            return yield* Effect.fail(invalidField("result", `at most ${resultLengthMax} characters of JSON`))
          }
          const work = yield* workOf(hold.value, null)
          if (work === undefined) return yield* Effect.fail(notFound("service"))
          const settled = yield* Effect.promise(() =>
            execution.settleAs(work, input.status, {
              ...endOf(input, hold.value.ceiling_cents, result),
              actor: actorOf(user),
              data: {
                settled_by: user.user_id,
                comment: input.comment,
                ...(input.status === "blocked" ? { limit: "provider" } : {})
              },
              keepLate: false
            })
          )
          const now = yield* stored(user.org_id, id)
          return settled.kind === "superseded" ? yield* Effect.fail(notRunning(now)) : now
        }),
        cancel: Effect.fn("Interventions.cancel")(function*(principal, request) {
          const hold = yield* repository.openHold(request.id)
          if (Option.isNone(hold) || hold.value.phase !== 2) return undefined
          const work = yield* workOf(hold.value, request.script)
          if (work === undefined) return undefined
          const adapter = adapters.of(work.service.definition, work.mode)
          const outcome = request.script === "running" || work.mode === "test"
            ? "stopped"
            : hold.value.provider_ref === null || adapter.cancel === undefined
            ? "too_late"
            : yield* adapter.cancel(work.service.definition, hold.value.provider_ref, execution.callOf(work))
          if (outcome === "too_late") return undefined
          if (outcome === "asked") return yield* stored(principal.org_id, request.id)
          const settled = yield* Effect.promise(() =>
            execution.settleAs(work, "failed", {
              cents: 0,
              result: failedResult("cancelled", "Canceled before the provider executed it."),
              actor: actorOf(principal),
              data: { cancelled: true }
            })
          )
          return settled.kind === "superseded" ? undefined : yield* stored(principal.org_id, request.id)
        })
      })
    })
  )
}

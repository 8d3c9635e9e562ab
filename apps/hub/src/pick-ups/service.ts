/**
 * Pick-up of answers: a call without an idempotency key gets one of the hub's, so that the identical call finds its
 * request when the answer was left pending, was cut off, or the hub stopped. No approval is filed and nothing is charged twice. Spec:
 * reference/mcp.md "Pick-up".
 */
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { Owner } from "../platform/owner.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { newPickUpKey } from "./pick-up.ts"
import { type PickUpCall, PickUpsRepository } from "./repository.ts"

const sweepMillis = 300_000

export class PickUps extends Context.Service<PickUps, {
  /** The idempotency key of a call: that of an answer which was left for it, or a new one. */
  readonly keyOf: (call: PickUpCall) => Effect.Effect<string>
  /** The caller does not have the final answer: the identical call takes it. */
  readonly leave: (org: OrgId, key: string, request: ServiceRequestId | undefined) => Effect.Effect<void>
  /** The caller has the final answer, or there is none. */
  readonly end: (org: OrgId, key: string) => Effect.Effect<void>
  /** The same, for an answer that arrived in another way than the call's own. */
  readonly endOfRequest: (org: OrgId, request: ServiceRequestId) => Effect.Effect<void>
}>()("@countersign/hub/pick-ups/PickUps") {
  static readonly layer = Layer.effect(
    PickUps,
    Effect.gen(function*() {
      const repository = yield* PickUpsRepository
      const owner = yield* Owner
      const readiness = yield* Readiness
      yield* repeatRounds(readiness, "pick-ups", sweepMillis, repository.sweep)
      return PickUps.of({
        keyOf: (call) => Effect.suspend(() => repository.take(call, newPickUpKey(), owner.num())),
        leave: repository.leave,
        end: repository.remove,
        endOfRequest: repository.removeOfRequest
      })
    })
  )
}

/**
 * Settles the request of a call by its provider's report, once. A report that comes before the answer to the call is kept
 * for its request. Spec: reference/services.md "Voice calls".
 */
import { ceilingOf } from "@countersign/domain/price"
import { Context, Effect, Layer, Option, Result } from "effect"
import { Execution } from "../dispatch/pipeline/execution.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import type { Work } from "../dispatch/pipeline/work.ts"
import { Reconcile } from "../dispatch/recovery/callbacks.ts"
import { heldRequest, type OpenHold, RequestsRepository } from "../dispatch/requests/repository.ts"
import type { Actor } from "../platform/audit-log.ts"
import { type AsyncOutcome, detailText } from "../providers/adapter.ts"
import type { CallEnd, CallReport } from "./reports.ts"

export const voiceService = "voice"

/** The price of a call by its duration: the price's own ceiling for a call of that length. */
const costOf = ({ operation, payload }: Work, seconds: number | undefined): number | undefined => {
  const { price } = operation.definition
  if (seconds === undefined || price.type !== "quoted") return undefined
  const cost = ceilingOf(price, { ...payload as object, max_seconds: Math.max(1, seconds) })
  return Result.isSuccess(cost) ? cost.success : undefined
}

const outcomeOf = (work: Work, ref: string, { cause, seconds, status }: CallEnd): AsyncOutcome => {
  if (status === "failed") return { kind: "failed", detail: detailText(`The call ended: ${cause}.`) }
  const cost = work.service.definition.name === voiceService ? costOf(work, seconds) : undefined
  return {
    kind: "executed",
    result: {
      call_control_id: ref,
      hangup_cause: cause,
      ...(seconds === undefined ? {} : { duration_seconds: seconds })
    },
    ...(cost === undefined ? {} : { actual: cost, actualFound: true })
  }
}

/** A callback in the hook's own form, as `Reconcile` keeps and reads it. */
const ownForm = (ref: string, outcome: AsyncOutcome): string =>
  JSON.stringify(
    outcome.kind === "executed"
      ? {
        provider_ref: ref,
        status: "executed",
        result: outcome.result,
        ...(outcome.actualFound === true ? { cost_cents: outcome.actual } : {})
      }
      : { provider_ref: ref, status: outcome.kind, ...("detail" in outcome ? { detail: outcome.detail } : {}) }
  )

export class VoiceStatus extends Context.Service<VoiceStatus, {
  /** A report about an unknown or a settled call has no effect. */
  readonly apply: (provider: "telnyx" | "twilio", report: CallReport) => Effect.Effect<void>
}>()("@countersign/hub/voice/VoiceStatus") {
  static readonly layer = Layer.effect(
    VoiceStatus,
    Effect.gen(function*() {
      const requests = yield* RequestsRepository
      const dispatch = yield* Dispatch
      const execution = yield* Execution
      const reconcile = yield* Reconcile

      const workOf = (hold: OpenHold) => Effect.promise(() => dispatch.workOf(hold.org_id, heldRequest(hold, null)))

      const settle = Effect.fnUntraced(function*(hold: OpenHold, ref: string, end: CallEnd, actor: Actor) {
        const work = yield* workOf(hold)
        if (work === undefined) return
        yield* Effect.promise(() => execution.conclude(work, outcomeOf(work, ref, end), actor, hold.started))
      })

      /** The provider reports the end before the answer to the call was read. */
      const keep = Effect.fnUntraced(function*(hold: OpenHold, ref: string, end: CallEnd) {
        const work = yield* workOf(hold)
        if (work === undefined) return
        yield* requests.keepEarly(hold.org_id, hold.service, ref, ownForm(ref, outcomeOf(work, ref, end)))
        // The request may have begun to run meanwhile.
        const now = yield* requests.openHold(hold.request_id)
        if (Option.isSome(now) && now.value.phase === 2) {
          yield* reconcile.applyEarly(hold.org_id, hold.service, ref)
        }
      })

      return VoiceStatus.of({
        apply: Effect.fn("VoiceStatus.apply")(function*(provider, { end, ref, request }) {
          if (end === undefined) return
          const actor: Actor = { type: "provider", id: provider, name: provider }
          const [hold, another] = yield* requests.openHoldsOfRef(voiceService, ref)
          if (hold !== undefined) {
            const isClear = another === undefined ||
              (hold.service === voiceService && another.service !== voiceService)
            return isClear
              ? yield* settle(hold, ref, end, actor)
              : yield* Effect.logWarning(`two requests run as the call ${ref}; its status was ignored`)
          }
          const named = request === undefined ? Option.none() : yield* requests.openHold(request)
          if (Option.isNone(named) || named.value.service !== voiceService || named.value.provider_ref !== null) return
          return named.value.phase === 2
            ? yield* settle(named.value, ref, end, actor)
            : yield* keep(named.value, ref, end)
        })
      })
    })
  )
}

/**
 * Fires webhooks. Nothing is read or stored before the signature is verified. Wrongly signed calls are limited by
 * address, verified ones by trigger: the first cannot use up the limit of the second. Spec: reference/triggers.md
 * "Firing", "Replays".
 */
import {
  type ApiError,
  BadRequest,
  Conflict,
  conflict,
  type ErrorBody,
  invalidRequest,
  rateLimited,
  unauthorized,
  unavailable
} from "@countersign/domain/errors"
import { idPattern, newId, type ServiceRequestId } from "@countersign/domain/ids"
import type { FiringAction } from "@countersign/domain/scheduled-tasks"
import type { Fired } from "@countersign/domain/triggers"
import { runDepthMax } from "@countersign/domain/workflow-definition"
import { Context, Effect, Layer, Option, Result } from "effect"
import { createHash } from "node:crypto"
import { Settings } from "../config.ts"
import { addressKey, makeRateLimiter, takeFrom } from "../edge/rate-limit.ts"
import { requestOf } from "../firings/action.ts"
import { type Action, FiringsRepository, type NewFiring } from "../firings/repository.ts"
import { Firings } from "../firings/service.ts"
import { Db } from "../platform/db.ts"
import { Owner } from "../platform/owner.ts"
import { isSigned } from "../platform/signatures.ts"
import { type TriggerRow, TriggersRepository } from "./repository.ts"
import { type Delivery, deliveryIdOf, readBody, renderPayload, runDepthOf, verifyDelivery } from "./rules.ts"
import { TriggerSecrets } from "./secrets.ts"

const triggerIdPattern = idPattern("trg")
/** How long a repeated delivery waits for the request of the first one to begin. */
const repeatMillisMax = 25_000
const repeatPollMillis = 50

export interface Call {
  readonly trigger: string
  readonly address: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string>>
  /** Read only when there is a signature to check. */
  readonly body: Effect.Effect<Uint8Array, ApiError>
}

interface Verified {
  readonly trigger: TriggerRow
  readonly deliveryId: string | undefined
  readonly bytes: Uint8Array
  readonly digest: Uint8Array
  readonly headers: Call["headers"]
  readonly query: Call["query"]
}

/** `repeat`: the delivery id is in use; its first firing answers. */
type Stored =
  | { readonly kind: "stored"; readonly firing: NewFiring; readonly submits: Action }
  | { readonly kind: "refused"; readonly error: ApiError }
  | { readonly kind: "repeat" }

const paused = conflict("conflict", "This trigger is paused. A person must activate it first.", { status: "paused" })
const otherBody = conflict(
  "conflict",
  "This delivery id was used with another body. Send each delivery with its own id."
)
const unbegun = () =>
  unavailable("The first call with this delivery id has not begun its request yet. Send it again shortly.")

const tooDeep: ApiError = conflict(
  "run_depth_exceeded",
  `Runs have caused this delivery over ${runDepthMax} levels. A workflow may fire itself through a webhook.`,
  { max: runDepthMax }
)

/** The request of a delivery; 400 where the template cannot be filled in. */
const submitted = (
  { bytes, headers, query, trigger }: Verified,
  id: string,
  receivedAt: Date
): Result.Result<Action, ApiError> => {
  const action = JSON.parse(trigger.action) as FiringAction
  const depth = runDepthOf(headers)
  if (depth >= runDepthMax) return Result.fail(tooDeep)
  if (trigger.payload_template === null) return Result.succeed(requestOf(action, undefined, depth))
  const body = readBody(bytes)
  if (Result.isFailure(body)) return Result.fail(invalidRequest(body.failure))
  const delivery: Delivery = { id, receivedAt, headers, query, body: body.success }
  const payload = renderPayload(JSON.parse(trigger.payload_template), delivery)
  return Result.map(payload, (value) => requestOf(action, value, depth))
}

export class TriggerCalls extends Context.Service<TriggerCalls, {
  /** Answers once the request has begun, before its provider answers. */
  readonly fire: (call: Call) => Effect.Effect<Fired, ApiError>
}>()("@countersign/hub/triggers/TriggerCalls") {
  static readonly layer = Layer.effect(
    TriggerCalls,
    Effect.gen(function*() {
      const settings = yield* Settings
      const secrets = yield* TriggerSecrets
      const triggers = yield* TriggersRepository
      const firingRows = yield* FiringsRepository
      const firings = yield* Firings
      const owner = yield* Owner
      const db = yield* Db
      const verifiedLimiter = makeRateLimiter("hook", settings.rateLimit.hook)
      const unverifiedLimiter = makeRateLimiter("hook", settings.rateLimit.hook)

      const verify = Effect.fnUntraced(function*({ address, body, headers, query, trigger: id }: Call) {
        /** The same for an unknown trigger and for a wrong signature. */
        const unsigned = Effect.suspend(() => {
          const taken = takeFrom(unverifiedLimiter, addressKey(address))
          return Effect.fail(
            taken.allowed
              ? unauthorized(
                "The delivery is not signed by a secret of this trigger, or its timestamp is not current.",
                {
                  wants: "signature"
                }
              )
              : rateLimited(taken.resetSeconds)
          )
        })
        if (!isSigned(headers) || !triggerIdPattern.test(id)) return yield* unsigned
        const now = Date.now()
        const found = yield* secrets.find(id, address, now)
        // The body of an unknown trigger is read as well, so that both answers look the same.
        const bytes = yield* body
        const { keys, requireTimestamp } = Option.getOrElse(
          found,
          () => ({ keys: ["unknown"], requireTimestamp: false })
        )
        const verdict = verifyDelivery(keys, { headers, body: bytes, now }, requireTimestamp)
        if (Option.isNone(found) || !verdict.valid) return yield* unsigned
        const taken = takeFrom(verifiedLimiter, id)
        if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
        const deliveryId = deliveryIdOf(headers)
        if (Result.isFailure(deliveryId)) {
          return yield* Effect.fail(invalidRequest("The delivery id is not valid.", [deliveryId.failure]))
        }
        const trigger = yield* triggers.webhook(id)
        if (Option.isNone(trigger)) return yield* unsigned
        const digest = createHash("sha256").update(bytes).digest()
        return {
          trigger: trigger.value,
          deliveryId: deliveryId.success,
          bytes,
          digest,
          headers,
          query
        } satisfies Verified
      })

      /** Stores the firing with the id of its request, or finds the first one of its delivery id. */
      const store = Effect.fnUntraced(function*(call: Verified) {
        const { deliveryId, digest, trigger } = call
        const earlier = deliveryId === undefined
          ? Option.none()
          : yield* firingRows.delivery(trigger.org_id, trigger.id, deliveryId)
        if (Option.isSome(earlier)) {
          if (!Buffer.from(earlier.value.digest).equals(digest) && earlier.value.status !== "refused") {
            return yield* Effect.fail(otherBody)
          }
          if (earlier.value.status !== "refused") return { kind: "repeat" } satisfies Stored
        }
        if (trigger.status === "paused") return yield* Effect.fail(paused)
        const at = new Date()
        const id = Option.isSome(earlier) ? earlier.value.id : newId("dlv")
        const request = submitted(call, deliveryId ?? id, at)
        const isRefused = Result.isFailure(request)
        const firing: NewFiring = {
          id,
          org_id: trigger.org_id,
          agent_id: trigger.agent_id,
          schedule_id: null,
          trigger_id: trigger.id,
          due_at: null,
          manual: false,
          delivery_id: deliveryId ?? null,
          digest,
          status: isRefused ? "refused" : "fired",
          missed: null,
          request_id: isRefused ? null : newId("req"),
          submits: isRefused ? null : request.success,
          error: isRefused ? errorText(request.failure) : null,
          owner: isRefused ? null : owner.num(),
          created_at: at
        }
        const stored = Option.isSome(earlier)
          ? isRefused || (yield* firingRows.reuse(trigger.org_id, id, firing))
          : (yield* firings.store([firing])).has(id)
        // Another call stored the delivery meanwhile.
        if (!stored) return { kind: "repeat" } satisfies Stored
        return isRefused
          ? { kind: "refused", error: request.failure } satisfies Stored
          : { kind: "stored", firing, submits: request.success } satisfies Stored
      }, db.transaction)

      /** The answer of the first firing of a delivery id, once its request has begun. */
      const repeated = Effect.fnUntraced(function*({ deliveryId, digest, trigger }: Verified) {
        const until = performance.now() + repeatMillisMax
        for (;;) {
          const first = yield* firingRows.delivery(trigger.org_id, trigger.id, deliveryId ?? "")
          if (Option.isNone(first)) return yield* Effect.fail(unbegun())
          const { error, is_unsent, request_id, ...row } = first.value
          if (!Buffer.from(row.digest).equals(digest)) return yield* Effect.fail(otherBody)
          if (row.status === "refused") return yield* Effect.fail(errorOf(error))
          if (!is_unsent && request_id !== null) return { service_request_id: request_id }
          if (performance.now() > until) return yield* Effect.fail(unbegun())
          yield* Effect.sleep(repeatPollMillis)
        }
      })

      const fire = Effect.fn("TriggerCalls.fire")(function*(call: Call) {
        const verified = yield* verify(call)
        const stored = yield* store(verified)
        if (stored.kind === "refused") return yield* Effect.fail(stored.error)
        if (stored.kind === "repeat") return yield* repeated(verified)
        const { firing, submits } = stored
        const request_id = firing.request_id as ServiceRequestId
        yield* firings.submit({
          ...submits,
          id: firing.id,
          org_id: firing.org_id,
          agent_id: firing.agent_id,
          schedule_id: null,
          trigger_id: verified.trigger.id,
          request_id
        })
        return { service_request_id: request_id }
      })

      return TriggerCalls.of({ fire })
    })
  )
}

const errorText = ({ error: { code, details, message } }: ApiError): string =>
  JSON.stringify({ code, message, ...(details === undefined ? {} : { details }) })

/** The stored error of a refused delivery. */
const errorOf = (text: string | null): ApiError => {
  const error = JSON.parse(text ?? "{}") as ErrorBody
  return error.code === "invalid_request" ? new BadRequest({ error }) : new Conflict({ error })
}

/** One attempt: signs a message with each valid secret, posts it through the egress guard, and reads the answer. */
import { Clock, Context, Effect, Layer, Random } from "effect"
import { Settings } from "../config.ts"
import { signStandard } from "../platform/signatures.ts"
import type { EgressError } from "../providers/egress-errors.ts"
import { parseAllowList } from "../providers/egress-rules.ts"
import { Egress, type EgressAnswer } from "../providers/egress.ts"
import type { DueDelivery, EndedAttempt } from "./queue-repository.ts"
import {
  addressProblem,
  attemptMillisMax,
  isDelivered,
  isGone,
  messageOf,
  pauseSeconds,
  retryAfterOf
} from "./rules.ts"
import { WebhookSecrets } from "./secrets.ts"

/** The part of an answer that is kept. */
const responseBytesMax = 1_024
/** A longer answer is cut, so that no connection outlives its attempt. */
const answerBytesMax = 16 * 1_024

type Result = Pick<EndedAttempt, "status" | "error" | "response"> & { readonly retryAfter: number | undefined }

const decoder = new TextDecoder()

/** PostgreSQL stores no NUL in a text. */
const textOf = (body: Uint8Array): string | null =>
  body.length === 0 ? null : decoder.decode(body.subarray(0, responseBytesMax)).replaceAll("\0", "\ufffd")

const ofAnswer = ({ body, headers, status }: EgressAnswer, now: number): Result => ({
  status,
  error: isDelivered(status)
    ? null
    : status >= 300 && status < 400
    ? `the answer is a redirect (${status}); redirects are not followed`
    : `the answer has the status ${status}`,
  response: textOf(body),
  retryAfter: retryAfterOf(headers["retry-after"], now)
})

/** Without a complete answer nothing was delivered, whatever its status was. */
const ofError = (error: EgressError): Result => ({
  status: "status" in error ? error.status ?? null : null,
  error: error.message,
  response: null,
  retryAfter: undefined
})

const refused = (error: string): Result => ({ status: null, error, response: null, retryAfter: undefined })

export class WebhookAttempts extends Context.Service<WebhookAttempts, {
  readonly make: (delivery: DueDelivery) => Effect.Effect<EndedAttempt>
}>()("@countersign/hub/webhook-endpoints/WebhookAttempts") {
  static readonly layer = Layer.effect(
    WebhookAttempts,
    Effect.gen(function*() {
      const { egressAllow } = yield* Settings
      const secrets = yield* WebhookSecrets
      const egress = yield* Egress
      const rules = { allow: parseAllowList(egressAllow.join(",")).entries }

      const post = Effect.fnUntraced(function*(delivery: DueDelivery, now: number): Effect.fn.Return<Result> {
        const { endpoint_id, event_id, org_id, url } = delivery
        const problem = addressProblem(url, rules)
        if (problem !== undefined) return refused(problem)
        const body = JSON.stringify(messageOf(delivery))
        const signed = secrets.signing(org_id, endpoint_id, delivery, now).map((secret) =>
          signStandard(secret, { id: event_id, at: now, body })
        )
        const answer = yield* Effect.result(egress.request({
          url,
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...signed[0],
            "webhook-signature": signed.map((each) => each["webhook-signature"]).join(" ")
          },
          body,
          timeoutMs: attemptMillisMax,
          maxBytes: answerBytesMax,
          overflow: "cut"
        }))
        return answer._tag === "Success" ? ofAnswer(answer.success, now) : ofError(answer.failure)
      })

      return WebhookAttempts.of({
        make: Effect.fnUntraced(function*(delivery) {
          const at = yield* Clock.currentTimeMillis
          const { retryAfter, ...result } = yield* post(delivery, at).pipe(
            Effect.catchDefect((defect) =>
              Effect.as(
                Effect.logWarning(`the message of ${delivery.id} could not be sent`, defect),
                refused("the hub could not send the message; its log has the reason")
              )
            )
          )
          const delivered = result.error === null && isDelivered(result.status ?? undefined)
          const pause = delivered || isGone(result.status ?? undefined)
            ? undefined
            : pauseSeconds(delivery.tries + 1, retryAfter, yield* Random.next)
          return {
            ...result,
            id: delivery.id,
            org_id: delivery.org_id,
            endpoint_id: delivery.endpoint_id,
            before: delivery.attempts,
            isFailing: delivery.is_failing,
            at: new Date(at),
            millis: (yield* Clock.currentTimeMillis) - at,
            outcome: delivered ? "delivered" : pause === undefined ? "failed" : "pending",
            pauseSeconds: pause ?? 0
          }
        })
      })
    })
  )
}

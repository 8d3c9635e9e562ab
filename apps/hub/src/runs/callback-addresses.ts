/** The addresses that a webhook step waits for a callback at: the token is a MAC of the step and its attempt. */
import { Context, Effect, Layer, Redacted } from "effect"
import { createHmac, timingSafeEqual } from "node:crypto"
import { Settings } from "../config.ts"
import { MasterKey } from "../platform/master-key.ts"

export class CallbackAddresses extends Context.Service<CallbackAddresses, {
  readonly urlOf: (stepId: string, attempt: number) => string
  readonly isToken: (stepId: string, attempt: number, token: string) => boolean
}>()("@countersign/hub/runs/CallbackAddresses") {
  static readonly layer = Layer.effect(
    CallbackAddresses,
    Effect.gen(function*() {
      const { key } = yield* MasterKey
      const { publicUrl } = yield* Settings
      const macKey = createHmac("sha256", Redacted.value(key)).update("countersign workflow callbacks 1").digest()
      const tokenOf = (stepId: string, attempt: number) =>
        createHmac("sha256", macKey).update(`${stepId} ${attempt}`).digest("base64url")
      return CallbackAddresses.of({
        urlOf: (stepId, attempt) =>
          `${publicUrl.origin}/api/v1/workflow-callbacks/${stepId}/${tokenOf(stepId, attempt)}`,
        isToken: (stepId, attempt, token) => {
          const [given, expected] = [Buffer.from(token), Buffer.from(tokenOf(stepId, attempt))]
          return given.length === expected.length && timingSafeEqual(given, expected)
        }
      })
    })
  )
}

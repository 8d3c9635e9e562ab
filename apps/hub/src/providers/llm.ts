/**
 * `llm.chat`: one completion of an OpenAI-compatible provider, not streamed. The provider is the operator's setting, so
 * its own address may be an inner one; no other call can reach that address through it. Token prices are data of the
 * catalog, in cents per million tokens: a token at one cent per million costs exactly one micro-cent.
 */
import { resolvePointer } from "@countersign/domain/pointer"
import type { ServiceDefinition } from "@countersign/domain/services"
import { Effect, Option, Redacted, Schema } from "effect"
import { type Adapter, type AdapterOutcome, failed } from "./adapter.ts"
import { readAnswer, type Reading, resultOf, scrubbed, scrubOf } from "./answer.ts"
import type { Egress } from "./egress.ts"
import { fateOf, isSuccess, refusalOf } from "./fate.ts"

/** The answer's token limit when the payload sets none. The catalog's price uses the same number. */
export const maxTokensDefault = 1024
const microCentsInCent = 1_000_000

const TokenPrice = Schema.Struct({
  input: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  output: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})
/** `settings` of the service: cents per million tokens, by model; `default` for any other. */
export const LlmSettings = Schema.Struct({
  cents_per_million_tokens: Schema.Struct({ default: TokenPrice, models: Schema.Record(Schema.String, TokenPrice) })
})
const decodeSettings = Schema.decodeUnknownSync(LlmSettings)

export interface LlmProvider {
  readonly baseUrl: string
  readonly apiKey: Option.Option<Redacted.Redacted>
}

/** Cents with fractions down to the micro-cent, or `undefined` when the answer does not report its tokens. */
export const costOf = (settings: typeof LlmSettings.Type, model: string, document: unknown): number | undefined => {
  const tokens = (pointer: string) => {
    const resolved = resolvePointer(document, pointer)
    const count = resolved.found ? resolved.value : undefined
    return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined
  }
  const input = tokens("/usage/prompt_tokens")
  const output = tokens("/usage/completion_tokens")
  if (input === undefined || output === undefined) return undefined
  const { default: fallback, models } = settings.cents_per_million_tokens
  const price = Object.hasOwn(models, model) ? models[model]! : fallback
  return (input * price.input + output * price.output) / microCentsInCent
}

export const llmAdapter = (egress: Egress["Service"], provider: Option.Option<LlmProvider>): Adapter => {
  if (Option.isNone(provider)) {
    return {
      execute: () =>
        Effect.succeed(failed("No model provider is configured: the operator has not set HUB_LLM_BASE_URL."))
    }
  }
  const { apiKey, baseUrl } = provider.value
  const key = Option.map(apiKey, Redacted.value)
  const url = `${baseUrl.replace(/\/+$/, "")}/chat/completions`
  const authorization = Option.isSome(key) ? { authorization: `Bearer ${key.value}` } : {}
  const scrub = scrubOf(Option.toArray(key))
  return {
    execute: (definition, call) => {
      const payload = call.payload as { readonly model: string; readonly max_tokens?: number }
      return egress.request({
        url,
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          "idempotency-key": call.requestId,
          ...authorization
        },
        body: JSON.stringify({ ...payload, max_tokens: payload.max_tokens ?? maxTokensDefault, stream: false }),
        timeoutMs: call.timeoutMs,
        trusted: true
      }).pipe(Effect.match({
        onFailure: fateOf,
        onSuccess: (answer): AdapterOutcome => {
          const reading = scrubbed(readAnswer(answer.body, answer.headers["content-type"]), scrub)
          if (!isSuccess(answer.status)) return refusalOf(answer, reading)
          if (answer.truncated) return { kind: "executed", result: { truncated: true }, actualFound: false }
          // A proxy's page, or JSON without a completion: the provider did not answer the request.
          if (!isCompletion(reading)) {
            return failed(
              `The provider answered ${answer.status} without a completion: ${reading.text.trim()}`,
              answer.status
            )
          }
          const result = resultOf(reading, undefined) as Record<string, unknown>
          const cost = costOf(settingsOf(definition), payload.model, result)
          return cost === undefined
            ? { kind: "executed", result, actualFound: false }
            : { kind: "executed", result: { ...result, cost_cents: cost }, actual: cost, actualFound: true }
        }
      }))
    }
  }
}

/** A JSON object with `choices`, as every OpenAI-compatible provider answers. */
const isCompletion = (reading: Reading): boolean => {
  if (reading.kind !== "json" || typeof reading.document !== "object" || reading.document === null) return false
  const { choices } = reading.document as { readonly choices?: unknown }
  return Array.isArray(choices) && choices.length > 0
}

/** A definition is never changed in place, so its settings are decoded once. */
const decodedSettings = new WeakMap<ServiceDefinition, typeof LlmSettings.Type>()

const settingsOf = (definition: ServiceDefinition): typeof LlmSettings.Type => {
  const known = decodedSettings.get(definition)
  if (known !== undefined) return known
  const settings = decodeSettings(definition.kind === "builtin" ? definition.settings : undefined)
  decodedSettings.set(definition, settings)
  return settings
}

/**
 * `llm.chat`: one answer of a model. Calls of the hub itself (chat, model door) stream; a plain request of an agent is
 * one completion. The provider is the operator's setting, so its own address may be an inner one; no other call can
 * reach that address through it. Spec: reference/models.md "Model calls".
 */
import type { OrgId } from "@countersign/domain/ids"
import { isJsonObject } from "@countersign/domain/json"
import { resolvePointer } from "@countersign/domain/pointer"
import { defaultRatesOf, type TokensPrice } from "@countersign/domain/price"
import { operationOf, type ServiceDefinition } from "@countersign/domain/services"
import {
  centsOf,
  microCentsOf,
  microCentsOfUsd,
  noTokens,
  type TokenCounts,
  type TokenRates
} from "@countersign/domain/token-price"
import { Effect } from "effect"
import { type Adapter, type AdapterCall, type AdapterOutcome, failed, unknownFate } from "../adapter.ts"
import { readAnswer, type Reading, resultOf, scrubbed } from "../answer.ts"
import type { Egress } from "../egress.ts"
import { fateOf, isSuccess, refusalOf } from "../fate.ts"
import type { ModelAnswer, ModelCall } from "../model-answer.ts"
import { estimatedTokens, inputTokensMax, maxTokensDefault, type Prompt, promptOfPayload } from "../model-prompt.ts"
import { completionOf } from "./completion.ts"
import { isContextPayload } from "./context.ts"
import { generationCost } from "./generation.ts"
import { isOffline, offlineAnswer } from "./offline.ts"
import { keepsGenerations, type LlmSettings, noProvider, targetOf } from "./providers.ts"
import { type StreamLimits, streamLimits, streamModel, type StreamOutcome, type Target } from "./stream.ts"
import { countOf } from "./wire.ts"

export interface LlmOptions {
  readonly egress: Egress["Service"]
  readonly settings: LlmSettings
  /** The catalog's rates of a model. */
  readonly ratesOf: (model: string) => TokenRates | undefined
  /** The stored prompt of a call that was approved after its caller left. */
  readonly promptOf: (org: OrgId, id: string) => Effect.Effect<Prompt | undefined>
  readonly counted: (labels: { readonly outcome: string }) => void
  readonly limits?: StreamLimits
}

const tokensPriceOf = (definition: ServiceDefinition, operation: string): TokensPrice | undefined => {
  const price = operationOf(definition, operation)?.price
  return price?.type === "tokens" ? price : undefined
}

/** The counts of a plain completion, or `undefined` when the answer does not report its tokens. */
const countsOf = (document: unknown): TokenCounts | undefined => {
  const tokens = (pointer: string) => {
    const resolved = resolvePointer(document, pointer)
    return resolved.found ? countOf(resolved.value) : undefined
  }
  const input = tokens("/usage/prompt_tokens")
  const output = tokens("/usage/completion_tokens")
  if (input === undefined || output === undefined) return undefined
  return {
    ...noTokens,
    input,
    output,
    cached: tokens("/usage/prompt_tokens_details/cached_tokens") ?? 0,
    written: tokens("/usage/prompt_tokens_details/cache_write_tokens") ?? 0
  }
}

/** What an answer counts as: the provider's counts, and an estimate of what it did not count. */
const chargedCounts = (
  answer: ModelAnswer,
  prompt: Prompt,
  isCut: boolean
): { readonly counts: TokenCounts; readonly estimated: boolean } => {
  const { counts } = answer
  const written = () =>
    Math.min(
      prompt.max_tokens,
      estimatedTokens(
        `${answer.thinking}${answer.text}${answer.calls.map((call) => call.name + call.arguments).join("")}`
      )
    )
  if (counts !== undefined) {
    // A cut stream counts its output at the beginning, before there is any.
    const output = isCut ? Math.max(counts.output, written()) : counts.output
    return { counts: { ...counts, output }, estimated: output !== counts.output }
  }
  const input = Math.min(
    inputTokensMax(prompt),
    estimatedTokens(JSON.stringify(prompt.messages)) + estimatedTokens(JSON.stringify(prompt.tools ?? []))
  )
  return { counts: { ...noTokens, input, output: written() }, estimated: true }
}

/** The outcome's price, by the kind of the operation's price. */
const pricedBy = (
  definition: ServiceDefinition,
  call: AdapterCall,
  result: object,
  costCents: number | undefined
): Pick<Extract<AdapterOutcome, { readonly kind: "executed" }>, "actual" | "actualFound"> => {
  const price = operationOf(definition, call.operation)?.price
  if (price?.type === "tokens") {
    return costCents === undefined
      ? { actualFound: false }
      : { actual: costCents, actualFound: true }
  }
  if (price?.type !== "quoted" || price.actual === undefined) return {}
  const resolved = resolvePointer(result, price.actual)
  return resolved.found ? { actual: resolved.value, actualFound: true } : { actualFound: false }
}

export const llmAdapter = (options: LlmOptions): Adapter => {
  const { counted, egress, limits = streamLimits, promptOf, ratesOf, settings } = options

  const costOf = (
    definition: ServiceDefinition,
    call: AdapterCall,
    model: string,
    counts: TokenCounts,
    usd?: number
  ) => {
    const price = tokensPriceOf(definition, call.operation)
    const rates = ratesOf(model) ?? (price === undefined ? undefined : defaultRatesOf(price))
    const micros = microCentsOfUsd(usd) ?? (rates === undefined ? undefined : microCentsOf(rates, counts))
    return micros === undefined ? undefined : centsOf(micros)
  }

  const executed = (
    definition: ServiceDefinition,
    call: AdapterCall,
    prompt: Prompt,
    answer: ModelAnswer,
    cut: { readonly detail: string } | undefined,
    usd = answer.usd
  ): AdapterOutcome => {
    const charged = chargedCounts(answer, prompt, cut !== undefined && usd === undefined)
    const estimated = charged.estimated && usd === undefined
    const costCents = costOf(definition, call, prompt.model, charged.counts, usd)
    const truncated = cut !== undefined
    const result = completionOf(answer, call.requestId, prompt.model, {
      counts: charged.counts,
      costCents,
      estimated,
      truncated
    })
    return {
      kind: "executed",
      result,
      ...pricedBy(definition, call, result, costCents),
      audit: {
        model: prompt.model,
        input_tokens: charged.counts.input,
        output_tokens: charged.counts.output,
        ...estimated ? { estimated: true } : {},
        ...truncated ? { truncated: true, detail: cut.detail } : {}
      }
    }
  }

  const settled = (
    definition: ServiceDefinition,
    call: AdapterCall,
    prompt: Prompt,
    outcome: StreamOutcome,
    target: Target | undefined
  ): Effect.Effect<AdapterOutcome> => {
    counted({ outcome: outcome.kind })
    switch (outcome.kind) {
      case "whole":
        return Effect.succeed(executed(definition, call, prompt, outcome.answer, undefined))
      case "cut": {
        const { answer, detail } = outcome
        return target !== undefined && keepsGenerations(target.baseUrl) && answer.id !== undefined
          ? Effect.map(
            generationCost(egress, target, answer.id),
            (usd) => executed(definition, call, prompt, answer, { detail }, usd ?? answer.usd)
          )
          : Effect.succeed(executed(definition, call, prompt, answer, { detail }))
      }
      case "refused":
        return Effect.succeed({
          ...failed(outcome.detail, outcome.status),
          ...outcome.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: outcome.retryAfterSeconds }
        })
      case "unknown":
        return Effect.succeed(unknownFate(outcome.detail))
    }
  }

  const stream = (
    definition: ServiceDefinition,
    call: AdapterCall,
    model: ModelCall
  ): Effect.Effect<AdapterOutcome> => {
    const { prompt } = model
    if (isOffline(prompt.model)) {
      return Effect.flatMap(
        offlineAnswer(model, call.requestId),
        (outcome) => settled(definition, call, prompt, outcome, undefined)
      )
    }
    const target = targetOf(settings, prompt.model)
    return target === undefined
      ? Effect.succeed(failed(noProvider(prompt.model)))
      : Effect.flatMap(
        streamModel(egress, target, model, call.requestId, limits),
        (outcome) => settled(definition, call, prompt, outcome, target)
      )
  }

  /** One completion that is not streamed, at an OpenAI-compatible provider. */
  const complete = (
    definition: ServiceDefinition,
    call: AdapterCall,
    target: Target
  ): Effect.Effect<AdapterOutcome> => {
    const payload = call.payload as { readonly model: string; readonly max_tokens?: number }
    return egress.request({
      url: `${target.baseUrl.replace(/\/+$/, "")}${target.wire.path}`,
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "idempotency-key": call.requestId,
        ...target.wire.headersOf(target.key)
      },
      body: JSON.stringify({
        ...payload,
        model: target.model,
        max_tokens: payload.max_tokens ?? maxTokensDefault,
        stream: false
      }),
      timeoutMs: call.timeoutMs,
      trusted: true
    }).pipe(Effect.match({
      onFailure: fateOf,
      onSuccess: (answer): AdapterOutcome => {
        const reading = scrubbed(readAnswer(answer.body, answer.headers["content-type"]), target.scrub)
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
        const counts = countsOf(result)
        const cost = resolvePointer(result, "/usage/cost")
        const costCents = counts === undefined
          ? undefined
          : costOf(definition, call, payload.model, counts, cost.found ? cost.value as number : undefined)
        const shown = costCents === undefined ? result : { ...result, cost_cents: costCents }
        return { kind: "executed", result: shown, ...pricedBy(definition, call, shown, costCents) }
      }
    }))
  }

  const unread: Pick<ModelCall, "emit"> = { emit: () => {} }

  return {
    execute: (definition, call) => {
      const { payload } = call
      if (isContextPayload(payload)) {
        if (call.model !== undefined) return stream(definition, call, call.model)
        return Effect.flatMap(promptOf(call.orgId, payload.context.id), (prompt) =>
          prompt === undefined
            ? Effect.succeed(failed("The prompt of this call is no longer stored. Send the call again."))
            : stream(definition, call, { prompt, ...unread }))
      }
      const plain = isJsonObject(payload) ? payload : {}
      const model = String(plain["model"])
      const target = isOffline(model) ? undefined : targetOf(settings, model)
      return target?.wire.name === "openai"
        ? complete(definition, call, target)
        : stream(definition, call, { prompt: promptOfPayload(plain, maxTokensDefault), ...unread })
    }
  }
}

/** Test mode: calls of the hub are answered by the offline model, every other one by the mock. */
export const llmTestAdapter = (mock: Adapter, promptOf: LlmOptions["promptOf"]): Adapter => ({
  execute: (definition, call) => {
    const { payload } = call
    if (!isContextPayload(payload)) return mock.execute(definition, call)
    return Effect.gen(function*(): Effect.fn.Return<AdapterOutcome> {
      const prompt = call.model?.prompt ?? (yield* promptOf(call.orgId, payload.context.id))
      if (prompt === undefined) return failed("The prompt of this call is no longer stored. Send the call again.")
      const outcome = yield* offlineAnswer(call.model ?? { prompt, emit: () => {} }, call.requestId)
      if (outcome.kind === "refused") return failed(outcome.detail, outcome.status)
      if (outcome.kind === "unknown") return unknownFate(outcome.detail)
      const truncated = outcome.kind === "cut"
      const { counts } = chargedCounts(outcome.answer, prompt, truncated)
      return {
        kind: "executed",
        result: completionOf(outcome.answer, call.requestId, prompt.model, {
          counts,
          costCents: 0,
          estimated: false,
          truncated
        })
      }
    })
  }
})

/** A JSON object with `choices`, as every OpenAI-compatible provider answers. */
const isCompletion = (reading: Reading): boolean => {
  if (reading.kind !== "json" || typeof reading.document !== "object" || reading.document === null) return false
  const { choices } = reading.document as { readonly choices?: unknown }
  return Array.isArray(choices) && choices.length > 0
}

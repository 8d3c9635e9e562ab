/** Which provider serves a model, and under which name. Spec: reference/models.md "Providers". */
import { Option, Redacted } from "effect"
import { scrubOf } from "../answer.ts"
import { anthropicWire } from "./anthropic-wire.ts"
import { openAiWire } from "./openai-wire.ts"
import type { Target } from "./stream.ts"

/** The operator's settings. */
export interface LlmSettings {
  readonly llm: Option.Option<{
    readonly baseUrl: string
    readonly apiKey: Option.Option<Redacted.Redacted>
    readonly wire: "openai" | "anthropic"
  }>
  readonly anthropicKey: Option.Option<Redacted.Redacted>
}

const anthropicUrl = "https://api.anthropic.com/v1"

/** OpenRouter's `claude-sonnet-4.5` is `claude-sonnet-4-5` at Anthropic. */
const anthropicName = (model: string): string => model.replace(/^anthropic\//u, "").replace(/(?<=\d)\.(?=\d)/gu, "-")

const isAnthropics = (model: string): boolean => /^(?:anthropic\/)?claude-/u.test(model)

/** Aggregators name models with their provider's prefix; OpenAI itself does not. */
const nameAt = (baseUrl: string, model: string): string =>
  new URL(baseUrl).hostname === "api.openai.com" ? model.replace(/^openai\//u, "") : model

/** OpenRouter reports the cost of a generation, also after it was cut. */
export const keepsGenerations = (baseUrl: string): boolean => /(?:^|\.)openrouter\.ai$/u.test(new URL(baseUrl).hostname)

/** `undefined`: no provider that is set serves the model. */
export const targetOf = ({ anthropicKey, llm }: LlmSettings, model: string): Target | undefined => {
  if (Option.isSome(anthropicKey) && isAnthropics(model)) {
    const key = Redacted.value(anthropicKey.value)
    return { wire: anthropicWire, baseUrl: anthropicUrl, key, model: anthropicName(model), scrub: scrubOf([key]) }
  }
  if (Option.isNone(llm)) return undefined
  const { apiKey, baseUrl, wire } = llm.value
  const key = Option.getOrUndefined(Option.map(apiKey, Redacted.value))
  return {
    wire: wire === "anthropic" ? anthropicWire : openAiWire,
    baseUrl,
    key,
    model: wire === "anthropic" ? anthropicName(model) : nameAt(baseUrl, model),
    scrub: scrubOf(key === undefined ? [] : [key])
  }
}

/** The reason why a model cannot be called. */
export const noProvider = (model: string): string =>
  `No model provider is configured for ${model}: the operator has not set HUB_LLM_BASE_URL.`

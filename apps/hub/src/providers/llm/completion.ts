/** An answer as the result of `llm.chat`: a completion in OpenAI's form, and back. */
import { noTokens, type TokenCounts } from "@countersign/domain/token-price"
import type { FinishReason, ModelAnswer } from "../model-answer.ts"
import { finishReasons, known, listOf, objectOf, textOf } from "./wire.ts"

/** The longest result that is stored, as for every other service. */
export const resultBytesMax = 1024 * 1024

export interface Charge {
  readonly counts: TokenCounts
  /** Of cents, with six decimals. */
  readonly costCents: number | undefined
  readonly estimated: boolean
  readonly truncated: boolean
}

export const usageOf = ({ cached, input, output, written }: TokenCounts) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  ...cached + written === 0 ? {} : {
    prompt_tokens_details: { cached_tokens: cached, ...written === 0 ? {} : { cache_write_tokens: written } }
  }
})

export const completionOf = (answer: ModelAnswer, id: string, model: string, charge: Charge): object => {
  const completion = {
    id: answer.id ?? id,
    object: "chat.completion",
    model,
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: answer.text === "" && answer.calls.length > 0 ? null : answer.text,
        ...answer.thinking === "" ? {} : { reasoning_content: answer.thinking },
        ...answer.reasoning.length === 0 ? {} : { reasoning_details: answer.reasoning },
        ...answer.calls.length === 0 ? {} : {
          tool_calls: answer.calls.map(({ arguments: text, id, name }) => ({
            id,
            type: "function",
            function: { name, arguments: text }
          }))
        }
      },
      finish_reason: charge.truncated ? "length" : answer.finish ?? "stop"
    }],
    usage: usageOf(charge.counts),
    ...known({ cost_cents: charge.costCents }),
    ...charge.truncated ? { truncated: true } : {},
    ...charge.estimated ? { estimated: true } : {}
  }
  if (Buffer.byteLength(JSON.stringify(completion)) <= resultBytesMax) return completion
  const { choices: _, ...rest } = completion
  return { ...rest, truncated: true }
}

/** The charge of a stored result. */
export const chargeOf = (result: unknown): Charge => {
  const stored = objectOf(result)
  const usage = objectOf(stored["usage"])
  const details = objectOf(usage["prompt_tokens_details"])
  const number = (value: unknown) => typeof value === "number" ? value : 0
  const cost = stored["cost_cents"]
  return {
    counts: {
      ...noTokens,
      input: number(usage["prompt_tokens"]),
      output: number(usage["completion_tokens"]),
      cached: number(details["cached_tokens"]),
      written: number(details["cache_write_tokens"])
    },
    costCents: typeof cost === "number" ? cost : undefined,
    estimated: stored["estimated"] === true,
    truncated: stored["truncated"] === true
  }
}

/** The answer of a stored result; `undefined` when it was too long to be stored. */
export const storedAnswer = (result: unknown): ModelAnswer | undefined => {
  const stored = objectOf(result)
  const choice = listOf(stored["choices"])[0]
  if (choice === undefined) return undefined
  const message = objectOf(choice["message"])
  const finish: FinishReason = finishReasons[textOf(choice["finish_reason"])] ?? "stop"
  return {
    id: textOf(stored["id"]),
    text: textOf(message["content"]),
    thinking: textOf(message["reasoning_content"]),
    reasoning: listOf(message["reasoning_details"]),
    calls: listOf(message["tool_calls"]).map((call) => {
      const { arguments: text, name } = objectOf(call["function"])
      return { id: textOf(call["id"]), name: textOf(name), arguments: textOf(text) }
    }),
    finish,
    counts: undefined,
    usd: undefined
  }
}

/** The most tokens that the payload of a model call can cause. Pure. */
import type { TokenBounds } from "@countersign/domain/price"
import { inputTokensMax, maxTokensDefault, promptOfPayload } from "../model-prompt.ts"
import { isContextPayload } from "./context.ts"

export const tokenBoundsOf = (payload: Readonly<Record<string, unknown>>): TokenBounds => {
  if (isContextPayload(payload)) {
    return { model: payload.model, inputMax: payload.context.input_tokens_max, outputMax: payload.max_tokens }
  }
  const prompt = promptOfPayload(payload, maxTokensDefault)
  return { model: prompt.model, inputMax: inputTokensMax(prompt), outputMax: prompt.max_tokens }
}

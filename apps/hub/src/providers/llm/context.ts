/**
 * The payload of a model call that the hub itself files: its prompt is not part of the request, only its digest. From
 * other callers `context` is an unknown field. Spec: reference/models.md "Model calls".
 */
import { isJsonObject } from "@countersign/domain/json"
import { createHash } from "node:crypto"
import { inputTokensMax, type Prompt } from "../model-prompt.ts"

export interface CallContext {
  readonly id: string
  readonly sha256: string
  readonly input_tokens_max: number
}

export interface ContextPayload {
  readonly model: string
  readonly max_tokens: number
  readonly context: CallContext
}

const isCount = (value: unknown): boolean => typeof value === "number" && Number.isSafeInteger(value) && value >= 1

/** Whether a payload has this form. Callers check first that it comes from the hub. */
export const isContextPayload = (payload: unknown): payload is ContextPayload => {
  if (!isJsonObject(payload) || !isJsonObject(payload["context"])) return false
  const { context, max_tokens, model } = payload
  return typeof model === "string" && isCount(max_tokens) && typeof context["id"] === "string" &&
    typeof context["sha256"] === "string" && isCount(context["input_tokens_max"])
}

export const promptDigest = (prompt: Prompt): string =>
  createHash("sha256").update(JSON.stringify(prompt)).digest("hex")

/** `inputMax` replaces the bound of one token for each byte, where the provider has counted a part of the input. */
export const contextPayloadOf = (prompt: Prompt, id: string, inputMax = inputTokensMax(prompt)) => ({
  model: prompt.model,
  max_tokens: prompt.max_tokens,
  context: { id, sha256: promptDigest(prompt), input_tokens_max: inputMax }
})

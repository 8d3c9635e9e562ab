/** A provider's answer to `GET /models`, in OpenRouter's, OpenAI's, or Anthropic's form. Pure. */
import { isJsonObject } from "@countersign/domain/json"
import { type Model, modelIdMax } from "@countersign/domain/models"
import type { ModelTable } from "./table.ts"

/** Further models of a provider are not listed. */
export const providerModelsMax = 5_000

const textOf = (value: unknown, max: number): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= max && !/\p{Cc}/u.test(value) && value.isWellFormed()
    ? value
    : undefined

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined

const textsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.flatMap((each) => textOf(each, 64) ?? []).slice(0, 100) : []

/** Text or a number, as providers send it; anything else is an unknown price. */
const priceOf = (value: unknown): string | undefined => {
  const text = typeof value === "number" ? String(value) : value
  return typeof text === "string" && /^(?:-1|\d{1,7}(?:\.\d{1,30})?(?:[eE]-?\d{1,2})?)$/u.test(text) ? text : undefined
}

const pricingOf = (value: unknown): Model["pricing"] | undefined => {
  if (!isJsonObject(value)) return undefined
  const [prompt, completion] = [priceOf(value["prompt"]), priceOf(value["completion"])]
  if (prompt === undefined || completion === undefined) return undefined
  const [read, write] = [priceOf(value["input_cache_read"]), priceOf(value["input_cache_write"])]
  return {
    prompt,
    completion,
    ...read === undefined ? {} : { input_cache_read: read },
    ...write === undefined ? {} : { input_cache_write: write }
  }
}

const unknownPrice: Model["pricing"] = { prompt: "-1", completion: "-1" }

const modelOf = (value: unknown, shipped: ModelTable): Model | undefined => {
  if (!isJsonObject(value)) return undefined
  const id = textOf(value["id"], modelIdMax)
  if (id === undefined || !/^[\x21-\x7e]+$/u.test(id)) return undefined
  const known = shipped.find(id)
  const architecture = isJsonObject(value["architecture"]) ? value["architecture"] : {}
  const top = isJsonObject(value["top_provider"]) ? value["top_provider"] : {}
  const inputs = textsOf(architecture["input_modalities"])
  const outputs = textsOf(architecture["output_modalities"])
  const inputModalities = inputs.length > 0 ? inputs : known?.architecture.input_modalities ?? ["text"]
  const outputModalities = outputs.length > 0 ? outputs : ["text"]
  const context = countOf(value["context_length"]) ?? known?.context_length ?? 0
  const pricing = pricingOf(value["pricing"])
  const parameters = textsOf(value["supported_parameters"])
  return {
    id,
    name: textOf(value["name"], 200) ?? textOf(value["display_name"], 200) ?? known?.name ?? id,
    context_length: context,
    pricing: pricing ?? known?.pricing ?? unknownPrice,
    // The tiers are the snapshot's: they belong to its price only.
    ...pricing === undefined && known?.pricing_tiers !== undefined ? { pricing_tiers: known.pricing_tiers } : {},
    architecture: {
      modality: `${inputModalities.join("+")}->${outputModalities.join("+")}`,
      input_modalities: inputModalities,
      output_modalities: outputModalities
    },
    top_provider: {
      context_length: countOf(top["context_length"]) ?? (context === 0 ? null : context),
      max_completion_tokens: countOf(top["max_completion_tokens"]) ?? known?.top_provider.max_completion_tokens ?? null
    },
    supported_parameters: parameters.length > 0 ? parameters : known?.supported_parameters ?? []
  }
}

/**
 * The models of an answer; `undefined` for an answer without a list. `priced`: it names prices, so it replaces the
 * snapshot; another list is added to it.
 */
export const readProviderList = (
  document: unknown,
  shipped: ModelTable
): { readonly models: ReadonlyArray<Model>; readonly priced: boolean } | undefined => {
  const data = isJsonObject(document) ? document["data"] : undefined
  if (!Array.isArray(data)) return undefined
  const models = new Map<string, Model>()
  for (const value of data.slice(0, providerModelsMax)) {
    const model = modelOf(value, shipped)
    if (model !== undefined && !models.has(model.id)) models.set(model.id, model)
  }
  const priced = data.some((value: unknown) => isJsonObject(value) && pricingOf(value["pricing"]) !== undefined)
  return models.size === 0 ? undefined : { models: [...models.values()], priced }
}

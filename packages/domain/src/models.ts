/**
 * The model catalog in OpenRouter's shape, and the favorites of a person. Spec: reference/models.md "Catalog". Its
 * prices are decimal texts in USD, the only amounts of the API that are not cents.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnyAccess, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { FavoriteId } from "./ids.ts"
import { matching } from "./pattern.ts"
import { picosOf, type TokenRate, type TokenRates } from "./token-price.ts"

export const modelIdMax = 200
/** Favorites of a person in a workspace. */
export const favoritesMax = 500

export const ModelId = Schema.String.check(
  Schema.isMaxLength(modelIdMax),
  matching(/^[\x21-\x7e]+$/u, "a model's id: visible ASCII without blanks")
).annotate({ description: "Such as openai/gpt-4o-mini" })

const Usd = Schema.String.annotate({ description: "USD per token, as decimal text; -1: it depends on the call" })

const rateFields = {
  prompt: Usd,
  completion: Usd,
  input_cache_read: Schema.optionalKey(Usd),
  input_cache_write: Schema.optionalKey(Usd)
}

export const Model = Schema.Struct({
  id: ModelId,
  name: Schema.String,
  context_length: Schema.Int,
  pricing: Schema.Struct(rateFields),
  pricing_tiers: Schema.optionalKey(
    Schema.Array(Schema.Struct({ input_tokens_above: Schema.Int, ...rateFields })).annotate({
      description: "The prices of calls with more input than `input_tokens_above` tokens"
    })
  ),
  architecture: Schema.Struct({
    modality: Schema.String,
    input_modalities: Schema.Array(Schema.String),
    output_modalities: Schema.Array(Schema.String)
  }),
  top_provider: Schema.Struct({
    context_length: Schema.NullOr(Schema.Int),
    max_completion_tokens: Schema.NullOr(Schema.Int)
  }),
  supported_parameters: Schema.Array(Schema.String)
}).annotate({ identifier: "Model" })
export type Model = typeof Model.Type

export const ModelList = Schema.Struct({
  data: Schema.Array(Model),
  next_cursor: Schema.Null,
  as_of: Schema.String,
  source: Schema.Struct({
    kind: Schema.Literals(["provider", "snapshot"]),
    /** Of the snapshot: the package that it was made from. */
    name: Schema.optionalKey(Schema.String),
    generated_at: Schema.String
  }).annotate({
    description: "Where the list comes from, and of when it is: the model provider, or the snapshot that the hub ships"
  })
}).annotate({ identifier: "ModelList" })
export type ModelList = typeof ModelList.Type

/** A limit in USD per million tokens. */
const MaxPrice = Schema.String.check(matching(/^(?:0|[1-9]\d{0,5})(?:\.\d{1,6})?$/u, "an amount in USD, such as 2.5"))

export const ModelQuery = {
  q: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)).annotate({
      description: "Words that the id or the name contains, in any case"
    })
  ),
  provider: Schema.optionalKey(
    Schema.String.check(matching(/^[a-z0-9][a-z0-9._-]{0,63}$/u, "the part of an id before the slash"))
      .annotate({ description: "The part of the id before the slash, such as anthropic" })
  ),
  modality: Schema.optionalKey(
    Schema.String.check(matching(/^[a-z][a-z-]{0,31}$/u, "an input modality, such as image"))
      .annotate({ description: "One of the input modalities, such as image" })
  ),
  max_price: Schema.optionalKey(
    MaxPrice.annotate({ description: "The highest price of a million tokens of input, in USD, inclusive" })
  )
}
export interface ModelFilter {
  readonly q?: string
  readonly provider?: string
  readonly modality?: string
  readonly max_price?: string
}

const rateOf = (pricing: Model["pricing"]): TokenRate | undefined => {
  const prompt = picosOf(pricing.prompt)
  const completion = picosOf(pricing.completion)
  if (prompt === undefined || completion === undefined) return undefined
  return {
    prompt,
    completion,
    // Without its own rate, such a token costs as much as any other.
    cacheRead: picosOf(pricing.input_cache_read ?? "") ?? prompt,
    cacheWrite: picosOf(pricing.input_cache_write ?? "") ?? prompt
  }
}

/** A model's prices as integers; `undefined` when they depend on the call, or are no amounts. */
export const ratesOf = ({ pricing, pricing_tiers = [] }: Pick<Model, "pricing" | "pricing_tiers">):
  | TokenRates
  | undefined =>
{
  const base = rateOf(pricing)
  const tiers = pricing_tiers.map((tier) => ({ above: tier.input_tokens_above, rate: rateOf(tier) }))
  if (base === undefined || tiers.some(({ rate }) => rate === undefined)) return undefined
  return {
    ...base,
    tiers: tiers.map(({ above, rate }) => ({ above, ...rate! })).sort((a, b) => a.above - b.above)
  }
}

/** The models that a filter selects, in their order. A model without a known price is above every `max_price`. */
export const filterModels = (models: ReadonlyArray<Model>, filter: ModelFilter): ReadonlyArray<Model> => {
  const words = (filter.q ?? "").toLowerCase().split(/\s+/u).filter((word) => word !== "")
  const pricePicos = filter.max_price === undefined ? undefined : (picosOf(filter.max_price) ?? 0) / 1_000_000
  return models.filter(({ architecture, id, name, pricing }) => {
    const text = `${id} ${name}`.toLowerCase()
    const prompt = pricePicos === undefined ? undefined : picosOf(pricing.prompt)
    return words.every((word) => text.includes(word)) &&
      (filter.provider === undefined || id.startsWith(`${filter.provider}/`)) &&
      (filter.modality === undefined || architecture.input_modalities.includes(filter.modality)) &&
      (pricePicos === undefined || (prompt !== undefined && prompt <= pricePicos))
  })
}

export const Favorite = Schema.Struct({
  id: FavoriteId,
  model_id: ModelId,
  created_at: Schema.String
}).annotate({ identifier: "ModelFavorite" })
export type Favorite = typeof Favorite.Type

export const FavoriteList = Schema.Struct({
  data: Schema.Array(Favorite),
  next_cursor: Schema.Null,
  as_of: Schema.String
}).annotate({ identifier: "ModelFavoriteList" })

export const CreateFavoriteInput = Schema.Struct({ model_id: ModelId }).annotate({ identifier: "CreateFavoriteInput" })

/** The path parameter is percent-encoded by clients: `/` as `%2F`. */
const favoriteParams = { modelId: ModelId }

const listDescription =
  "The catalog of models in OpenRouter's shape, answered whole and sorted by id. Prices are decimal texts in USD per token. A " +
  "provider's own list is kept for an hour and is served while a newer one is fetched; the snapshot that the hub ships is served " +
  "where there is no provider, or while it cannot be reached. Has an ETag."

export class ModelsGroup extends HttpApiGroup.make("models").add(
  HttpApiEndpoint.get("list", "/models", { query: ModelQuery, success: ModelList })
    .middleware(AnyAccess).annotate(OpenApi.Description, listDescription),
  HttpApiEndpoint.get("listOpenRouter", "/models/openrouter", { query: ModelQuery, success: ModelList })
    .middleware(AnyAccess).annotate(OpenApi.Description, `The same list as /models. ${listDescription}`),
  HttpApiEndpoint.get("favorites", "/models/favorites", { success: FavoriteList })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "The caller's favorite models in this workspace, newest first."
    ),
  HttpApiEndpoint.post("addFavorite", "/models/favorites", {
    payload: CreateFavoriteInput,
    success: Created(Favorite)
  }).middleware(UserAccess).annotate(
    OpenApi.Description,
    `Adds a model of the catalog to the caller's favorites; one that is already a favorite is returned unchanged. A person can ` +
      `have ${favoritesMax} favorites in a workspace; the next one is 409 \`limit_reached\`.`
  ),
  HttpApiEndpoint.get("favorite", "/models/favorites/:modelId", { params: favoriteParams, success: Favorite })
    .middleware(UserAccess).annotate(OpenApi.Description, "A favorite by its model's id, with `/` as `%2F`."),
  HttpApiEndpoint.delete("removeFavorite", "/models/favorites/:modelId", {
    params: favoriteParams,
    success: HttpApiSchema.NoContent
  }).middleware(UserAccess).annotate(OpenApi.Description, "Removes a favorite, by its model's id with `/` as `%2F`.")
) {}

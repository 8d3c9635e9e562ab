/** Prices and windows of models in words. Pure. */
import type { Model } from "../hub/queries.ts"
import { figure } from "../text/catalogue.ts"
import { chatText } from "../text/chat.ts"

const million = 1_000_000

/** USD for a million tokens: two digits after the point, four for less than a cent. */
const usdText = (perToken: string): string => {
  const usd = Number(perToken) * million
  const digits = usd > 0 && usd < 0.01 ? 4 : 2
  return `$${usd.toFixed(digits)}`
}

export const priceText = ({ pricing: { completion, prompt } }: Pick<Model, "pricing">): string => {
  const t = chatText.models
  const amounts = [Number(prompt), Number(completion)]
  if (amounts.some((amount) => !(amount >= 0))) return t.noPrice
  return amounts.every((amount) => amount === 0) ? t.free : t.price(usdText(prompt), usdText(completion))
}

/** `128K`, `1M`: as providers write them. */
const tokensText = (tokens: number): string =>
  tokens >= million
    ? `${Number((tokens / million).toFixed(1))}M`
    : tokens >= 1_000
    ? `${Math.round(tokens / 1_000)}K`
    : figure(tokens)

export const windowText = ({ context_length }: Pick<Model, "context_length">): string =>
  chatText.models.window(tokensText(context_length))

interface ModelSearch {
  readonly query: string
  readonly favorites: ReadonlySet<string>
  readonly chosen: string | undefined
}

/** Models whose id or name has every word: favorites first, then the chosen one. */
export const findModels = (
  models: ReadonlyArray<Model>,
  { chosen, favorites, query }: ModelSearch
): ReadonlyArray<Model> => {
  const words = query.toLowerCase().split(/\s+/u).filter((word) => word !== "")
  const found = models.filter(({ id, name }) => {
    const text = `${id} ${name}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const rank = ({ id }: Model): number => favorites.has(id) ? 0 : id === chosen ? 1 : 2
  return found.toSorted((one, other) => rank(one) - rank(other))
}

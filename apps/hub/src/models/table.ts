/**
 * The models by id, with their rates. A provider's own name for a model finds the catalog's: `gpt-4o-mini` finds
 * `openai/gpt-4o-mini`, `claude-sonnet-4-5-20250929` finds `anthropic/claude-sonnet-4.5`. Pure.
 */
import { type Model, ratesOf } from "@countersign/domain/models"
import type { TokenRates } from "@countersign/domain/token-price"

export interface ModelTable {
  readonly find: (id: string) => Model | undefined
  /** `undefined` for an unknown model, and for one without a fixed price. */
  readonly ratesOf: (id: string) => TokenRates | undefined
}

const baseOf = (id: string): string => id.slice(id.indexOf("/") + 1)

/** Without the date of a release, and with dots between the numbers of a version. */
const plainOf = (name: string): string =>
  name.toLowerCase().replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/u, "").replace(/(?<=-\d+)-(?=\d{1,2}(?:-|$))/u, ".")

export const makeTable = (models: ReadonlyArray<Model>): ModelTable => {
  const byId = new Map(models.map((model) => [model.id, model]))
  const byName = new Map<string, Model | undefined>()
  for (const model of models) {
    const name = baseOf(model.id).toLowerCase()
    // A name that two providers use finds neither.
    byName.set(name, byName.has(name) ? undefined : model)
  }
  const rates = new Map<string, TokenRates | undefined>()
  const find = (id: string): Model | undefined =>
    byId.get(id) ?? byName.get(id.toLowerCase()) ?? byName.get(plainOf(baseOf(id)))
  return {
    find,
    ratesOf: (id) => {
      const model = find(id)
      if (model === undefined) return undefined
      if (!rates.has(model.id)) rates.set(model.id, ratesOf(model))
      return rates.get(model.id)
    }
  }
}

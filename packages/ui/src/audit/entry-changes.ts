/** The changes in an entry's data: members written as `{ from, to }` or beside their `previous_…`, and the rest. */

type Facts = Readonly<Record<string, unknown>>

export interface EntryChange {
  readonly before: Facts
  readonly after: Facts
  /** The whole data if nothing changed. */
  readonly rest: Facts
}

const isStep = (value: unknown): value is { readonly from: unknown; readonly to: unknown } =>
  typeof value === "object" && value !== null && "from" in value && "to" in value && Object.keys(value).length === 2

const previous = "previous_"

export const changeOf = (data: Facts): EntryChange => {
  const before: Record<string, unknown> = {}
  const after: Record<string, unknown> = {}
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) {
    if (isStep(value)) {
      before[name] = value.from
      after[name] = value.to
    } else if (Object.hasOwn(data, previous + name)) {
      before[name] = data[previous + name]
      after[name] = value
    } else if (!(name.startsWith(previous) && Object.hasOwn(data, name.slice(previous.length)))) rest[name] = value
  }
  return { before, after, rest }
}

/**
 * Search parameters of an address. Plain text in both directions (`?status=blocked&status=failed`), never JSON. Unknown
 * values are dropped, so that an old or mistyped link still opens.
 */

export type Raw = Readonly<Record<string, unknown>>
type Read<T> = (value: unknown) => T | undefined

const first = (value: unknown): string | undefined => {
  const one = Array.isArray(value) ? value[0] : value
  return typeof one === "string" && one !== "" ? one : undefined
}

export const text = (max = 200): Read<string> => (value) => first(value)?.slice(0, max)

export const oneOf = <const V extends string>(values: ReadonlyArray<V>): Read<V> => (value) =>
  values.find((each) => each === first(value))

/** A set without duplicates, in the order of `values`. */
export const manyOf = <const V extends string>(values: ReadonlyArray<V>): Read<ReadonlyArray<V>> => (value) => {
  const given = Array.isArray(value) ? value : [value]
  const found = values.filter((each) => given.includes(each))
  return found.length === 0 ? undefined : found
}

const momentPattern = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u

/** A day or an RFC 3339 timestamp, as the hub's queries accept it. */
export const moment: Read<string> = (value) => {
  const given = first(value)
  return given !== undefined && momentPattern.test(given) && !Number.isNaN(Date.parse(given)) ? given : undefined
}

export const wholeNumber = (min: number, max: number): Read<number> => (value) => {
  const given = typeof value === "number"
    ? value
    : /^\d{1,12}$/u.test(first(value) ?? "")
    ? Number(first(value))
    : Number.NaN
  return Number.isInteger(given) && given >= min && given <= max ? given : undefined
}

/** An id of one kind: `id("agt")`. */
export const id = (prefix: string): Read<string> => shaped(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u"))

export const shaped = (pattern: RegExp): Read<string> => (value) => {
  const given = first(value)
  return given !== undefined && pattern.test(given) ? given : undefined
}

export const serviceName = shaped(/^[a-z][a-z0-9_-]{0,63}$/u)
export const operationName = shaped(/^(?=.{1,64}$)[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)*$/u)

type Search<F> = { readonly [K in keyof F]?: F[K] extends Read<infer T> ? T : never }

/** For a route's `validateSearch`: `searchOf({ q: text(), status: manyOf(statuses) })`. */
export const searchOf = <F extends Readonly<Record<string, Read<unknown>>>>(fields: F) => (raw: Raw): Search<F> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, read]) => {
      const value = read(raw[name])
      return value === undefined ? [] : [[name, value]]
    })
  ) as Search<F>

/** Maximum number of ignored parts of a link that a list names; the rest is dropped. */
const ignoredMax = 5
const ignoredLengthMax = 100
/** Parameters that belong to no list. */
const general: ReadonlyArray<string> = ["locale"]

const listOf = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string" || typeof each === "number").map(
    String
  ).filter((each) => each !== "")

/** The values of a parameter that its field does not accept, as `name=value`. */
const refused = (name: string, raw: unknown, read: Read<unknown> | undefined): ReadonlyArray<string> => {
  const given = listOf(raw)
  const taken = read?.(raw)
  const left = taken === undefined
    ? given
    : Array.isArray(taken)
    ? given.filter((each) => !taken.includes(each))
    : given.slice(1)
  return left.map((each) => `${name}=${each}`.slice(0, ignoredLengthMax))
}

/**
 * For the `validateSearch` of a list: `searchOf`, and in `ignored` the parts of the link that the list does not apply,
 * for the screen to show (`listing/ignored-filters.tsx`).
 */
export const filtersOf = <F extends Readonly<Record<string, Read<unknown>>>>(fields: F) => {
  const read = searchOf(fields)
  return (raw: Raw): Search<F> & { readonly ignored?: ReadonlyArray<string> } => {
    const { ignored, ...rest } = raw
    const found = Object.entries(rest).filter(([name]) => !general.includes(name))
      .flatMap(([name, value]) => refused(name, value, Object.hasOwn(fields, name) ? fields[name] : undefined))
    const all = [...new Set([...listOf(ignored).map((each) => each.slice(0, ignoredLengthMax)), ...found])].slice(
      0,
      ignoredMax
    )
    return { ...read(rest), ...all.length === 0 ? {} : { ignored: all } }
  }
}

export const parseSearch = (search: string): Record<string, string | Array<string>> => {
  const found: Record<string, string | Array<string>> = {}
  for (const [name, value] of new URLSearchParams(search)) {
    const known = Object.hasOwn(found, name) ? found[name] : undefined
    found[name] = known === undefined ? value : typeof known === "string" ? [known, value] : [...known, value]
  }
  return found
}

export const stringifySearch = (search: Raw): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") params.append(name, String(each))
    }
  }
  const given = params.toString()
  return given === "" ? "" : `?${given}`
}

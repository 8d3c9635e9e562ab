/**
 * Search parameters: what a link says. Plain text on both sides (`?status=blocked&status=failed`), never JSON. A value that a screen
 * does not know is left out, so an old or mistyped link still opens.
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

/** A set: once each, in the order of `values`. */
export const manyOf = <const V extends string>(values: ReadonlyArray<V>): Read<ReadonlyArray<V>> => (value) => {
  const said = Array.isArray(value) ? value : [value]
  const found = values.filter((each) => said.includes(each))
  return found.length === 0 ? undefined : found
}

const momentPattern = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u

/** A day, or a moment of RFC 3339, as the hub's queries take it. */
export const moment: Read<string> = (value) => {
  const said = first(value)
  return said !== undefined && momentPattern.test(said) && !Number.isNaN(Date.parse(said)) ? said : undefined
}

export const wholeNumber = (min: number, max: number): Read<number> => (value) => {
  const said = typeof value === "number"
    ? value
    : /^\d{1,9}$/u.test(first(value) ?? "")
    ? Number(first(value))
    : Number.NaN
  return Number.isInteger(said) && said >= min && said <= max ? said : undefined
}

type Search<F> = { readonly [K in keyof F]?: F[K] extends Read<infer T> ? T : never }

/** For a route's `validateSearch`: `searchOf({ q: text(), status: manyOf(statuses) })`. */
export const searchOf = <F extends Readonly<Record<string, Read<unknown>>>>(fields: F) => (raw: Raw): Search<F> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, read]) => {
      const value = read(raw[name])
      return value === undefined ? [] : [[name, value]]
    })
  ) as Search<F>

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
  const said = params.toString()
  return said === "" ? "" : `?${said}`
}

/** The changes between two payloads, member by member; array items are compared by position. */
import { isMask } from "@countersign/domain/mask"

export interface JsonChange {
  /** Names from the root: `to`, `options.voice`, `items[2]`. */
  readonly path: string
  readonly kind: "same" | "added" | "removed" | "changed"
  /** As JSON; undefined if absent. Masked values are `undefined` with `masked`. */
  readonly before: string | undefined
  readonly after: string | undefined
  readonly masked: boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isMask(value)

/** Equal for equal values, whatever the order of their members. */
const canonical = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, inner: unknown) =>
      isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1)) : inner
  ) ?? ""

const written = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? ""

const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u
const joined = (path: string, key: string | number): string => {
  if (typeof key === "number") return `${path}[${key}]`
  if (!plainName.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === "" ? key : `${path}.${key}`
}

/**
 * The leaves of the later payload in its order, each removed one after its neighbor. Masked values cannot be compared
 * and are marked as such.
 */
export const jsonChanges = (before: unknown, after: unknown): ReadonlyArray<JsonChange> => {
  const changes: Array<JsonChange> = []
  const leaf = (path: string, kind: JsonChange["kind"], before: unknown, after: unknown) =>
    changes.push({
      path,
      kind,
      masked: isMask(before) || isMask(after),
      before: kind === "added" || isMask(before) ? undefined : written(before),
      after: kind === "removed" || isMask(after) ? undefined : written(after)
    })
  const walk = (path: string, before: unknown, after: unknown): void => {
    if (isObject(before) && isObject(after)) {
      for (const [name, value] of Object.entries(after)) {
        if (Object.hasOwn(before, name)) walk(joined(path, name), before[name], value)
        else leaf(joined(path, name), "added", undefined, value)
      }
      for (const [name, value] of Object.entries(before)) {
        if (!Object.hasOwn(after, name)) leaf(joined(path, name), "removed", value, undefined)
      }
      return
    }
    if (Array.isArray(before) && Array.isArray(after)) {
      for (let at = 0; at < Math.max(before.length, after.length); at++) {
        if (at >= before.length) leaf(joined(path, at), "added", undefined, after[at])
        else if (at >= after.length) leaf(joined(path, at), "removed", before[at], undefined)
        else walk(joined(path, at), before[at], after[at])
      }
      return
    }
    leaf(path, canonical(before) === canonical(after) ? "same" : "changed", before, after)
  }
  walk("", before, after)
  return changes
}

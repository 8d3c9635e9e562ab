/** Bodies with the mistakes of callers, derived from the schema of a valid one, for tests of an endpoint's errors. */
type Json = Readonly<Record<string, unknown>>
type Path = ReadonlyArray<string | number>

const values: ReadonlyArray<unknown> = [
  null,
  1,
  -1,
  1.5,
  0,
  "",
  "x",
  " ",
  true,
  [],
  {},
  [1],
  ["x", "x"],
  { a: 1 },
  "2026-13-45",
  "tomorrow",
  "A B ü",
  "${payload.}",
  "1 +",
  "x".repeat(20_000),
  1e12,
  "a\nb",
  [[]],
  [null],
  [{}],
  "2020-01-01"
]

const depthMax = 5
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const resolved = (schema: unknown, root: Json): Json => {
  if (!isObject(schema)) return {}
  const { $ref } = schema
  if (typeof $ref !== "string") return schema
  return resolved(
    $ref.slice(2).split("/").reduce<unknown>((value, step) => isObject(value) ? value[step] : undefined, root),
    root
  )
}

/** Every path of a JSON Schema's values: names and positions. */
const placesOf = (schema: Json): ReadonlyArray<Path> => {
  const places = new Map<string, Path>()
  const walk = (part: unknown, at: Path, depth: number): void => {
    const { additionalProperties, allOf, anyOf, items, oneOf, properties } = resolved(part, schema)
    if (depth > depthMax) return
    if (at.length > 0) places.set(at.join("\n"), at)
    for (
      const member of [anyOf, oneOf, allOf].flatMap((members) =>
        Array.isArray(members) ? members as ReadonlyArray<unknown> : []
      )
    ) {
      walk(member, at, depth + 1)
    }
    for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
      walk(member, [...at, name], depth + 1)
    }
    if (isObject(items)) walk(items, [...at, 0], depth + 1)
    if (isObject(additionalProperties)) walk(additionalProperties, [...at, "Some key"], depth + 1)
  }
  walk(schema, [], 0)
  return [...places.values()]
}

const put = (root: unknown, [step, ...rest]: Path, value: unknown): unknown => {
  if (step === undefined) return value
  if (typeof step === "number") return [put(Array.isArray(root) ? root[step] : undefined, rest, value)]
  const around = isObject(root) ? root : {}
  return { ...around, [step]: put(around[step], rest, value) }
}

const without = (root: unknown, [step, ...rest]: Path): unknown => {
  if (Array.isArray(root)) return root.map((item, at) => at === step ? without(item, rest) : item as unknown)
  if (!isObject(root) || step === undefined) return root
  const { [step]: member, ...others } = root
  return rest.length === 0 ? others : { ...others, [step]: without(member, rest) }
}

/**
 * Bodies of another kind, and with each field missing, misspelled, or of every wrong value: at most about `max`, spread
 * evenly.
 */
export const wrongBodies = (schema: Json, right: unknown, max: number): ReadonlyArray<unknown> => {
  const places = placesOf(schema)
  const misspelt = places.flatMap((at) => {
    const gone = without(right, at)
    return [gone, put(gone, [...at.slice(0, -1), `${String(at.at(-1))}s`], 1)]
  })
  const wrong = places.flatMap((at) => values.map((value) => put(right, at, value)))
  const all = [null, [], "x", 1, {}, { unheard_of: 1 }, ...misspelt, ...wrong]
  const step = Math.max(1, all.length / max)
  return Array.from({ length: Math.min(max, all.length) }, (_, at) => all[Math.floor(at * step)])
}

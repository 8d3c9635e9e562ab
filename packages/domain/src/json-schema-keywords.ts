/** Turns a schema that passed `schemaProblems` into closures. JSON Schema 2020-12, with the older `definitions` and item lists. */
import { Result } from "effect"
import { canonicalize, isJsonObject } from "./json.ts"
import { formatCheck } from "./json-schema-format.ts"
import { type Check, Evaluated, type Run } from "./json-schema-run.ts"
import { type JsonObject, own, resolveReference, type Schema } from "./json-schema-shape.ts"
import { compileRegex, type Regex } from "./regex.ts"

/** Characters of a constant or a list of choices that a message shows. */
const shownLengthMax = 200
/** Steps of a linear match that count as one step of the validation. */
const matchStepsPerStep = 16

type Compile = (schema: unknown) => Check
type Keyword = (schema: JsonObject, compile: Compile, root: Schema) => Check | undefined

/** The check of a whole document. A schema that refers to itself is compiled once. */
export const compileKeywords = (root: Schema): Check => {
  const compiled = new Map<unknown, Check>()
  const compile: Compile = (schema) => {
    if (schema === true) return () => true
    if (!isJsonObject(schema)) return (_, run) => run.fail("No value is allowed here.")
    const known = compiled.get(schema)
    if (known !== undefined) return known
    let check: Check | undefined
    compiled.set(schema, (value, run) => check!(value, run))
    check = node(keywords.flatMap((keyword) => keyword(schema, compile, root) ?? []), tracksEvaluated(schema))
    compiled.set(schema, check)
    return check
  }
  return compile(root)
}

const tracksEvaluated = (schema: JsonObject): boolean =>
  Object.hasOwn(schema, "unevaluatedProperties") || Object.hasOwn(schema, "unevaluatedItems")

const node = (checks: ReadonlyArray<Check>, tracks: boolean): Check => {
  const all: Check = (value, run) => {
    run.spend(1)
    let conforms = true
    for (let at = 0; at < checks.length; at++) {
      if (checks[at]!(value, run)) continue
      if (!run.collects) return false
      conforms = false
    }
    return conforms
  }
  return tracks
    ? (value, run) => {
      if (run.evaluated !== undefined) return all(value, run)
      run.evaluated = new Evaluated()
      const conforms = all(value, run)
      run.evaluated = undefined
      return conforms
    }
    : all
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax).toWellFormed()}…` : text
}

const articles: Record<string, string> = {
  array: "a list", boolean: "true or false", integer: "a whole number", null: "null", number: "a number", object: "an object",
  string: "a string"
}

const hasType = (value: unknown, type: unknown): boolean => {
  switch (type) {
    case "array": return Array.isArray(value)
    case "integer": return Number.isInteger(value)
    case "null": return value === null
    case "object": return isJsonObject(value)
    default: return typeof value === type
  }
}

const type: Keyword = (schema) => {
  const wanted = own(schema, "type")
  if (wanted === undefined) return undefined
  const types = Array.isArray(wanted) ? wanted : [wanted]
  const message = `This must be ${types.map((name) => articles[String(name)]).join(" or ")}.`
  if (types.length === 1) return (value, run) => hasType(value, types[0]) || run.fail(message)
  return (value, run) => types.some((name) => hasType(value, name)) || run.fail(message)
}

const equals = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((item, at) => equals(item, other[at]))
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && equals(one[name], other[name]))
}

const constant: Keyword = (schema) => {
  if (!Object.hasOwn(schema, "const")) return undefined
  const wanted = schema["const"]
  const message = `This must be ${shown(wanted)}.`
  return (value, run) => equals(value, wanted) || run.fail(message)
}

const choices: Keyword = (schema) => {
  const list = own(schema, "enum")
  if (!Array.isArray(list)) return undefined
  const scalars = new Set(list.filter((one) => typeof one !== "object" || one === null))
  const compounds = list.filter((one) => typeof one === "object" && one !== null)
  const message = `This must be one of ${shown(list)}.`
  return (value, run) => {
    if (scalars.has(value)) return true
    if (typeof value !== "object" || value === null) return run.fail(message)
    run.spend(compounds.length)
    return compounds.some((one) => equals(value, one)) || run.fail(message)
  }
}

const bound = (keyword: string, words: string, holds: (value: number, limit: number) => boolean): Keyword => (schema) => {
  const limit = own(schema, keyword)
  if (typeof limit !== "number") return undefined
  return (value, run) => typeof value !== "number" || holds(value, limit) || run.fail(`This must be ${words} ${limit}.`)
}

/** Digits as an integer, and the power of ten they stand on: decimal fractions are compared as written, not as doubles. */
const decimal = (number: number): readonly [digits: bigint, exponent: number] => {
  const [coefficient = "0", exponent = "0"] = Math.abs(number).toString().split("e")
  const point = coefficient.indexOf(".")
  return [BigInt(coefficient.replace(".", "")), Number(exponent) - (point < 0 ? 0 : coefficient.length - point - 1)]
}

const isMultiple = (value: number, of: number): boolean => {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0
  if (!Number.isFinite(value)) return false
  const [digits, exponent] = decimal(value)
  const [ofDigits, ofExponent] = decimal(of)
  const shift = exponent - ofExponent
  return shift >= 0 ? digits * 10n ** BigInt(shift) % ofDigits === 0n : digits % (ofDigits * 10n ** BigInt(-shift)) === 0n
}

/** Characters as Unicode counts them; a surrogate pair is one. */
const characters = (text: string): number => {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      count--
      at++
    }
  }
  return count
}

const lengths: Keyword = (schema) => {
  const least = own(schema, "minLength")
  const most = own(schema, "maxLength")
  if (least === undefined && most === undefined) return undefined
  const min = typeof least === "number" ? least : 0
  const max = typeof most === "number" ? most : Number.POSITIVE_INFINITY
  return (value, run) => {
    if (typeof value !== "string" || value.length >= 2 * min && value.length <= max) return true
    const length = characters(value)
    if (length < min) return run.fail(`This must have at least ${min} characters.`)
    return length <= max || run.fail(`This may have at most ${max} characters.`)
  }
}

const regex = (source: string): Regex => Result.getOrThrow(compileRegex(source))

const pattern: Keyword = (schema) => {
  const source = own(schema, "pattern")
  if (typeof source !== "string") return undefined
  const { cost, test } = regex(source)
  return (value, run) => {
    if (typeof value !== "string") return true
    run.spend(cost(value.length) / matchStepsPerStep)
    return test(value) || run.fail(`This must match the pattern ${shown(source)}.`)
  }
}

const format: Keyword = (schema) => {
  const name = own(schema, "format")
  const conforms = typeof name === "string" ? formatCheck(name) : undefined
  return conforms && ((value, run) => typeof value !== "string" || conforms(value) || run.fail(`This must have the format ${name}.`))
}

const count = (keyword: string, words: string, size: (value: unknown) => number | undefined, holds: (size: number, limit: number) => boolean):
  Keyword => (schema) => {
    const limit = own(schema, keyword)
    if (typeof limit !== "number") return undefined
    return (value, run) => {
      const found = size(value)
      return found === undefined || holds(found, limit) || run.fail(words.replace("#", String(limit)))
    }
  }
const itemCount = (value: unknown) => Array.isArray(value) ? value.length : undefined
const memberCount = (value: unknown) => isJsonObject(value) ? Object.keys(value).length : undefined
const atLeast = (size: number, limit: number) => size >= limit
const atMost = (size: number, limit: number) => size <= limit

const uniqueItems: Keyword = (schema) => {
  if (own(schema, "uniqueItems") !== true) return undefined
  return (value, run) => {
    if (!Array.isArray(value)) return true
    const seen = new Set<unknown>()
    let conforms = true
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at]
      // A scalar stands for itself; a compound for its text, which no scalar string equals: those go in with a mark before.
      const identity = typeof item === "string" ? `"${item}` : typeof item === "object" && item !== null ? compoundText(item) : item
      run.spend(typeof identity === "string" ? 1 + identity.length / 64 : 1)
      if (seen.has(identity)) {
        conforms = run.fail("This item is in the list already.", at)
        if (!run.collects) return false
      }
      seen.add(identity)
    }
    return conforms
  }
}

const compoundText = (item: object): string => {
  try {
    return canonicalize(item)
  } catch {
    return JSON.stringify(item) // half surrogate pairs, in what a provider sent
  }
}

const items: Keyword = (schema, compile) => {
  const older = own(schema, "items")
  const prefix = Array.isArray(older) ? older : own(schema, "prefixItems")
  const rest = Array.isArray(older) ? own(schema, "additionalItems") : older
  if (prefix === undefined && rest === undefined) return undefined
  const first = Array.isArray(prefix) ? prefix.map(compile) : []
  const others = rest === undefined ? undefined : compile(rest)
  return (value, run) => {
    if (!Array.isArray(value)) return true
    let conforms = true
    for (let at = 0; at < value.length; at++) {
      const check = at < first.length ? first[at] : others
      if (check === undefined) break
      run.evaluated?.items.add(at)
      if (run.below(check, value[at], at)) continue
      conforms = false
      if (!run.collects) return false
    }
    return conforms
  }
}

const contains: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "contains")) return undefined
  const check = compile(schema["contains"])
  const min = own(schema, "minContains") as number | undefined ?? 1
  const max = own(schema, "maxContains") as number | undefined ?? Number.POSITIVE_INFINITY
  return (value, run) => {
    if (!Array.isArray(value)) return true
    let found = 0
    run.silently(() => {
      for (let at = 0; at < value.length; at++) {
        if (!run.below(check, value[at], at)) continue
        run.evaluated?.items.add(at)
        found++
      }
      return true
    })
    if (found < min) return run.fail(`This must contain at least ${min} of the items that the schema asks for.`)
    return found <= max || run.fail(`This may contain at most ${max} of the items that the schema counts.`)
  }
}

const required: Keyword = (schema) => {
  const names = own(schema, "required")
  if (!Array.isArray(names) || names.length === 0) return undefined
  return (value, run) => {
    if (!isJsonObject(value)) return true
    run.spend(names.length / 8)
    let conforms = true
    for (const name of names as ReadonlyArray<string>) {
      if (Object.hasOwn(value, name)) continue
      conforms = run.fail("This is required.", name)
      if (!run.collects) return false
    }
    return conforms
  }
}

const properties: Keyword = (schema, compile) => {
  const listed = own(schema, "properties")
  const patterned = own(schema, "patternProperties")
  const rest = own(schema, "additionalProperties")
  if (listed === undefined && patterned === undefined && rest === undefined) return undefined
  const byName = new Map(isJsonObject(listed) ? Object.keys(listed).map((name) => [name, compile(listed[name])]) : [])
  const byPattern = isJsonObject(patterned)
    ? Object.keys(patterned).map((source) => ({ ...regex(source), check: compile(patterned[source]) }))
    : []
  const others: Check | undefined = rest === undefined ? undefined : rest === false
    ? (_, run) => run.fail("This member is not known here.")
    : compile(rest)
  return (value, run) => {
    if (!isJsonObject(value)) return true
    let conforms = true
    for (const name of Object.keys(value)) {
      const check = byName.get(name)
      let known = check !== undefined
      let fits = check === undefined || run.below(check, value[name], name)
      for (const { check, cost, test } of byPattern) {
        run.spend(cost(name.length) / matchStepsPerStep)
        if (!test(name)) continue
        known = true
        fits = run.below(check, value[name], name) && fits
      }
      if (!known && others !== undefined) {
        known = true
        fits = run.below(others, value[name], name)
      }
      if (known) run.evaluated?.names.add(name)
      if (fits) continue
      conforms = false
      if (!run.collects) return false
    }
    return conforms
  }
}

const propertyNames: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "propertyNames")) return undefined
  const check = compile(schema["propertyNames"])
  return (value, run) => {
    if (!isJsonObject(value)) return true
    let conforms = true
    for (const name of Object.keys(value)) {
      if (run.silently(() => run.below(check, name, name))) continue
      conforms = run.fail("A member may not have this name here.", name)
      if (!run.collects) return false
    }
    return conforms
  }
}

const dependents: Keyword = (schema, compile) => {
  const checks: Array<readonly [name: string, check: Check]> = []
  for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
    const map = own(schema, keyword)
    if (!isJsonObject(map)) continue
    for (const name of Object.keys(map)) {
      const asked = map[name]
      checks.push([name, Array.isArray(asked) ? needs(name, asked as ReadonlyArray<string>) : compile(asked)])
    }
  }
  if (checks.length === 0) return undefined
  return (value, run) => {
    if (!isJsonObject(value)) return true
    run.spend(checks.length / 8)
    let conforms = true
    for (const [name, check] of checks) {
      if (!Object.hasOwn(value, name) || run.beside(check, value)) continue
      conforms = false
      if (!run.collects) return false
    }
    return conforms
  }
}

const needs = (name: string, others: ReadonlyArray<string>): Check => (value, run) => {
  run.spend(others.length / 8)
  let conforms = true
  for (const other of others) {
    if (!Object.hasOwn(value as object, other)) conforms = run.fail(`This is required together with ${shown(name)}.`, other)
  }
  return conforms
}

const reference: Keyword = (schema, compile, root) => {
  const text = own(schema, "$ref")
  if (typeof text !== "string") return undefined
  const check = compile(resolveReference(root, text) ?? false)
  return (value, run) => run.beside(check, value)
}

const branches = (schema: JsonObject, keyword: string, compile: Compile): ReadonlyArray<Check> | undefined => {
  const list = own(schema, keyword)
  return Array.isArray(list) ? list.map(compile) : undefined
}

const allOf: Keyword = (schema, compile) => {
  const checks = branches(schema, "allOf", compile)
  return checks && ((value, run) => {
    let conforms = true
    for (const check of checks) {
      if (run.beside(check, value)) continue
      conforms = false
      if (!run.collects) return false
    }
    return conforms
  })
}

const anyOf: Keyword = (schema, compile) => {
  const checks = branches(schema, "anyOf", compile)
  return checks && ((value, run) =>
    run.alternatives(() => {
      let conforms = false
      for (const check of checks) {
        // Every branch that fits tells what it evaluated, so none may be skipped while that is kept.
        if (run.beside(check, value)) conforms = true
        if (conforms && run.evaluated === undefined) return true
      }
      return conforms
    }))
}

const oneOf: Keyword = (schema, compile) => {
  const checks = branches(schema, "oneOf", compile)
  return checks && ((value, run) => {
    let fitting = 0
    const one = run.alternatives(() => {
      for (const check of checks) if (run.beside(check, value)) fitting++
      return fitting > 0
    })
    return one && fitting === 1 || fitting > 1 && run.fail(`This fits ${fitting} of the forms, but must fit exactly one.`)
  })
}

const not: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "not")) return undefined
  const check = compile(schema["not"])
  return (value, run) => !asks(check, value, run) || run.fail("This has a form that is not allowed.")
}

/** A question whose evaluations do not count. */
const asks = (check: Check, value: unknown, run: Run): boolean => {
  const { evaluated } = run
  run.evaluated = evaluated && new Evaluated()
  const answer = run.silently(() => check(value, run))
  run.evaluated = evaluated
  return answer
}

const conditional: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "if")) return undefined
  const condition = compile(schema["if"])
  const then = compile(own(schema, "then") ?? true)
  const otherwise = compile(own(schema, "else") ?? true)
  return (value, run) => run.beside(run.silently(() => run.beside(condition, value)) ? then : otherwise, value)
}

const unevaluatedItems: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "unevaluatedItems")) return undefined
  const check = compile(schema["unevaluatedItems"])
  return (value, run) => {
    if (!Array.isArray(value) || run.evaluated === undefined) return true
    let conforms = true
    for (let at = 0; at < value.length; at++) {
      if (run.evaluated.items.has(at)) continue
      run.evaluated.items.add(at)
      if (!run.below(check, value[at], at)) conforms = false
      if (!conforms && !run.collects) return false
    }
    return conforms
  }
}

const unevaluatedProperties: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "unevaluatedProperties")) return undefined
  const check = compile(schema["unevaluatedProperties"])
  return (value, run) => {
    if (!isJsonObject(value) || run.evaluated === undefined) return true
    let conforms = true
    for (const name of Object.keys(value)) {
      if (run.evaluated.names.has(name)) continue
      run.evaluated.names.add(name)
      if (!run.below(check, value[name], name)) conforms = false
      if (!conforms && !run.collects) return false
    }
    return conforms
  }
}

/** In the order in which they run: the two that ask what the others evaluated come last. */
const keywords: ReadonlyArray<Keyword> = [
  type, constant, choices,
  bound("minimum", "at least", (value, limit) => value >= limit),
  bound("maximum", "at most", (value, limit) => value <= limit),
  bound("exclusiveMinimum", "more than", (value, limit) => value > limit),
  bound("exclusiveMaximum", "less than", (value, limit) => value < limit),
  bound("multipleOf", "a multiple of", isMultiple),
  lengths, pattern, format,
  count("minItems", "This must have at least # items.", itemCount, atLeast),
  count("maxItems", "This may have at most # items.", itemCount, atMost),
  uniqueItems, items, contains,
  count("minProperties", "This must have at least # members.", memberCount, atLeast),
  count("maxProperties", "This may have at most # members.", memberCount, atMost),
  required, properties, propertyNames, dependents,
  reference, allOf, anyOf, oneOf, not, conditional,
  unevaluatedItems, unevaluatedProperties
]

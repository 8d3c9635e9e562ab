/** Keywords that check one value: its type, its size, its text. */
import { Result } from "effect"
import { formatCheck } from "./json-schema-format.ts"
import type { Keyword } from "./json-schema-run.ts"
import { own } from "./json-schema-shape.ts"
import { canonicalize, isJsonObject } from "./json.ts"
import { compileRegex, type Regex } from "./regex.ts"

/** Length of a constant or a list of choices that a message shows, in characters. */
const shownLengthMax = 200

const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax).toWellFormed()}…` : text
}

const articles: Record<string, string> = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string"
}

const hasType = (value: unknown, type: unknown): boolean => {
  switch (type) {
    case "array":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    case "null":
      return value === null
    case "object":
      return isJsonObject(value)
    default:
      return typeof value === type
  }
}

export const type: Keyword = (schema) => {
  const wanted = own(schema, "type")
  if (wanted === undefined) return undefined
  const types = Array.isArray(wanted) ? wanted : [wanted]
  const message = `This must be ${types.map((name) => articles[String(name)]).join(" or ")}.`
  if (types.length === 1) return (value, run) => hasType(value, types[0]) || run.fail(message)
  return (value, run) => types.some((name) => hasType(value, name)) || run.fail(message)
}

const equals = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => equals(item, other[at]))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const names = Object.keys(one)
  return names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && equals(one[name], other[name]))
}

export const constant: Keyword = (schema) => {
  if (!Object.hasOwn(schema, "const")) return undefined
  const wanted = schema["const"]
  const message = `This must be ${shown(wanted)}.`
  return (value, run) => equals(value, wanted) || run.fail(message)
}

export const choices: Keyword = (schema) => {
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

export const bound =
  (keyword: string, words: string, holds: (value: number, limit: number) => boolean): Keyword => (schema) => {
    const limit = own(schema, keyword)
    if (typeof limit !== "number") return undefined
    return (value, run) =>
      typeof value !== "number" || holds(value, limit) || run.fail(`This must be ${words} ${limit}.`)
  }

/** The digits as an integer, and their power of ten: decimal fractions are compared as written, not as doubles. */
const decimal = (number: number): readonly [digits: bigint, exponent: number] => {
  const [coefficient = "0", exponent = "0"] = Math.abs(number).toString().split("e")
  const point = coefficient.indexOf(".")
  return [BigInt(coefficient.replace(".", "")), Number(exponent) - (point < 0 ? 0 : coefficient.length - point - 1)]
}

export const isMultiple = (value: number, of: number): boolean => {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0
  if (!Number.isFinite(value)) return false
  const [digits, exponent] = decimal(value)
  const [ofDigits, ofExponent] = decimal(of)
  const shift = exponent - ofExponent
  return shift >= 0
    ? digits * 10n ** BigInt(shift) % ofDigits === 0n
    : digits % (ofDigits * 10n ** BigInt(-shift)) === 0n
}

/** Counts Unicode code points; a surrogate pair is one. */
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

export const lengths: Keyword = (schema) => {
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

export const pattern: Keyword = (schema) => {
  const source = own(schema, "pattern")
  if (typeof source !== "string") return undefined
  // The check of the schema compiled it once: again at the first text, because most schemas of a catalog check none.
  let regex: Regex | undefined
  const message = `This must match the pattern ${shown(source)}.`
  return (value, run) =>
    typeof value !== "string" ||
    run.matches(regex ??= Result.getOrThrow(compileRegex(source)), value) || run.fail(message)
}

export const format: Keyword = (schema) => {
  const name = own(schema, "format")
  const conforms = typeof name === "string" ? formatCheck(name) : undefined
  const message = `This must have the format ${String(name)}.`
  return conforms && ((value, run) => typeof value !== "string" || conforms(value) || run.fail(message))
}

/** A limit on a size; the message replaces `#` by the limit. */
export const count = (
  keyword: string,
  words: string,
  size: (value: unknown) => number | undefined,
  holds: (size: number, limit: number) => boolean
): Keyword =>
(schema) => {
  const limit = own(schema, keyword)
  if (typeof limit !== "number") return undefined
  const message = words.replace("#", String(limit))
  return (value, run) => {
    const found = size(value)
    return found === undefined || holds(found, limit) || run.fail(message)
  }
}
export const itemCount = (value: unknown) => Array.isArray(value) ? value.length : undefined
export const memberCount = (value: unknown) => isJsonObject(value) ? Object.keys(value).length : undefined
export const atLeast = (size: number, limit: number) => size >= limit
export const atMost = (size: number, limit: number) => size <= limit

export const uniqueItems: Keyword = (schema) => {
  if (own(schema, "uniqueItems") !== true) return undefined
  return (value, run) => {
    if (!Array.isArray(value)) return true
    const seen = new Set<unknown>()
    let conforms = true
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at]
      // A compound's key is its canonical text; a string's key has a prefix, so that the two differ.
      const isCompound = typeof item === "object" && item !== null
      const identity = isCompound ? compoundText(item) : typeof item === "string" ? `"${item}` : item
      run.spend(typeof identity === "string" ? 1 + identity.length / 64 : 1)
      if (seen.has(identity)) {
        conforms = run.fail("This item is already in the list.", at)
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
    return JSON.stringify(item) // a provider sent unpaired surrogates
  }
}

export const required: Keyword = (schema) => {
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

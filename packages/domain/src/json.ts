/**
 * JSON text of callers, restricted to texts with one canonical form. Spec: reference/conventions.md "JSON",
 * "Idempotency"; RFC 8259, RFC 8785.
 *
 * `parseStrict` refuses some input that `JSON.parse` accepts: a member name sent twice, lone surrogates, numbers that a
 * double cannot hold, NUL outside the payload, and nesting that would overflow a later recursion. Every accepted text
 * has exactly one canonical text.
 */
import rfc8785 from "canonicalize"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** Levels of objects and arrays, including the outermost. */
export const jsonDepthMax = 64

/** Length of a shown path in characters; a longer one is cut. */
const pathLengthMax = 256

export interface StrictJsonOptions {
  readonly maxDepth?: number
  /** The one top-level member below which strings and names may contain NUL. */
  readonly nulAllowedUnder?: string
}

/** `path` is dotted (`payload.items.0.qty`) and empty for the whole body; `message` includes the next step. */
export type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly path: string; readonly message: string }

export const isJsonObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A path for errors. Names come from callers: made well-formed, without NUL, and cut at 256 characters. */
export const dottedPath = (...steps: ReadonlyArray<string | number>): string => {
  const path = steps.filter((step) => step !== "").join(".").toWellFormed().replaceAll("\0", "\uFFFD")
  return path.length > pathLengthMax ? `${path.slice(0, pathLengthMax).toWellFormed()}…` : path
}

/**
 * Parses one JSON text.
 *
 * Numbers: refused when not finite as a double (`1e400`) or beyond ±(2^53−1), in any notation (`9007199254740993`,
 * `1e20`), since every such double represents several integers. Other fractions and exponents become the nearest
 * double, as usual. A byte order mark is refused; decode the bytes with `ignoreBOM: true`, or the decoder drops it
 * first.
 *
 * One pass over the characters bounds the depth and counts the members, `JSON.parse` builds the value, and one walk
 * over the value compares the count: a name sent twice leaves fewer members than were written. Only a refusal, or a
 * text with suspicious escapes, costs more.
 */
export const parseStrict = (text: string, options: StrictJsonOptions = {}): StrictJson => {
  const maxDepth = options.maxDepth ?? jsonDepthMax
  let written = 0
  let depth = 0
  let escapes = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      for (at++; at < text.length; at++) {
        const inside = text.charCodeAt(at)
        if (inside === 0x22) break
        if (inside === 0x5c) {
          escapes = true
          at++
        }
      }
    } else if (code === 0x3a) written++
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return refusal("", `JSON can be nested at most ${maxDepth} levels deep.`)
    } else if (code === 0x7d || code === 0x5d) depth--
  }

  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return refusal("", syntaxMessage(text, error))
  }
  const suspicious = escapes && suspiciousEscape.test(text) || !text.isWellFormed()
  if (!suspicious && countMembers(value) === written) return { ok: true, value }
  return inspect(value, [], options.nulAllowedUnder) ?? duplicateMember(text) ?? { ok: true, value }
}

/**
 * NUL or an unpaired surrogate, written as an escape. An escaped backslash before it gives a false match, which the
 * inspection resolves.
 */
const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/

const refusal = (path: string, message: string): StrictJson => ({ ok: false, path, message })

/** The engine's own message quotes the body, which may hold a secret, so only the position is used. */
const syntaxMessage = (text: string, error: unknown): string => {
  if (text.trim() === "") return "The body is empty. Send one JSON value."
  if (text.startsWith("\uFEFF")) return "The body begins with a byte order mark. Send plain UTF-8."
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined
  return `This is not valid JSON${position === undefined ? "" : ` (at character ${position})`}. Send one JSON value.`
}

/** Counts the members of a value at all levels; NaN, which equals no count, when a number is out of range. */
const countMembers = (value: unknown): number => {
  if (typeof value === "number") return inRange(value) ? 0 : Number.NaN
  if (typeof value !== "object" || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at]
      if (typeof item !== "string") count += countMembers(item)
    }
    return count
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name]
    count += typeof member === "string" ? 1 : 1 + countMembers(member)
  }
  return count
}

const inRange = (number: number): boolean => number >= -Number.MAX_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER

type Path = ReadonlyArray<string | number>

/** The first refused number or string, with its path. */
const inspect = (value: unknown, path: Path, nulUnder: string | undefined): StrictJson | undefined => {
  if (typeof value === "number") {
    return inRange(value) ? undefined : refusal(
      dottedPath(...path),
      `A number must be within ±${Number.MAX_SAFE_INTEGER}. Send larger numbers as strings.`
    )
  }
  if (typeof value === "string") return stringProblem(value, path, nulUnder)
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const found = inspect(value[at], [...path, at], nulUnder)
      if (found !== undefined) return found
    }
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const below = [...path, name]
      const found = stringProblem(name, path.length === 0 ? ["", name] : below, nulUnder) ??
        inspect(value[name], below, nulUnder)
      if (found !== undefined) return found
    }
  }
  return undefined
}

const stringProblem = (text: string, path: Path, nulUnder: string | undefined): StrictJson | undefined => {
  if (!text.isWellFormed()) {
    return refusal(dottedPath(...path), "A string contains half a surrogate pair. Send valid Unicode.")
  }
  if (text.includes("\0") && (nulUnder === undefined || path[0] !== nulUnder)) {
    return refusal(dottedPath(...path), "A string must not contain the character NUL here.")
  }
  return undefined
}

/** Finds a name sent twice in one object of a valid JSON text. */
const duplicateMember = (text: string): StrictJson | undefined => {
  let at = 0
  const skipTo = (stops: string): string => {
    while (!stops.includes(text.charAt(at))) at++
    return text.charAt(at)
  }
  const string = (): string => {
    const start = at
    for (at++; text.charAt(at) !== "\""; at++) if (text.charAt(at) === "\\") at++
    return JSON.parse(text.slice(start, ++at)) as string
  }
  /** Reads one value and advances behind it. */
  const value = (path: Path): StrictJson | undefined => {
    while (" \t\n\r".includes(text.charAt(at))) at++
    const opening = text.charAt(at)
    if (opening === "\"") return void string()
    if (opening !== "{" && opening !== "[") {
      while (at < text.length && !",]} \t\n\r".includes(text.charAt(at))) at++
      return undefined
    }
    at++
    const names = new Set<string>()
    for (let index = 0;; index++) {
      let step: string | number = index
      if (opening === "{") {
        if (skipTo("\"}") === "}") break
        step = string()
        if (names.has(step)) return refusal(dottedPath(...path, step), "This member is sent twice. Send it once.")
        names.add(step)
        skipTo(":")
        at++
      } else {
        while (" \t\n\r".includes(text.charAt(at))) at++
        if (text.charAt(at) === "]") break
      }
      const found = value([...path, step])
      if (found !== undefined) return found
      if (skipTo(",]}") !== ",") break
      at++
    }
    at++
    return undefined
  }
  return value([])
}

/**
 * RFC 8785: one text for one value, object members sorted, numbers in their shortest form. Throws `TypeError` for
 * values that JSON cannot represent (undefined, NaN, Infinity, a lone surrogate, a cycle), but never for a result of
 * `parseStrict`. Depth is bounded only by memory.
 */
export const canonicalize = (value: unknown): string => {
  let text: string | undefined
  try {
    text = rfc8785(value)
  } catch (cause) {
    throw new TypeError("this value has no canonical JSON form", { cause })
  }
  if (text === undefined) throw new TypeError("this value has no canonical JSON form")
  return text
}

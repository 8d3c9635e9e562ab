/**
 * Interprets a provider's bytes. No answer can break the hub: bad UTF-8 becomes U+FFFD, bad JSON is text, numbers that
 * a double would change stay as their text, half surrogates are repaired. Spec: reference/services.md "Provider
 * answers".
 */
import { resolvePointer } from "@countersign/domain/pointer"

/** The deepest nesting that is parsed as JSON; a deeper text stays text. */
export const answerDepthMax = 64

export type Reading =
  | { readonly kind: "json"; readonly document: unknown; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "empty"; readonly text: "" }

const decoder = new TextDecoder()

/** Parses JSON where possible; a bare scalar under a `text/…` type is text. */
export const readAnswer = (body: Uint8Array, contentType: string | undefined): Reading => {
  const text = decoder.decode(body)
  if (text.trim() === "") return { kind: "empty", text: "" }
  const document = parseLenient(text)
  if (document === undefined) return { kind: "text", text }
  const scalar = typeof document.value !== "object" || document.value === null
  if (scalar && /^\s*text\//i.test(contentType ?? "")) return { kind: "text", text }
  return { kind: "json", document: document.value, text }
}

/** `undefined` for text that is not JSON. Integers beyond ±(2^53−1) and numbers beyond a double become strings. */
const parseLenient = (text: string): { readonly value: unknown } | undefined => {
  if (deeperThan(text, answerDepthMax)) return undefined
  try {
    const value: unknown = /\d{16}|\d[eE]\+?\d{3}/.test(text) ? JSON.parse(text, keepNumbers) : JSON.parse(text)
    return { value: /\\u[dD][89a-fA-F]/.test(text) ? mapStrings(value, (part) => part.toWellFormed()) : value }
  } catch {
    return undefined
  }
}

function keepNumbers(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value
  if (!Number.isFinite(value)) return context.source
  return /^-?\d+$/.test(context.source) && !Number.isSafeInteger(value) ? context.source : value
}

const deeperThan = (text: string, max: number): boolean => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > max) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

/** A copy with every string and member name mapped. The depth of the value is bounded by `answerDepthMax`. */
export const mapStrings = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === "string") return map(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [map(name), mapStrings(member, map)]))
}

/** The reading without the secrets. */
export const scrubbed = (reading: Reading, scrub: Scrub): Reading => {
  switch (reading.kind) {
    case "empty":
      return reading
    case "text":
      return { kind: "text", text: scrub.text(reading.text) }
    case "json": {
      const text = scrub.text(reading.text)
      // Without an escape, the text contains every string of the document unchanged.
      return text === reading.text && !text.includes("\\")
        ? reading
        : { kind: "json", document: scrub.json(reading.document), text }
    }
  }
}

/** `result` is always an object: other JSON is `{ value }`. */
export const asResult = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value }

/** The result of an answer: the value at the pointer (`{ value: null }` for nothing), or the whole answer. */
export const resultOf = (reading: Reading, pointer: string | undefined): unknown => {
  if (reading.kind === "empty") return {}
  if (reading.kind === "text") return { text: reading.text }
  if (pointer === undefined) return asResult(reading.document)
  const resolved = resolvePointer(reading.document, pointer)
  return asResult(resolved.found ? resolved.value : null)
}

/** Shorter values are not treated as secrets: removing them would damage ordinary text. */
const secretLengthMin = 3
const masked = "***"

export interface Scrub {
  readonly text: (text: string) => string
  readonly json: (value: unknown) => unknown
}

/** Removes secrets from a provider's answer, in the forms in which they were sent. */
export const scrubOf = (secrets: ReadonlyArray<string>): Scrub => {
  const forms = new Set<string>()
  for (const secret of secrets) {
    const password = secret.slice(secret.indexOf(":") + 1)
    for (const part of [secret, password]) {
      if (part.length < secretLengthMin) continue
      const json = JSON.stringify(part).slice(1, -1)
      const base64 = Buffer.from(part).toString("base64")
      for (const form of [part, json, base64, base64.replace(/=+$/, ""), encodeURIComponent(part.toWellFormed())]) {
        forms.add(form)
      }
    }
  }
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  const text = (given: string) => longestFirst.reduce((rest, form) => rest.replaceAll(form, masked), given)
  return { text, json: (value) => longestFirst.length === 0 ? value : mapStrings(value, text) }
}

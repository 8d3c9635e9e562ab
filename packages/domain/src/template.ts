/**
 * The `${…}` templates of declared services: path, query, headers, body. Spec: reference/services.md "Templates".
 *
 * A text that is a single reference keeps the JSON type of its value; inside other text the value becomes text, escaped
 * for its place. Filled-in values are not parsed again: a payload that contains `${…}` is sent literally. References
 * follow own members only.
 */
import { Result } from "effect"
import type { Detail } from "./errors.ts"
import { encodeForm, type ListStyle } from "./form.ts"
import { dottedPath, isJsonObject } from "./json.ts"
import { resolvePointer } from "./pointer.ts"

/** Length of one template text, in characters. */
export const templateLengthMax = 65_536
/** The most references of one template text; a body has any number of texts. */
export const referencesMax = 100
/**
 * The approximate number of JSON characters that one rendering may fill in: each reference may repeat a payload of 1
 * MiB.
 */
export const renderedLengthMax = 4_194_304
export const headerLengthMax = 8_192
const bodyDepthMax = 64

export type Place = "path" | "query" | "header" | "body"

/** The variables of a template. `ref` exists while an asynchronous operation is polled. */
export interface TemplateScope {
  readonly payload: unknown
  readonly request: { readonly id: string }
  readonly callback_url?: string
  readonly ref?: unknown
}

type Rendered<A> = Result.Result<A, ReadonlyArray<Detail>>

/** A payload name may contain anything except dots, braces, quotes, and white space. */
const reference = /\$\{([^{}]*)\}/g
const payloadReference = /^payload(?:\.[^.{}\s"']+)*$/

const knownReference = (name: string, polls: boolean): boolean =>
  payloadReference.test(name) || name === "request.id" || name === "callback_url" || polls && name === "ref"

const unknownReference = (name: string, polls: boolean): string => {
  const meant = !name.includes(".") && payloadReference.test(`payload.${name}`) && name !== "ref"
    ? ` Did you mean \${payload.${name}}?`
    : ""
  return `\${${dottedPath(name)}} is unknown here.${meant} Use ${knownNames(polls)}.`
}

const knownNames = (polls: boolean): string =>
  `\${payload}, \${payload.name}, \${request.id} or \${callback_url}${polls ? ", or ${ref}" : ""}`

/**
 * All problems that prevent a template from being saved, paths beginning with `at`; empty when it may be saved. A body
 * is any JSON, a query and headers are objects of templates, a path is one text. `polls` allows `${ref}`.
 */
export const checkTemplate = (
  template: unknown,
  place: Place,
  at: string,
  options: { readonly polls?: boolean } = {}
): ReadonlyArray<Detail> => {
  const polls = options.polls === true
  const problems: Array<Detail> = []
  const refuse = (path: string, message: string): void => {
    problems.push({ path, message })
  }
  const checkText = (text: string, path: string): void => {
    if (text.length > templateLengthMax) {
      return refuse(path, `A template can have at most ${templateLengthMax} characters.`)
    }
    const names = [...text.matchAll(reference)].map((match) => match[1] ?? "")
    if (names.length > referencesMax) return refuse(path, `A template can have at most ${referencesMax} references.`)
    for (const name of names) {
      if (!knownReference(name, polls)) refuse(path, unknownReference(name, polls))
    }
    const literal = text.replace(reference, "x")
    if (literal.includes("${")) refuse(path, "A reference is not closed. Write ${payload.name}.")
    else literalProblem(place, literal, path, refuse)
  }
  const walk = (value: unknown, path: string, depth: number): void => {
    if (typeof value === "string") return checkText(value, path)
    if (typeof value !== "object" || value === null) return
    if (depth > bodyDepthMax) return refuse(path, `A template can be nested at most ${bodyDepthMax} levels deep.`)
    for (const name of Object.keys(value)) {
      walk((value as Record<string, unknown>)[name], dottedPath(path, name), depth + 1)
    }
  }
  if (place === "path" && typeof template !== "string") refuse(at, "A path must be text.")
  else if ((place === "query" || place === "header") && !isJsonObject(template)) {
    refuse(at, "This must be an object of templates.")
  } else {
    if (place === "header" && isJsonObject(template)) {
      for (const name of Object.keys(template)) {
        const problem = headerNameProblem(name)
        if (problem !== undefined) refuse(dottedPath(at, name), problem)
        else if (typeof template[name] !== "string") refuse(dottedPath(at, name), "A header must be text.")
      }
    }
    walk(template, at, 0)
  }
  return problems
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/

/** Headers that frame or route the message, or carry the key that prevents a provider from acting twice. */
const ownHeaders = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "idempotency-key",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Why a header cannot be set; undefined when it can. */
export const headerNameProblem = (name: string): string | undefined =>
  headerName.test(name)
    ? ownHeaders.has(name.toLowerCase()) ? "This header is set by the hub." : undefined
    : "This is not a valid header name."

/** Invalid characters between references; each reference counts as one letter. */
const literalProblem = (
  place: Place,
  text: string,
  path: string,
  refuse: (path: string, message: string) => void
): void => {
  if (place === "path") {
    if (!text.startsWith("/")) {
      refuse(
        path,
        /^https?:/iu.test(text)
          ? "A path begins with \"/\". Scheme and host stand in base_url."
          : "A path begins with \"/\"."
      )
    }
    if (/[?#]/.test(text)) refuse(path, "A path has no \"?\" or \"#\". Use query.")
    const braces = /\{+\s*([\w.-]+)\s*\}+/u.exec(text)
    if (braces !== null) {
      return refuse(path, `A reference is written \${payload.${braces[1] ?? "name"}}, not ${braces[0]}.`)
    }
    if (/[^\x21-\x7e]|[\\"<>^`{|}]|%(?![0-9A-Fa-f]{2})/.test(text)) {
      refuse(path, "A path can contain URL characters only. Percent-encode others.")
    }
    if (text.split("/").some(isDotSegment)) refuse(path, "A path must not have \".\" or \"..\" segments.")
  }
  if (place === "header" && !isHeaderText(text)) {
    refuse(path, "A header can contain visible Latin-1 characters, spaces, and tabs only.")
  }
}

/** URL parsers treat `%2e` as a dot. */
const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment)

const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)

/** One rendering: its scope, and the rest of its length limit. */
class Rendering {
  readonly problems: Array<Detail> = []
  readonly #scope: TemplateScope
  #left = renderedLengthMax

  constructor(scope: TemplateScope) {
    this.#scope = scope
  }

  /** The value of a reference; undefined when missing, since JSON has no such value. */
  value(name: string): unknown {
    const resolved = resolvePointer(this.#scope, name.split("."))
    const value = resolved.found ? resolved.value : undefined
    this.#spend(value)
    return value
  }

  /** Replaces each reference in a text by the result of `fill`. */
  text(template: string, fill: (value: unknown, name: string) => string): string {
    return template.replace(reference, (_, name: string) => {
      const value = this.value(name)
      return this.spent ? "" : fill(value, name)
    })
  }

  /** Notes a problem once, and returns an empty text. */
  refuse(path: string, message: string): string {
    if (!this.problems.some((one) => one.path === path && one.message === message)) {
      this.problems.push({ path, message })
    }
    return ""
  }

  result<A>(value: A): Rendered<A> {
    if (this.spent) {
      return Result.fail([{ path: "payload", message: "The provider's request would be larger than 4 MiB." }])
    }
    return this.problems.length > 0 ? Result.fail(this.problems) : Result.succeed(value)
  }

  #spend(value: unknown): void {
    if (this.spent) return
    this.#left -= typeof value === "string" ? value.length + 2 : 4
    if (typeof value === "object" && value !== null) {
      for (const name of Object.keys(value)) {
        this.#left -= name.length
        this.#spend((value as Record<string, unknown>)[name])
      }
    }
  }

  get spent(): boolean {
    return this.#left < 0
  }
}

/** The name, if the whole text is one reference. */
const soleReference = (template: string): string | undefined => /^\$\{([^{}]*)\}$/.exec(template)?.[1]

/** A value as text inside other text: strings unchanged, null and missing values as nothing, the rest as JSON. */
const asText = (value: unknown): string => {
  if (typeof value === "string") return value
  return value === undefined || value === null ? "" : JSON.stringify(value)
}

const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** A required value of a path or a header. */
const needed = (rendering: Rendering, value: unknown, name: string): string => {
  if (value === undefined || value === null) return rendering.refuse(name, "This is required.")
  return isScalar(value) ? asText(value) : rendering.refuse(name, "This must be a string, a number, true, or false.")
}

/**
 * Each value is percent-encoded into its segment. Fails where one is missing, null, not a scalar, empty, or makes a dot
 * segment.
 */
export const renderPath = (template: string, scope: TemplateScope): Rendered<string> => {
  const rendering = new Rendering(scope)
  const names: Array<string> = []
  const path = rendering.text(template, (value, name) => {
    names.push(name)
    const text = needed(rendering, value, name)
    if (!isScalar(value)) return ""
    if (text === "" || text === "." || text === "..") {
      return rendering.refuse(name, "This may not be empty, \".\" or \"..\".")
    }
    return text.isWellFormed()
      ? encodeURIComponent(text)
      : rendering.refuse(name, "This contains half a surrogate pair.")
  })
  if (rendering.problems.length === 0 && path.split("/").some(isDotSegment)) {
    rendering.refuse(names[0] ?? "", "This results in a path segment of dots only.")
  }
  return rendering.result(path)
}

/**
 * One header's value. Fails where one is missing, null, or not a scalar, or contains a line break, NUL, or a
 * non-Latin-1 character.
 */
export const renderHeader = (template: string, scope: TemplateScope): Rendered<string> => {
  const rendering = new Rendering(scope)
  const header = rendering.text(template, (value, name) => {
    const text = needed(rendering, value, name)
    if (isHeaderText(text)) return text
    return rendering.refuse(
      name,
      "A header cannot contain line breaks, control characters, or characters outside Latin-1."
    )
  })
  if (header.length > headerLengthMax) {
    rendering.refuse("payload", `A header can have at most ${headerLengthMax} characters.`)
  }
  return rendering.result(header)
}

/**
 * The query without its `?`, form-encoded names and values, in the order of the template; empty without parameters. A
 * parameter whose whole text is one missing or null reference is left out; inside text such a reference becomes empty.
 * With the style `form`, a list repeats the parameter for each item; an object, and a list in a list, are sent as JSON.
 * With `deepObject`, both are written in brackets: `created[gte]=1`, `expand[0]=data`.
 */
export const renderQuery = (
  template: { readonly [name: string]: unknown },
  scope: TemplateScope,
  style: ListStyle = "form"
): Rendered<string> => {
  const rendering = new Rendering(scope)
  const values = Object.fromEntries(Object.keys(template).map((name) => [name, filled(template[name], rendering)]))
  if (rendering.problems.length > 0 || rendering.spent) return rendering.result("")
  const written = style === "deepObject"
    ? values
    : Object.fromEntries(Object.entries(values).map(([name, value]) => [name, flat(value)]))
  return encodeForm(written, { lists: style, encodeBrackets: true, nulls: "omit" })
}

/** A scalar, or a list of scalars; deeper values as JSON. */
const flat = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((item) => isStructured(item) ? JSON.stringify(item) : item)
    : isStructured(value)
    ? JSON.stringify(value)
    : value

const isStructured = (value: unknown): boolean => typeof value === "object" && value !== null

/**
 * A JSON body; undefined when the whole template is one missing reference. Members and items that are one missing
 * reference are left out; null stays null. Names of members are not templates.
 */
export const renderBody = (template: unknown, scope: TemplateScope): Rendered<unknown> => {
  const rendering = new Rendering(scope)
  return rendering.result(filled(template, rendering))
}

const filled = (template: unknown, rendering: Rendering): unknown => {
  if (rendering.spent) return undefined
  if (typeof template === "string") {
    const name = soleReference(template)
    return name === undefined ? rendering.text(template, asText) : rendering.value(name)
  }
  if (Array.isArray(template)) {
    return template.map((item) => filled(item, rendering)).filter((item) => item !== undefined)
  }
  if (!isJsonObject(template)) return template
  const members = Object.keys(template).map((name) => [name, filled(template[name], rendering)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

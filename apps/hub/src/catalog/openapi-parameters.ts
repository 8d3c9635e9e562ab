/** Parameters of an OpenAPI operation as templates: path, query, and headers. */
import {
  described,
  isScalarList,
  jsonContent,
  kindOf,
  type PayloadShape,
  plainFields,
  separatedText,
  templateOf
} from "./openapi-payload.ts"
import type { SchemaBundle } from "./openapi-schema.ts"
import { array, isObject } from "./openapi-values.ts"

interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header" | "cookie"
  readonly required: boolean
  readonly schema: unknown
  readonly style: string
  readonly explode: boolean
  /** Its value is written as JSON. */
  readonly isJson: boolean
  readonly description: unknown
}

export interface CarriedParameters {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** `form` or `deepObject` if lists or objects need one of them. */
  readonly queryStyle: "form" | "deepObject" | undefined
  /** The omitted parts, with reasons. */
  readonly notes: ReadonlyArray<string>
}

const defaultStyles = { path: "simple", query: "form", header: "simple", cookie: "form" } as const

/** An operation's parameter replaces its path's parameter of the same name and location. */
const mergedParameters = (
  bundle: SchemaBundle,
  given: ReadonlyArray<unknown>
): ReadonlyArray<Parameter> | undefined => {
  const merged = new Map<string, Parameter>()
  for (const one of given) {
    const parameter = bundle.follow(one)
    if (!isObject(parameter) || typeof parameter["name"] !== "string") return undefined
    const place = parameter["in"]
    if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie") return undefined
    const content = jsonContent(parameter["content"])
    const isOther = content === undefined && isObject(parameter["content"])
    const style = typeof parameter["style"] === "string" ? parameter["style"] : defaultStyles[place]
    merged.set(`${place} ${parameter["name"]}`, {
      name: parameter["name"],
      in: place,
      required: parameter["required"] === true || place === "path",
      schema: content?.["schema"] ?? parameter["schema"] ?? {},
      style: isOther ? Object.keys(parameter["content"] as object)[0] ?? "content" : style,
      explode: typeof parameter["explode"] === "boolean" ? parameter["explode"] : style === "form",
      isJson: content !== undefined,
      description: parameter["description"]
    })
  }
  return [...merged.values()]
}

const placeName = { path: "path parameter", query: "query parameter", header: "header", cookie: "cookie" } as const

/** The specification ignores these three: the hub and the service's credential set these headers. */
const ignoredHeaders = new Set(["accept", "content-type", "authorization"])

/** Members that a template can reference by their own name. */
const plainName = /^[^.{}\s"']+$/u

class Carrier {
  readonly query: Record<string, string> = {}
  readonly headers: Record<string, string> = {}
  readonly notes: Array<string> = []
  path: string
  styles = new Set<"form" | "deepObject">()
  readonly #bundle: SchemaBundle
  readonly #shape: PayloadShape

  constructor(bundle: SchemaBundle, shape: PayloadShape, path: string) {
    this.#bundle = bundle
    this.#shape = shape
    this.path = path
  }

  /** Returns why the parameter cannot be imported; undefined on success. */
  carry(parameter: Parameter, usesBrackets: boolean): string | undefined {
    const { in: place, name } = parameter
    if (place === "cookie") return "cookies are not sent"
    if (place === "header" && ignoredHeaders.has(name.toLowerCase())) return undefined
    if (place === "header" && !parameter.required) return "a header that may be missing cannot be written"
    return place === "query" ? this.#inQuery(parameter, usesBrackets) : this.#inText(parameter)
  }

  #add(
    parameter: Parameter,
    schema: unknown = described(this.#bundle.convert(parameter.schema), parameter.description)
  ): string {
    return templateOf(this.#shape.add(parameter.name, parameter.in, schema, parameter.required))
  }

  #inText(parameter: Parameter): string | undefined {
    if (parameter.style !== "simple" || parameter.isJson) {
      return `its style ${parameter.isJson ? "content" : parameter.style} is not written`
    }
    const kind = kindOf(this.#bundle, parameter.schema)
    if (kind === "object") return "an object cannot be written there"
    const template = kind === "array"
      ? this.#add(parameter, separatedText("commas", parameter.description))
      : this.#add(parameter)
    if (parameter.in === "path") this.path = this.path.replaceAll(`{${parameter.name}}`, template)
    else this.headers[parameter.name.toLowerCase()] = template
    return undefined
  }

  #inQuery(parameter: Parameter, usesBrackets: boolean): string | undefined {
    const { explode, name, style } = parameter
    const kind = kindOf(this.#bundle, parameter.schema)
    const isStructured = kind !== "scalar" && kind !== "any"
    if (parameter.isJson) {
      if (kind !== "object") return "only objects are written as JSON"
      if (usesBrackets) return "JSON cannot be written beside parameters of the style deepObject"
      this.styles.add("form")
    } else if (style === "deepObject") {
      if (isStructured) this.styles.add("deepObject")
    } else if (
      kind === "array" && (style === "spaceDelimited" || style === "pipeDelimited" || style === "form" && !explode)
    ) {
      const separator = style === "form" ? "commas" : style === "spaceDelimited" ? "spaces" : "|"
      this.query[name] = this.#add(parameter, separatedText(separator, parameter.description))
      return undefined
    } else if (style !== "form") return `its style ${style} is not written`
    else if (kind === "object") return explode ? this.#exploded(parameter) : "an object cannot be written there"
    else if (kind === "array" || kind === "mixed") {
      if (kind === "array" && !isScalarList(this.#bundle, parameter.schema)) {
        return "a list of objects cannot be written there"
      }
      if (usesBrackets) {
        return "a list that repeats its name cannot be written beside parameters of the style deepObject"
      }
      this.styles.add("form")
    }
    this.query[name] = this.#add(parameter)
    return undefined
  }

  /** An object whose members become separate parameters. */
  #exploded(parameter: Parameter): string | undefined {
    const fields = plainFields(this.#bundle.follow(parameter.schema))
    const names = Object.keys(fields?.properties ?? {})
    const isPlain = fields !== undefined &&
      names.every((member) =>
        plainName.test(member) && !Object.hasOwn(this.query, member) &&
        kindOf(this.#bundle, fields.properties[member]) === "scalar"
      )
    if (!isPlain) return "its members cannot be written as parameters"
    const holder = this.#shape.add(
      parameter.name,
      parameter.in,
      described(this.#bundle.convert(parameter.schema), parameter.description),
      parameter.required
    )
    for (const member of names) this.query[member] = `\${payload.${holder}.${member}}`
    return undefined
  }
}

/** Adds every parameter to the payload; returns the reason if a required one cannot be imported. */
export const carryParameters = (
  bundle: SchemaBundle,
  shape: PayloadShape,
  route: string,
  given: ReadonlyArray<unknown>
): CarriedParameters | string => {
  const parameters = mergedParameters(bundle, array(given))
  if (parameters === undefined) return "it has a parameter that cannot be read"
  const carrier = new Carrier(bundle, shape, route)
  const usesBrackets = parameters.some((one) =>
    one.in === "query" && one.style === "deepObject" && !["scalar", "any"].includes(kindOf(bundle, one.schema))
  )
  for (const parameter of parameters) {
    const reason = carrier.carry(parameter, usesBrackets)
    if (reason === undefined) continue
    const what = `${placeName[parameter.in]} "${parameter.name}"`
    if (parameter.required) return `it needs the ${what}, and ${reason}`
    carrier.notes.push(`The optional ${what} is left out: ${reason}.`)
  }
  if (/(^|[^$])\{[^}]*\}/.test(carrier.path)) return "a part of its path has no parameter"
  const { headers, notes, path, query, styles } = carrier
  return {
    headers,
    notes,
    path,
    query,
    queryStyle: styles.has("deepObject") ? "deepObject" : styles.has("form") ? "form" : undefined
  }
}

/** The credential that a document's security schemes require, as a service's `auth`. */
import type { ServiceAuth } from "@countersign/domain/services"
import type { SchemaBundle } from "./openapi-schema.ts"
import { array, isObject, type JsonObject } from "./openapi-values.ts"

export interface ProposedAuth {
  readonly auth?: ServiceAuth
  readonly notes: ReadonlyArray<string>
}

interface Scheme {
  readonly auth: ServiceAuth
  /** Lower is preferred. */
  readonly rank: number
  readonly note?: string
}

const schemeOf = (scheme: JsonObject, secret: string): Scheme | undefined => {
  const { in: place, name, scheme: http, type } = scheme
  if (type === "http" && String(http).toLowerCase() === "bearer") return { auth: { type: "bearer", secret }, rank: 0 }
  if (type === "http" && String(http).toLowerCase() === "basic") return { auth: { type: "basic", secret }, rank: 3 }
  if (type === "apiKey" && place === "header" && typeof name === "string") {
    return { auth: { type: "header", header: name, secret }, rank: 1 }
  }
  if (type === "apiKey" && place === "query" && typeof name === "string") {
    return { auth: { type: "query", param: name, secret }, rank: 2 }
  }
  if (type === "oauth2" || type === "openIdConnect") {
    return {
      auth: { type: "bearer", secret },
      rank: 4,
      note: "The document requires OAuth. Store an access token as the secret; the hub does not renew it."
    }
  }
  return undefined
}

/** Each alternative lists the schemes that it needs together. */
const alternativesOf = (
  document: JsonObject,
  operations: ReadonlyArray<JsonObject>
): ReadonlyArray<ReadonlyArray<string>> => {
  const requirements = [document["security"], ...operations.map((operation) => operation["security"])].flatMap(array)
  const found = new Map<string, ReadonlyArray<string>>()
  for (const requirement of requirements) {
    if (!isObject(requirement)) continue
    const names = Object.keys(requirement)
    if (names.length > 0) found.set(JSON.stringify(names), names)
  }
  return [...found.values()]
}

/** If no operation requires a scheme, none is proposed, unless the document has exactly one. */
export const proposeAuth = (
  bundle: SchemaBundle,
  document: JsonObject,
  operations: ReadonlyArray<JsonObject>,
  name: string
): ProposedAuth => {
  const components = isObject(document["components"]) ? document["components"] : {}
  const schemes = isObject(components["securitySchemes"]) ? components["securitySchemes"] : {}
  const names = Object.keys(schemes)
  const required = alternativesOf(document, operations)
  const alternatives = required.length > 0 ? required : names.length === 1 ? [names] : []
  if (alternatives.length === 0) return { notes: [] }
  const secret = `${name}_key`.replace(/[^a-z0-9_-]+/gu, "_").replace(/^[^a-z]+/u, "").slice(0, 64) || "key"
  const usable = alternatives.flatMap((together) => {
    const made = together.map((one) => Object.hasOwn(schemes, one) ? bundle.follow(schemes[one]) : undefined)
      .map((scheme) => isObject(scheme) ? schemeOf(scheme, secret) : undefined)
    const first = made.find((scheme) => scheme !== undefined)
    return first === undefined ? [] : [{ ...first, others: together.length - 1 }]
  }).sort((one, other) => one.others - other.others || one.rank - other.rank)
  const best = usable[0]
  if (best === undefined) {
    return { notes: ["The document requires a kind of credential that the hub does not support."] }
  }
  return {
    auth: best.auth,
    notes: [
      ...best.note === undefined ? [] : [best.note],
      ...best.others > 0 ? ["The document requires several credentials together, but a service can send only one."] : []
    ]
  }
}

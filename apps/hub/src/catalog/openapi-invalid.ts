/** The faults that the OpenAPI schema finds in a document, with their places and in the API's terms. */
import type { Detail } from "@countersign/domain/errors"
import { dottedPath } from "@countersign/domain/json"
import { isObject } from "./openapi-values.ts"

/** As Ajv reports them, in `details` of the parser's error. */
interface SchemaFault {
  readonly instancePath: string
  readonly keyword: string
  readonly params: { readonly [name: string]: unknown }
  readonly message?: string
}

const isFault = (value: unknown): value is SchemaFault =>
  isObject(value) && typeof value["instancePath"] === "string" && typeof value["keyword"] === "string" &&
  isObject(value["params"])

/** These only report that another fault is below, or in which of several branches. */
const combining = new Set(["allOf", "anyOf", "else", "if", "not", "oneOf", "then"])
/** A reference would be valid in most places; suggesting one does not help the author of a wrong value. */
const asksForReference = ({ keyword, params }: SchemaFault): boolean =>
  keyword === "required" && params["missingProperty"] === "$ref"

const stepsOf = (pointer: string): ReadonlyArray<string> =>
  pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))

const described = ({ instancePath, keyword, message, params }: SchemaFault): Detail => {
  const steps = stepsOf(instancePath)
  const at = (text: string, ...below: ReadonlyArray<string>): Detail => ({
    path: dottedPath("openapi", ...steps, ...below),
    message: text
  })
  switch (keyword) {
    case "type":
      return at(`expected the type ${[params["type"]].flat().join(" or ")}`)
    case "required":
      return at("required", String(params["missingProperty"]))
    case "minProperties":
      return at(`expected at least ${String(params["limit"])} field${params["limit"] === 1 ? "" : "s"}`)
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = String(params["additionalProperty"] ?? params["unevaluatedProperty"])
      return at(instancePath === "/paths" ? "a path must begin with /" : "unknown field", name)
    }
    default:
      return at(message === undefined ? "this is not valid" : `this ${message}`)
  }
}

/** Allowed values of several branches, at one place. */
const allowedValues = (faults: ReadonlyArray<SchemaFault>, place: string): string => {
  const values = faults.flatMap(({ instancePath, keyword, params }) =>
    instancePath === place && keyword === "enum" && Array.isArray(params["allowedValues"])
      ? params["allowedValues"] as Array<unknown>
      : []
  )
  return `expected one of ${[...new Set(values.map(String))].join(", ")}`
}

/** Every place once; empty if the error names none. */
export const invalidPlaces = (error: unknown, placesMax: number): ReadonlyArray<Detail> => {
  const details = isObject(error) && Array.isArray(error["details"]) ? error["details"] as ReadonlyArray<unknown> : []
  const faults = details.filter(isFault).filter((fault) => !combining.has(fault.keyword))
  const own = faults.filter((fault) => !asksForReference(fault))
  const places = new Map<string, Detail>()
  for (const fault of own.length > 0 ? own : faults) {
    const found = described(fault)
    const message = fault.keyword === "enum" ? allowedValues(faults, fault.instancePath) : found.message
    if (!places.has(found.path)) places.set(found.path, { ...found, message })
  }
  return [...places.values()].slice(0, placesMax)
}

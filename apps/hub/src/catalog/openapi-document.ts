/**
 * An OpenAPI document from outside: bounded, self-contained, and valid before any other code reads it. No reference
 * leaves the document, so a reference never opens or fetches anything.
 */
import type SwaggerParser from "@apidevtools/swagger-parser"
import { Effect, Schema } from "effect"
import { invalidPlaces } from "./openapi-invalid.ts"
import { isObject, type JsonObject } from "./openapi-values.ts"

/** A document as the parser takes it, before it is validated. */
type OpenApiDocument = Awaited<ReturnType<typeof SwaggerParser.validate>>

/** Maximum size of the text of a document, in bytes. */
export const openApiBytesMax = 64 * 1024 * 1024
/** Maximum number of JSON values in a document, every alias counted each time. GitHub's, of 13 MB, has 260,000. */
export const openApiValuesMax = 2_000_000
export const openApiDepthMax = 128
const aliasesMax = 100
const problemsMax = 20

export const ImportDetail = Schema.Struct({ path: Schema.String, message: Schema.String })

/**
 * The document cannot become a service; `problems` lists places and reasons, dotted from the document or the request.
 */
export class ImportProblem extends Schema.TaggedError<ImportProblem>()("ImportProblem", {
  problems: Schema.Array(ImportDetail)
}) {
  override get message() {
    return this.problems.map(({ message, path }) => path === "" ? message : `${path}: ${message}`).join("; ")
  }
}

export const problem = (path: string, message: string) => new ImportProblem({ problems: [{ path, message }] })

/** Reads JSON or YAML text. Refuses tags, duplicate names, and aliases that multiply. */
export const parseOpenApiText = (text: string): Effect.Effect<unknown, ImportProblem> => {
  if (Buffer.byteLength(text) > openApiBytesMax) {
    return Effect.fail(problem("openapi", `the document has more than ${openApiBytesMax} bytes`))
  }
  return Effect.tryPromise({
    try: async () => {
      if (/^\s*\{/.test(text)) return JSON.parse(text) as unknown
      const { parseDocument } = await import("yaml")
      const document = parseDocument(text, {
        schema: "core",
        merge: false,
        stringKeys: true,
        uniqueKeys: true,
        prettyErrors: false,
        logLevel: "silent"
      })
      const error = document.errors[0]
      if (error !== undefined) throw error
      return document.toJS({ maxAliasCount: aliasesMax }) as unknown
    },
    catch: (error) => problem("openapi", `this cannot be parsed as JSON or YAML: ${firstLine(error)}`)
  })
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : "unknown").split("\n", 1)[0]!.replace(/\p{Cc}/gu, " ").slice(0, 200)

/** The value at a local reference such as `#/components/schemas/Pet`; own members only. */
export const resolveLocal = (document: unknown, reference: string): unknown => {
  let value = document
  let fragment: string
  try {
    fragment = decodeURIComponent(reference.slice(2))
  } catch {
    return undefined
  }
  for (const token of fragment.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) return undefined
    value = (value as Record<string, unknown>)[token]
  }
  return value
}

/** A document of 3.0 or 3.1 that is valid and refers only to itself. */
export const validOpenApi = Effect.fnUntraced(function*(given: unknown) {
  if (!isObject(given)) return yield* problem("openapi", "an OpenAPI document must be an object")
  const oversize = sizeProblem(given)
  if (oversize !== undefined) return yield* problem("openapi", oversize)
  const document = given
  if (typeof document["swagger"] === "string") {
    return yield* problem("openapi.swagger", "Swagger 2.0 is not supported; convert the document to OpenAPI 3.0 or 3.1")
  }
  const version = document["openapi"]
  if (typeof version !== "string" || !/^3\.[01]\.\d+/.test(version)) {
    return yield* problem("openapi.openapi", "only OpenAPI 3.0 and 3.1 are supported")
  }
  const missing = missingParts(document, version)
  if (missing.length > 0) return yield* new ImportProblem({ problems: missing })
  const foreign = foreignReferences(document)
  if (foreign.length > 0) return yield* new ImportProblem({ problems: foreign })
  // Read at the first import: the parser takes a tenth of a hub's start.
  const { default: parser } = yield* Effect.promise(() => import("@apidevtools/swagger-parser"))
  yield* Effect.tryPromise({
    try: () =>
      parser.validate(structuredClone(document) as OpenApiDocument, {
        resolve: { external: false, http: false, file: false },
        // References stay unresolved: a few that multiply would fill the memory if expanded.
        dereference: { circular: "ignore", excludedPathMatcher: () => true }
      }),
    catch: (error) => {
      const problems = invalidPlaces(error, problemsMax)
      return problems.length > 0
        ? new ImportProblem({ problems })
        : problem("openapi", `the document is not valid: ${firstLine(error)}`)
    }
  })
  return document
})

/** Faults that the parser would report without a place. */
const missingParts = (document: JsonObject, version: string): ReadonlyArray<typeof ImportDetail.Type> => {
  const { info, paths, webhooks } = document
  const hasNumber = isObject(info) && typeof info["version"] === "number"
  return [
    ...info === undefined ? [{ path: "openapi.info", message: "required" }] : [],
    ...hasNumber ? [{ path: "openapi.info.version", message: "expected a string, not a number" }] : [],
    ...paths === undefined && (webhooks === undefined || version.startsWith("3.0"))
      ? [{ path: "openapi.paths", message: "required" }]
      : []
  ]
}

const sizeProblem = (root: unknown): string | undefined => {
  const stack: Array<readonly [value: unknown, depth: number]> = [[root, 1]]
  let values = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [value, depth] = next
    if (++values > openApiValuesMax) return `the document has more than ${openApiValuesMax} values`
    if (typeof value !== "object" || value === null) continue
    if (depth > openApiDepthMax) return `the document is nested deeper than ${openApiDepthMax} levels`
    for (const inner of Object.values(value)) stack.push([inner, depth + 1])
  }
  return undefined
}

/** Members whose value is data of the API: a `$ref` in them is an ordinary name, as in the answers of SCIM. */
const ofData = new Set(["const", "default", "enum", "example", "examples", "value"])
/** Members whose own members have names that the API chose: a property may be called `default`. */
const ofNames = new Set([
  "$defs",
  "callbacks",
  "definitions",
  "dependentSchemas",
  "headers",
  "links",
  "parameters",
  "pathItems",
  "patternProperties",
  "properties",
  "requestBodies",
  "responses",
  "schemas",
  "webhooks"
])

/** Every `$ref` that does not begin with `#/` or has no target. */
const foreignReferences = (document: JsonObject): ReadonlyArray<typeof ImportDetail.Type> => {
  const found: Array<typeof ImportDetail.Type> = []
  const stack: Array<readonly [value: unknown, path: string, hasNames: boolean]> = [[document, "openapi", false]]
  for (let next = stack.pop(); next !== undefined && found.length < problemsMax; next = stack.pop()) {
    const [value, path, hasNames] = next
    if (typeof value !== "object" || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      const here = `${path}.${name}`.slice(0, 256)
      if (!hasNames && ofData.has(name)) continue
      if (name === "$ref" && typeof inner === "string") {
        const message = !inner.startsWith("#/")
          ? "only references inside the document (#/…) are followed"
          : resolveLocal(document, inner) === undefined
          ? "the reference does not resolve"
          : undefined
        if (message !== undefined) found.push({ path: here, message })
      } else stack.push([inner, here, !hasNames && ofNames.has(name)])
    }
  }
  return found
}

/**
 * A declared service out of an OpenAPI document: one operation for each that was picked, its parameters and JSON body merged
 * into one payload. Spec: contract 2 "Import".
 */
import type { Price } from "@countersign/domain/price"
import { checkService, type HttpOperation, HttpService, operationsMax, type ServiceAuth } from "@countersign/domain/services"
import { Effect, Schema } from "effect"
import {
  ImportProblem, isObject, type JsonObject, parseOpenApiText, problem, resolveLocal, validOpenApi
} from "./openapi-document.ts"
import { array, type Candidate, operationFrom, textOf } from "./openapi-operation.ts"
import { SchemaBundle } from "./openapi-schema.ts"

/** Operations that are looked at in one import, those that cannot be expressed included. */
const pickedMax = 1_000
/** The JSON of the service that comes out, in bytes. */
export const importedBytesMax = 4 * 1024 * 1024

export interface ImportInput {
  readonly name: string
  /** JSON or YAML text, or what was parsed of it. */
  readonly document: unknown
  /** Needed where the document names no absolute server. */
  readonly base_url?: string
  readonly auth?: ServiceAuth
  /** With neither tags nor ids every operation is taken. */
  readonly tags?: ReadonlyArray<string>
  readonly operation_ids?: ReadonlyArray<string>
  readonly price: Price
  /** By operation id, over `price`. */
  readonly prices?: Readonly<Record<string, Price>>
}

export interface Imported {
  readonly definition: HttpService
  /** Operations that were not asked for by id and cannot be expressed. */
  readonly skipped: ReadonlyArray<{ readonly operation: string; readonly reason: string }>
}

/** What of a document could be imported, before anything is picked. */
export interface Previewed {
  readonly title?: string
  readonly description?: string
  readonly base_url?: string
  readonly operations: ReadonlyArray<{
    readonly operation_id: string
    readonly name: string
    readonly title?: string
    readonly method: HttpOperation["method"]
    readonly path: string
    readonly tags: ReadonlyArray<string>
  }>
  readonly skipped: Imported["skipped"]
}

const decodeService = Schema.decodeUnknownEffect(HttpService, { errors: "all", onExcessProperty: "error" })

export const importOpenApi = Effect.fn("importOpenApi")(function*(input: ImportInput): Effect.fn.Return<Imported, ImportProblem> {
  const document = yield* documentOf(input.document)
  const candidates = operationsOf(document)
  const missing = (input.operation_ids ?? []).filter((id) => !candidates.some((one) => one.id === id))
  if (missing.length > 0) {
    return yield* new ImportProblem({
      problems: missing.map((id) => ({ path: "operation_ids", message: `the document has no operation "${id}"` }))
    })
  }
  const unpriced = Object.keys(input.prices ?? {}).filter((id) => !candidates.some((one) => one.id === id))
  if (unpriced.length > 0) {
    return yield* new ImportProblem({
      problems: unpriced.map((id) => ({ path: `prices.${id}`, message: `the document has no operation "${id}"` }))
    })
  }
  const byId = new Set(input.operation_ids)
  const byTag = new Set(input.tags)
  const all = byId.size === 0 && byTag.size === 0
  const picked = candidates.filter((one) => all || byId.has(one.id) || one.tags.some((tag) => byTag.has(tag)))
  if (picked.length === 0) return yield* problem(byTag.size > 0 ? "tags" : "openapi", "no operation was picked")
  if (picked.length > pickedMax) return yield* problem("openapi", tooMany(picked.length))

  const bundle = new SchemaBundle(document)
  const operations: Array<HttpOperation> = []
  const skipped: Array<Imported["skipped"][number]> = []
  const problems: Array<{ path: string; message: string }> = []
  const names = new Set<string>()
  for (const candidate of picked) {
    const price = input.prices !== undefined && Object.hasOwn(input.prices, candidate.id) ? input.prices[candidate.id] : undefined
    const kept = yield* expressed({ ...input, price: price ?? input.price }, bundle, candidate, names)
    if (typeof kept === "string") {
      if (byId.has(candidate.id)) problems.push({ path: candidate.path, message: kept })
      else skipped.push({ operation: candidate.id, reason: kept })
      continue
    }
    names.add(kept.name)
    operations.push(kept)
  }
  if (problems.length > 0) return yield* new ImportProblem({ problems })
  if (operations.length === 0) {
    return yield* problem("openapi", `none of the operations can be expressed: ${skipped[0]?.reason ?? ""}`)
  }
  if (operations.length > operationsMax) return yield* problem("openapi", tooMany(operations.length))
  const baseUrl = input.base_url ?? serverOf(document)
  if (baseUrl === undefined) return yield* problem("base_url", "the document names no absolute server; give base_url")
  const described = { ...draft(input, baseUrl, operations), ...describedBy(document) }
  if (Buffer.byteLength(JSON.stringify(described)) > importedBytesMax) {
    return yield* problem("openapi", "the service becomes too large; pick fewer operations")
  }
  const definition = yield* decodeService(described).pipe(
    Effect.mapError((error) => problem("", error.message))
  )
  const refused = checkService(definition)
  if (refused.length > 0) return yield* new ImportProblem({ problems: refused.slice(0, 20) })
  return { definition, skipped }
})

/** Everything that could be picked, and what could not and why. Nothing is made of it. */
export const previewOpenApi = Effect.fn("previewOpenApi")(function*(
  input: Pick<ImportInput, "document" | "base_url">
): Effect.fn.Return<Previewed, ImportProblem> {
  const document = yield* documentOf(input.document)
  const candidates = operationsOf(document)
  if (candidates.length > pickedMax) {
    return yield* problem("openapi", `the document has ${candidates.length} operations and ${pickedMax} may be looked at`)
  }
  const bundle = new SchemaBundle(document)
  const names = new Set<string>()
  const operations: Array<Previewed["operations"][number]> = []
  const skipped: Array<Imported["skipped"][number]> = []
  for (const candidate of candidates) {
    const made = yield* expressed({ ...input, name: "preview", price: free }, bundle, candidate, names)
    if (typeof made === "string") {
      skipped.push({ operation: candidate.id, reason: made })
      continue
    }
    names.add(made.name)
    const { method, name, path, title } = made
    operations.push({
      operation_id: candidate.id,
      name,
      ...title === undefined ? {} : { title },
      method,
      path,
      tags: candidate.tags
    })
  }
  const baseUrl = input.base_url ?? serverOf(document)
  return { ...describedBy(document), ...baseUrl === undefined ? {} : { base_url: baseUrl }, operations, skipped }
})

const free: Price = { type: "fixed", cents: 0 }

const documentOf = Effect.fnUntraced(function*(given: unknown) {
  return yield* validOpenApi(typeof given === "string" ? yield* parseOpenApiText(given) : given)
})

const describedBy = (document: JsonObject) => {
  const info = isObject(document["info"]) ? document["info"] : {}
  return {
    ...textOf(info["title"], 200, (title) => ({ title })),
    ...textOf(info["description"], 10_000, (description) => ({ description }))
  }
}

/** The operation that a candidate becomes, or why it can not be expressed. */
const expressed = Effect.fnUntraced(function*(
  input: Pick<ImportInput, "auth" | "base_url" | "name" | "price">,
  bundle: SchemaBundle,
  candidate: Candidate,
  names: ReadonlySet<string>
) {
  if (input.base_url === undefined && candidate.hasOwnServers) return "it has servers of its own; give base_url"
  const made = operationFrom(bundle, candidate, uniqueName(candidate, names), input.price)
  if (typeof made === "string") return made
  // Compiling the schemas of a large document takes seconds in all: others get their turn.
  yield* Effect.yieldNow
  const unshapely = problemsOf(input, made).some(({ path }) => path.startsWith("operations.0.response_schema"))
  const kept = unshapely ? withoutResponse(made) : made
  const refused = problemsOf(input, kept)
  return refused.length > 0 ? refused.map(({ message, path }) => `${path}: ${message}`).join("; ").slice(0, 500) : kept
})

const tooMany = (count: number) => `${count} operations are picked and ${operationsMax} may be; pick by tags or operation_ids`

/** What checks find in one operation, leaving the rest of the service aside. */
const problemsOf = (input: Drafted, operation: HttpOperation) =>
  checkService(draft(input, "https://example.com", [operation])).filter(({ path }) => path.startsWith("operations."))

/** The shape of answers is a help for readers: one that cannot be checked is no reason to refuse the operation. */
const withoutResponse = ({ response_schema: _, ...operation }: HttpOperation): HttpOperation => operation

type Drafted = Pick<ImportInput, "auth" | "name">

const draft = (input: Drafted, baseUrl: string, operations: ReadonlyArray<HttpOperation>): HttpService => ({
  name: input.name, kind: "http", base_url: baseUrl, ...input.auth === undefined ? {} : { auth: input.auth }, operations
})

const methods = ["get", "head", "post", "put", "patch", "delete"] as const

const operationsOf = (document: JsonObject): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  for (const [route, given] of Object.entries(isObject(document["paths"]) ? document["paths"] : {})) {
    const item = isObject(given) && typeof given["$ref"] === "string" ? resolveLocal(document, given["$ref"]) : given
    if (!isObject(item)) continue
    for (const method of methods) {
      const operation = item[method]
      if (!isObject(operation)) continue
      const id = operation["operationId"]
      found.push({
        id: typeof id === "string" && id !== "" ? id : `${method}${route}`,
        method: method.toUpperCase() as HttpOperation["method"],
        route,
        path: `openapi.paths.${route}.${method}`,
        tags: array(operation["tags"]).filter((tag) => typeof tag === "string"),
        operation,
        parameters: [...array(item["parameters"]), ...array(operation["parameters"])],
        hasOwnServers: array(item["servers"]).length > 0 || array(operation["servers"]).length > 0
      })
    }
  }
  return found
}

/** `listPets` → `list_pets`, `get/pets/{id}` → `get_pets_id`; a number makes it unique. */
const uniqueName = ({ id }: Candidate, taken: ReadonlySet<string>): string => {
  const words = id.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_").replace(/^[_-]+|[_-]+$/g, "")
  const base = (/^[a-z]/.test(words) ? words : `op_${words}`).slice(0, 64)
  let name = base
  for (let number = 2; taken.has(name); number++) name = `${base.slice(0, 60)}_${number}`
  return name
}

const serverOf = (document: JsonObject): string | undefined => {
  const server = array(document["servers"])[0]
  if (!isObject(server) || typeof server["url"] !== "string") return undefined
  const variables = isObject(server["variables"]) ? server["variables"] : {}
  const url = server["url"].replace(/\{([^}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) && typeof variable["default"] === "string" ? variable["default"] : whole
  })
  return /^https?:\/\//i.test(url) && !url.includes("{") ? url.replace(/[?#].*$/, "").replace(/\/+$/, "") : undefined
}

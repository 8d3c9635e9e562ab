/**
 * Makes a declared service from an OpenAPI document: one operation for each selected one, its parameters and body
 * merged into one payload. It reports each body or parameter that cannot be imported, with the reason. Spec:
 * reference/services.md "OpenAPI import".
 */
import { dottedPath } from "@countersign/domain/json"
import type { Price } from "@countersign/domain/price"
import { serviceWarnings } from "@countersign/domain/service-warnings"
import {
  checkService,
  type HttpOperation,
  HttpService,
  operationsMax,
  type ServiceAuth
} from "@countersign/domain/services"
import { Effect, Schema } from "effect"
import { proposeAuth } from "./openapi-auth.ts"
import { describedBy, operationsOf, serverOf, uniqueName, unsupportedOf } from "./openapi-candidates.ts"
import { type ImportDetail, ImportProblem, parseOpenApiText, problem, validOpenApi } from "./openapi-document.ts"
import { type Candidate, type MadeOperation, noticesOf, operationFrom } from "./openapi-operation.ts"
import { SchemaBundle } from "./openapi-schema.ts"
import type { JsonObject } from "./openapi-values.ts"

/** Maximum number of operations of one import, including those that cannot be expressed. */
const pickedMax = 5_000
/** Maximum size of the JSON of the resulting service, in bytes. */
export const importedBytesMax = 4 * 1024 * 1024

export interface ImportInput {
  readonly name: string
  /** JSON or YAML text, or its parsed value. */
  readonly document: unknown
  /** Required if the document names no absolute server. */
  readonly base_url?: string
  readonly auth?: ServiceAuth
  /** Without tags and ids every operation is imported. */
  readonly tags?: ReadonlyArray<string>
  readonly operation_ids?: ReadonlyArray<string>
  readonly price: Price
  /** By operation id; takes precedence over `price`. */
  readonly prices?: Readonly<Record<string, Price>>
}

type Details = ReadonlyArray<typeof ImportDetail.Type>

export interface Imported {
  readonly definition: HttpService
  /** Operations that were not selected by id and cannot be expressed. */
  readonly skipped: ReadonlyArray<{ readonly operation: string; readonly reason: string }>
  /** The document's security requirement, if no credential was sent. */
  readonly auth?: ServiceAuth
  readonly warnings: Details
}

/** The operations of a document that can be imported, before any is selected. */
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
  readonly auth?: ServiceAuth
  readonly warnings: Details
}

const decodeService = Schema.decodeUnknownEffect(HttpService, { errors: "all", onExcessProperty: "error" })

export const importOpenApi = Effect.fn("importOpenApi")(
  function*(input: ImportInput): Effect.fn.Return<Imported, ImportProblem> {
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
    if (picked.length === 0) return yield* problem(byTag.size > 0 ? "tags" : "openapi", "no operation was selected")
    if (picked.length > pickedMax) return yield* problem("openapi", tooMany(picked.length))

    const bundle = new SchemaBundle(document)
    const operations: Array<HttpOperation> = []
    const skipped: Array<Imported["skipped"][number]> = byId.size > 0 ? [] : [...unsupportedOf(document)]
    const problems: Array<{ path: string; message: string }> = []
    const notes: Array<{ path: string; message: string }> = []
    const names = new Set<string>()
    for (const candidate of picked) {
      const price = input.prices !== undefined && Object.hasOwn(input.prices, candidate.id)
        ? input.prices[candidate.id]
        : undefined
      const kept = yield* expressed({ ...input, price: price ?? input.price }, bundle, candidate, names)
      if (typeof kept === "string") {
        if (byId.has(candidate.id)) problems.push({ path: candidate.path, message: kept })
        else skipped.push({ operation: candidate.id, reason: kept })
        continue
      }
      names.add(kept.operation.name)
      const at = operations.length
      notes.push(
        ...noticesOf(kept).map(({ message, place }) => ({ path: dottedPath("operations", at, ...place), message }))
      )
      operations.push(kept.operation)
    }
    if (problems.length > 0) return yield* new ImportProblem({ problems })
    if (operations.length === 0) {
      return yield* problem("openapi", `none of the operations can be imported: ${skipped[0]?.reason ?? ""}`)
    }
    if (operations.length > operationsMax) return yield* problem("openapi", tooMany(operations.length))
    const baseUrl = input.base_url ?? serverOf(document)
    if (baseUrl === undefined) {
      return yield* problem("base_url", "the document has no absolute server address; send base_url")
    }
    const fitted = fittingIn(importedBytesMax, { ...draft(input, baseUrl, operations), ...describedBy(document) })
    if (fitted === undefined) {
      return yield* problem("openapi", "the service would be too large; select fewer operations")
    }
    const definition = yield* decodeService(fitted.definition).pipe(
      Effect.mapError((error) => problem("", error.message))
    )
    const refused = checkService({ ...definition, operations: definition.operations.slice(0, 1) })
    if (refused.length > 0) return yield* new ImportProblem({ problems: refused.slice(0, 20) })
    const { auth, notes: credentials } = input.auth === undefined
      ? proposalOf(bundle, document, picked, input.name)
      : { notes: [] }
    return {
      definition,
      skipped,
      ...auth === undefined ? {} : { auth },
      warnings: [
        ...fitted.warnings,
        ...credentials.map((message) => ({ path: "auth", message })),
        ...notes,
        ...serviceWarnings(definition.operations)
      ]
    }
  }
)

/** With the warning that the service has no credential yet. */
const proposalOf = (bundle: SchemaBundle, document: JsonObject, picked: ReadonlyArray<Candidate>, name: string) => {
  const { auth, notes } = proposeAuth(bundle, document, picked.map(({ operation }) => operation), name)
  return auth === undefined ? { notes } : {
    auth,
    notes: [
      ...notes,
      `The document asks for a credential, and none was sent. Set auth, such as ${
        JSON.stringify(auth)
      }, and store the secret.`
    ]
  }
}

/** Removes response schemas, the largest first, until the service fits; undefined if it is too large without them. */
const fittingIn = (bytesMax: number, definition: HttpService) => {
  const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
  let bytes = sizeOf(definition)
  if (bytes <= bytesMax) return { definition, warnings: [] }
  const sizes = definition.operations.map(({ response_schema: schema }, at) => ({
    at,
    bytes: schema === undefined ? 0 : sizeOf(schema)
  }))
    .filter((one) => one.bytes > 0).sort((one, other) => other.bytes - one.bytes)
  const dropped = new Set<number>()
  for (const { at, bytes: size } of sizes) {
    if (bytes <= bytesMax) break
    dropped.add(at)
    bytes -= size
  }
  if (bytes > bytesMax) return undefined
  const operations = definition.operations.map((operation, at) =>
    dropped.has(at) ? withoutResponse(operation) : operation
  )
  return {
    definition: { ...definition, operations },
    warnings: [{
      path: "operations",
      message: `The response schemas of ${dropped.size} operations are left out: the service would be too large.`
    }]
  }
}

/** All operations that can be imported, and those that cannot with the reason. Creates nothing. */
export const previewOpenApi = Effect.fn("previewOpenApi")(function*(
  input: Pick<ImportInput, "document" | "base_url">
): Effect.fn.Return<Previewed, ImportProblem> {
  const document = yield* documentOf(input.document)
  const candidates = operationsOf(document)
  if (candidates.length > pickedMax) {
    return yield* problem(
      "openapi",
      `the document has ${candidates.length} operations; at most ${pickedMax} can be imported at once`
    )
  }
  const bundle = new SchemaBundle(document)
  const names = new Set<string>()
  const operations: Array<Previewed["operations"][number]> = []
  const skipped: Array<Imported["skipped"][number]> = [...unsupportedOf(document)]
  const notes: Array<{ path: string; message: string }> = []
  for (const candidate of candidates) {
    const made = yield* expressed({ ...input, name: "preview", price: free }, bundle, candidate, names)
    if (typeof made === "string") {
      skipped.push({ operation: candidate.id, reason: made })
      continue
    }
    const { method, name, path, title } = made.operation
    names.add(name)
    notes.push(...noticesOf(made).map(({ message }) => ({ path: candidate.path, message })))
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
  const described = describedBy(document)
  const { auth, notes: credentials } = proposeAuth(
    bundle,
    document,
    candidates.map(({ operation }) => operation),
    slugOf(described)
  )
  return {
    ...described,
    ...baseUrl === undefined ? {} : { base_url: baseUrl },
    operations,
    skipped,
    ...auth === undefined ? {} : { auth },
    warnings: [...credentials.map((message) => ({ path: "auth", message })), ...notes].slice(0, warningsMax)
  }
})

const warningsMax = 500
const slugOf = ({ title = "" }: { readonly title?: string }): string =>
  title.toLowerCase().replace(/[^a-z0-9]+/gu, "_").replace(/^[^a-z]+|_+$/gu, "").slice(0, 40) || "provider"

const free: Price = { type: "fixed", cents: 0 }

const documentOf = Effect.fnUntraced(function*(given: unknown) {
  return yield* validOpenApi(typeof given === "string" ? yield* parseOpenApiText(given) : given)
})

/** The operation that a candidate becomes, or why it cannot be expressed. */
const expressed = Effect.fnUntraced(function*(
  input: Pick<ImportInput, "auth" | "base_url" | "name" | "price">,
  bundle: SchemaBundle,
  candidate: Candidate,
  names: ReadonlySet<string>
) {
  if (input.base_url === undefined && candidate.hasOwnServers) return "it has its own servers; send base_url"
  const made = operationFrom(bundle, candidate, uniqueName(candidate, names), input.price)
  if (typeof made === "string") return made
  // Compiling the schemas of a large document takes seconds in total: let other fibers run in between.
  yield* Effect.yieldNow
  const problems = problemsOf(input, made.operation)
  const refused = problems.filter(({ path }) => !path.startsWith("operations.0.response_schema"))
  if (refused.length > 0) {
    return refused.map(({ message, path }) => `${path.replace("operations.0.", "")}: ${message}`).join("; ").slice(
      0,
      500
    )
  }
  const kept: MadeOperation = problems.length > 0 ? { ...made, operation: withoutResponse(made.operation) } : made
  return kept
})

const tooMany = (count: number) =>
  `${count} operations are selected, and at most ${operationsMax} are allowed; select by tags or operation_ids`

/** The faults that checks find in one operation, regardless of the rest of the service. */
const problemsOf = (input: Drafted, operation: HttpOperation) =>
  checkService(draft(input, "https://example.com", [operation])).filter(({ path }) => path.startsWith("operations."))

/**
 * A response schema is only information for readers: one that cannot be checked is no reason to refuse the operation.
 */
const withoutResponse = ({ response_schema: _, ...operation }: HttpOperation): HttpOperation => operation

type Drafted = Pick<ImportInput, "auth" | "name">

const draft = (input: Drafted, baseUrl: string, operations: ReadonlyArray<HttpOperation>): HttpService => ({
  name: input.name,
  kind: "http",
  base_url: baseUrl,
  ...input.auth === undefined ? {} : { auth: input.auth },
  operations
})

/** One import or preview of a document, as data in and out: run in this thread or in a worker. */
import {
  type ImportServiceInput,
  ImportServiceInput as ImportSchema,
  type PreviewImportInput,
  PreviewImportInput as PreviewSchema
} from "@countersign/domain/catalog"
import type { Detail } from "@countersign/domain/errors"
import { parseStrict } from "@countersign/domain/json"
import { problemsOf } from "@countersign/domain/schema-problems"
import { Effect, Result, Schema } from "effect"
import { openApiDepthMax } from "./openapi-document.ts"
import { type Imported, importOpenApi, type Previewed, previewOpenApi } from "./openapi-import.ts"

type Decoded<K> = K extends "import" ? ImportServiceInput : PreviewImportInput

/** `body`: a whole request body, not parsed yet. `bytes`: a document as its server sent it. */
export type OpenApiJob =
  | { readonly kind: "import" | "preview"; readonly body: Uint8Array }
  | { readonly kind: "import"; readonly input: ImportServiceInput; readonly bytes?: Uint8Array }
  | { readonly kind: "preview"; readonly input: PreviewImportInput; readonly bytes?: Uint8Array }

export type OpenApiOutcome =
  | { readonly kind: "imported"; readonly name: string; readonly imported: Imported }
  | { readonly kind: "previewed"; readonly previewed: Previewed }
  /** `body`: the request cannot be read. `document`: the service cannot be created. */
  | { readonly kind: "refused"; readonly what: "body" | "document"; readonly problems: ReadonlyArray<Detail> }

const refused = (what: "body" | "document", problems: ReadonlyArray<Detail>): OpenApiOutcome => ({
  kind: "refused",
  what,
  problems
})

const decoders = {
  import: Schema.decodeUnknownResult(ImportSchema, { errors: "all", onExcessProperty: "error" }),
  preview: Schema.decodeUnknownResult(PreviewSchema, { errors: "all", onExcessProperty: "error" })
}

/** The input of a body, or every wrong place. */
export const decodeInput = <K extends "import" | "preview">(
  kind: K,
  value: unknown
): Result.Result<Decoded<K>, ReadonlyArray<Detail>> => {
  const decoded = decoders[kind](value) as Result.Result<Decoded<K>, Schema.SchemaError>
  return Result.mapError(decoded, (error) => problemsOf(error.issue, value))
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Parses a body over the usual size, with the same strictness but the depth limit of documents. */
const parseBody = (body: Uint8Array): Result.Result<unknown, ReadonlyArray<Detail>> => {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return Result.fail([{ path: "", message: "The body is not valid UTF-8." }])
  }
  const parsed = parseStrict(text, { maxDepth: openApiDepthMax + 1 })
  return parsed.ok ? Result.succeed(parsed.value) : Result.fail([{ path: parsed.path, message: parsed.message }])
}

/** The location of a document: exactly one of both must be sent. */
export const sourceProblems = ({ openapi, url }: PreviewImportInput): ReadonlyArray<Detail> =>
  (openapi === undefined) === (url === undefined)
    ? ["openapi", "url"].map((path) => ({ path, message: "Send either openapi or url." }))
    : []

const documentOf = (input: PreviewImportInput, bytes: Uint8Array | undefined): unknown =>
  bytes === undefined ? input.openapi : new TextDecoder().decode(bytes)

const runImport = (input: ImportServiceInput, bytes: Uint8Array | undefined): Effect.Effect<OpenApiOutcome> => {
  const { openapi: _, url: _url, ...rest } = input
  return importOpenApi({ ...rest, document: documentOf(input, bytes) }).pipe(
    Effect.map((imported): OpenApiOutcome => ({ kind: "imported", name: input.name, imported })),
    Effect.catchTag("ImportProblem", ({ problems }) => Effect.succeed(refused("document", problems)))
  )
}

const runPreview = (input: PreviewImportInput, bytes: Uint8Array | undefined): Effect.Effect<OpenApiOutcome> => {
  const { base_url } = input
  return previewOpenApi({ document: documentOf(input, bytes), ...base_url === undefined ? {} : { base_url } }).pipe(
    Effect.map((previewed): OpenApiOutcome => ({ kind: "previewed", previewed })),
    Effect.catchTag("ImportProblem", ({ problems }) => Effect.succeed(refused("document", problems)))
  )
}

export const runOpenApiJob = (job: OpenApiJob): Effect.Effect<OpenApiOutcome> => {
  if ("input" in job) return job.kind === "import" ? runImport(job.input, job.bytes) : runPreview(job.input, job.bytes)
  const parsed = parseBody(job.body)
  if (Result.isFailure(parsed)) return Effect.succeed(refused("body", parsed.failure))
  const input = decodeInput(job.kind, parsed.success)
  if (Result.isFailure(input)) return Effect.succeed(refused("body", input.failure))
  const wrong = input.success.openapi === undefined
    ? [{ path: "openapi", message: "required" }]
    : sourceProblems(input.success)
  if (wrong.length > 0) return Effect.succeed(refused("document", wrong))
  return job.kind === "import"
    ? runImport(input.success as ImportServiceInput, undefined)
    : runPreview(input.success, undefined)
}

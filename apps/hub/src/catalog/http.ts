import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { importBodyBytesMax } from "@countersign/domain/catalog"
import { created } from "@countersign/domain/created"
import { invalidRequest } from "@countersign/domain/errors"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { Effect, Result, Semaphore } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { jsonBodyBytesMax, jsonOf, readLargeBody } from "../edge/request-body.ts"
import { documentsMax } from "./openapi-importer.ts"
import { decodeInput } from "./openapi-job.ts"
import { Catalog } from "./service.ts"

/** For the whole body of an import. */
const bodyMillisMax = 120_000

/** The input of an import; a body over 1 MiB is parsed in another thread. */
const importInput = Effect.fnUntraced(function*<K extends "import" | "preview">(kind: K) {
  const bytes = yield* readLargeBody(yield* HttpServerRequest.HttpServerRequest, importBodyBytesMax, bodyMillisMax)
  if (bytes.byteLength > jsonBodyBytesMax) return { body: bytes }
  const input = decodeInput(kind, (yield* jsonOf(bytes))?.value)
  return Result.isSuccess(input)
    ? input.success
    : yield* Effect.fail(invalidRequest(problemsSentence("The body", input.failure), input.failure))
})

/** Whether a body is, or may be, over 1 MiB. */
const mayBeLarge = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  headers["content-length"] === undefined || Number(headers["content-length"]) > jsonBodyBytesMax

export const CatalogHttp = HttpApiBuilder.group(
  HubApi,
  "services",
  Effect.fn(function*(handlers) {
    const catalog = yield* Catalog
    const reading = yield* Semaphore.make(documentsMax)
    /** Only a few large bodies are read concurrently, until they are imported. */
    const oneOfFew = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        ({ headers }) => mayBeLarge(headers) ? reading.withPermits(1)(effect) : effect
      )
    return handlers.handleRaw(
      "import",
      Effect.fnUntraced(function*() {
        const user = yield* CurrentUser
        const made = yield* catalog.import(user, yield* importInput("import"))
        return created(`/services/${made.service.name}`, made)
      }, oneOfFew)
    ).handleRaw(
      "previewImport",
      Effect.fnUntraced(function*() {
        return yield* catalog.previewImport(yield* importInput("preview"))
      }, oneOfFew)
    ).handleAll({
      list: ({ query }) => CurrentPrincipal.use((principal) => catalog.list(principal, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => catalog.create(user, payload)).pipe(
          Effect.map((service) => created(`/services/${service.name}`, service))
        ),
      get: ({ params }) => CurrentPrincipal.use((principal) => catalog.get(principal, params.name)),
      update: ({ params, payload }) => CurrentUser.use((user) => catalog.update(user, params.name, payload)),
      remove: ({ params }) => CurrentUser.use((user) => catalog.remove(user, params.name))
    })
  })
)

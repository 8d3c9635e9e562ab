/** Reads the bodies of imports, which may be larger than other bodies. */
import { importBodyBytesMax } from "@countersign/domain/catalog"
import { invalidRequest } from "@countersign/domain/errors"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { Effect, Result, Semaphore } from "effect"
import { HttpServerRequest } from "effect/http"
import { jsonBodyBytesMax, jsonOf, readLargeBody } from "../edge/request-body.ts"
import { documentsMax } from "./openapi-importer.ts"
import { decodeInput } from "./openapi-job.ts"

/** For the whole body of an import. */
const bodyMillisMax = 120_000

/** The input of an import; a body over 1 MiB is parsed in another thread. */
export const importInput = Effect.fnUntraced(function*<K extends "import" | "preview">(kind: K) {
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

/** Reads only a few large bodies concurrently, until they are imported. */
export const makeOneOfFew = Effect.map(
  Semaphore.make(documentsMax),
  (reading) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      ({ headers }) => mayBeLarge(headers) ? reading.withPermits(1)(effect) : effect
    )
)

/**
 * Runs imports of OpenAPI documents. Large ones run in a worker thread, one at a time, with bounded memory and time:
 * parsing and checking 13 MB takes seconds, which would block this thread. Spec: reference/services.md "OpenAPI
 * import".
 */
import { type ApiError, invalidField, invalidRequest, unavailable } from "@countersign/domain/errors"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { Context, Effect, Layer, Semaphore } from "effect"
import { Worker } from "node:worker_threads"
import type { OpenApiJob, OpenApiOutcome } from "./openapi-job.ts"
import { runOpenApiJob } from "./openapi-job.ts"

/** Documents up to this size run in this thread: a worker would take longer to start. */
export const inlineBytesMax = 1024 * 1024
/** Of a worker's heap. A document of 64 MiB takes about ten times its size. */
const workerHeapMebibytes = 1_536
const workerMillisMax = 120_000
/** Maximum number of documents that are read or imported concurrently, for sent and for fetched ones each. */
export const documentsMax = 2

export interface ImporterOptions {
  readonly heapMebibytes: number
  readonly millisMax: number
}

export class OpenApiImporter extends Context.Service<OpenApiImporter, {
  /**
   * Fails with 400 if a document needs too much memory or time. The bytes of a large job are transferred to the worker.
   */
  readonly run: (job: OpenApiJob) => Effect.Effect<Exclude<OpenApiOutcome, { readonly kind: "refused" }>, ApiError>
  /** For callers that fetch a document, until it is imported: limits the number of documents in memory. */
  readonly oneOfFew: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("@countersign/hub/catalog/OpenApiImporter") {
  static readonly layerOf = (options: ImporterOptions) => Layer.effect(OpenApiImporter, makeImporter(options))
  static readonly layer = Layer.suspend(() =>
    OpenApiImporter.layerOf({ heapMebibytes: workerHeapMebibytes, millisMax: workerMillisMax })
  )
}

const bytesOf = (job: OpenApiJob): Uint8Array | undefined => "body" in job ? job.body : job.bytes

const makeImporter = ({ heapMebibytes, millisMax }: ImporterOptions) =>
  Effect.gen(function*() {
    const reading = yield* Semaphore.make(documentsMax)
    const working = yield* Semaphore.make(1)

    const inWorker = (job: OpenApiJob): Effect.Effect<OpenApiOutcome, ApiError> =>
      Effect.callback<OpenApiOutcome, ApiError>((resume) => {
        const buffer = bytesOf(job)?.buffer
        const worker = new Worker(new URL("./openapi-worker.ts", import.meta.url), {
          workerData: job,
          transferList: buffer instanceof ArrayBuffer ? [buffer] : [],
          resourceLimits: { maxOldGenerationSizeMb: heapMebibytes }
        })
        worker.once("message", (outcome: OpenApiOutcome) => resume(Effect.succeed(outcome)))
        worker.once("error", (error: NodeJS.ErrnoException) =>
          resume(
            error.code === "ERR_WORKER_OUT_OF_MEMORY"
              ? Effect.fail(
                invalidField(
                  "openapi",
                  `the document needs more than ${heapMebibytes} MiB of memory; remove the parts that are not imported`
                )
              )
              : Effect.die(error)
          ))
        worker.once("exit", () => resume(Effect.fail(unavailable("The import was interrupted. Try again."))))
        return Effect.promise(() => worker.terminate())
      }).pipe(Effect.timeoutOrElse({
        duration: millisMax,
        orElse: () =>
          Effect.fail(
            invalidField(
              "openapi",
              `parsing the document takes longer than ${millisMax / 1_000} s; remove the parts that are not imported`
            )
          )
      }))

    const run = Effect.fn("OpenApiImporter.run")(function*(job: OpenApiJob) {
      const isLarge = (bytesOf(job)?.byteLength ?? 0) > inlineBytesMax
      const outcome = yield* isLarge ? working.withPermits(1)(inWorker(job)) : runOpenApiJob(job)
      if (outcome.kind !== "refused") return outcome
      return yield* Effect.fail(
        invalidRequest(
          problemsSentence(outcome.what === "body" ? "The body" : "The import", outcome.problems),
          outcome.problems
        )
      )
    })
    return OpenApiImporter.of({ run, oneOfFew: reading.withPermits(1) })
  })

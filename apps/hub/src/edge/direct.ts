/**
 * Handlers ahead of the framework, for the endpoints whose latency counts. Each takes the same steps in the same order,
 * by the same functions, as the framework's path, and leaves it every unusual request.
 */
import { Effect } from "effect"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Readiness } from "../platform/readiness.ts"
import { Door } from "./door.ts"
import { noteRequest } from "./idle-connections.ts"
import { refusedByHeaders } from "./request-body.ts"

/** The status in logs and metrics when the client disconnected before an answer. */
export const clientClosed = 499

/** Whether this is a POST with a JSON body of a declared length, which the framework would pass to its handler. */
export const isPlainPost = (
  { headers, method }: IncomingMessage,
  readiness: Readiness["Service"]
): boolean =>
  method === "POST" && headers["content-length"] !== undefined && headers["expect"] === undefined &&
  headers["svc-workspace"] === undefined && readiness.phase() === "serving" && !readiness.isDiskFull() &&
  refusedByHeaders(headers) === undefined

/** The bytes of a body with a declared length; `undefined` when the client disconnected. */
export const bytesOf = (request: IncomingMessage): Promise<Uint8Array | undefined> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on("close", () => resolve(undefined))
    request.on("error", () => resolve(undefined))
  })

/** The header of an answer during a drain, after which its connection is closed. */
export const closingHeaders = (readiness: Readiness["Service"]): { readonly connection?: "close" } =>
  readiness.phase() === "draining" ? { connection: "close" } : {}

/**
 * Offers every request to `take` before the listeners that are there now; they get the requests for which it returns no
 * handler.
 */
export const ahead = Effect.fnUntraced(
  function*(take: (request: IncomingMessage) => ((response: ServerResponse) => void) | undefined) {
    const door = yield* Door
    const common = door.listeners("request") as unknown as ReadonlyArray<RequestListener>
    const direct: RequestListener = (request, response) => {
      const handle = take(request)
      if (handle === undefined) { for (const listener of common) listener(request, response) }
      else {
        noteRequest(request, response)
        handle(response)
      }
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => void door.removeAllListeners("request").on("request", direct)),
      () =>
        Effect.sync(() => {
          door.off("request", direct)
          for (const listener of common) door.on("request", listener)
        })
    )
  }
)

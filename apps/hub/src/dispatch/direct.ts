/**
 * A fast path for the busiest endpoint, ahead of the framework. `POST /service-requests` of an agent whose key is
 * cached takes the same steps in the same order, by the same functions, as the framework's path (test/bench/RESULTS.md
 * has the savings). A request with unusual headers is left to the framework's path, which answers it; this path refuses
 * a request only for its body.
 */
import { isApiError, rateLimited } from "@countersign/domain/errors"
import { Cause, Effect, Layer, Option } from "effect"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { Credentials } from "../auth/credentials.ts"
import { Settings } from "../config.ts"
import { bearerOf, rateLimitHeaders } from "../edge/access.ts"
import { errorAnswer, faultAnswer, type PlainAnswer, requestIdOf } from "../edge/answers.ts"
import { makeAddressOf } from "../edge/client-address.ts"
import { Door } from "../edge/door.ts"
import { noteRequest } from "../edge/idle-connections.ts"
import { RateLimits } from "../edge/rate-limit.ts"
import { jsonOf, refusedByHeaders } from "../edge/request-body.ts"
import { Readiness } from "../platform/readiness.ts"
import { counting, httpDuration, httpRequests, timing } from "../platform/telemetry.ts"
import { dispatchAnswer, submissionIn } from "./http.ts"
import { Dispatch } from "./pipeline/service.ts"

const url = "/api/v1/service-requests"

/** The bytes of a body with a declared length; `undefined` when the client disconnected. */
const bytesOf = (request: IncomingMessage): Promise<Uint8Array | undefined> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on("close", () => resolve(undefined))
    request.on("error", () => resolve(undefined))
  })

export const directDispatchLayer = Layer.effectDiscard(Effect.gen(function*() {
  const door = yield* Door
  const credentials = yield* Credentials
  const dispatch = yield* Dispatch
  const settings = yield* Settings
  const readiness = yield* Readiness
  const { agent: limiter } = yield* RateLimits
  // Only the framework's path has spans and CORS headers.
  if (Option.isSome(settings.otlpEndpoint) || settings.corsOrigins.length > 0) return
  const addressOf = makeAddressOf(settings.trustedProxies)
  const context = yield* Effect.context<never>()
  const run = Effect.runPromiseWith(context)
  const count = counting(httpRequests, context)
  const time = timing(httpDuration, context)

  const admitted = (request: IncomingMessage) => {
    const { headers } = request
    if (
      request.method !== "POST" || request.url !== url || headers["content-length"] === undefined ||
      headers["expect"] !== undefined || headers["svc-workspace"] !== undefined || readiness.phase() !== "serving"
    ) {
      return undefined
    }
    if (refusedByHeaders(headers) !== undefined) return undefined
    const bearer = bearerOf(headers.authorization)
    return bearer?.startsWith("agent_key_") === true
      ? credentials.knownAgentKey(
        bearer,
        addressOf(request.socket.remoteAddress, headers["x-forwarded-for"] as string | undefined)
      )
      : undefined
  }

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    agent: NonNullable<ReturnType<typeof admitted>>
  ): Promise<void> => {
    const started = performance.now()
    const requestId = requestIdOf(request.headers["x-request-id"] as string | undefined)
    const taken = limiter?.take(agent.key_id)
    const end = ({ contentType, headers, status, text }: PlainAnswer) => {
      count({ method: "POST", status: String(status) })
      time(performance.now() - started)
      response.writeHead(status, {
        "content-type": contentType,
        "content-length": Buffer.byteLength(text),
        "x-request-id": requestId,
        ...headers,
        ...readiness.phase() === "draining" ? { connection: "close" } : {},
        ...taken === undefined ? {} : rateLimitHeaders(limiter, "agent", taken)
      })
      response.end(text)
    }
    const bytes = await bytesOf(request)
    if (bytes === undefined) return
    try {
      if (taken?.allowed === false) throw rateLimited(taken.resetSeconds)
      // Throws the error itself, as the framework's path does.
      const body = Effect.runSync(jsonOf(bytes))
      end(dispatchAnswer(await dispatch.submitNow(Effect.runSync(submissionIn(agent, request, body?.value)))))
    } catch (error) {
      end(
        isApiError(error)
          ? errorAnswer(error, requestId)
          : await run(faultAnswer(Cause.die(error), { request_id: requestId, method: "POST", path: url }))
      )
    }
  }

  const common = door.listeners("request") as unknown as ReadonlyArray<RequestListener>
  const direct: RequestListener = (request, response) => {
    const agent = admitted(request)
    if (agent === undefined) { for (const listener of common) listener(request, response) }
    else {
      noteRequest(request, response)
      void answer(request, response, agent)
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
}))

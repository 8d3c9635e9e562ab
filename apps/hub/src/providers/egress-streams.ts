/**
 * Streamed bodies to and from an address that the operator set, such as an S3 endpoint: no redirects, flat memory, a
 * limit on silence instead of one on the whole call. Calls to addresses of callers take `Egress`.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { Readable } from "node:stream"
import type { Dispatcher } from "undici"
import { type LazyAgent, lazyAgent } from "./agent.ts"
import { guardedConnector, pausedReason } from "./egress-connector.ts"
import { EgressRefused, reasonOf, UpstreamTimeout, UpstreamUnreachable } from "./egress-errors.ts"

export interface StreamRequest {
  readonly url: string
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Readable
  /** No byte in either direction for this long ends the call. */
  readonly silenceMillis: number
}

export interface StreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Read it to the end, or close the scope. */
  readonly body: Readable
}

export type StreamError = EgressRefused | UpstreamTimeout | UpstreamUnreachable

export class EgressStreams extends Context.Service<EgressStreams, {
  readonly open: (request: StreamRequest) => Effect.Effect<StreamAnswer, StreamError, Scope.Scope>
}>()("@countersign/hub/providers/EgressStreams") {
  static readonly layer = EgressStreams.layerOf({ paused: false })

  /** `paused`: a copy reads from the bucket of the other hub, and changes nothing in it. */
  static layerOf({ paused }: { readonly paused: boolean }) {
    return Layer.effect(
      EgressStreams,
      Effect.gen(function*() {
        const agent = yield* lazyAgent((undici) =>
          new undici.Agent({
            connect: guardedConnector(undici, { allow: [] }, true),
            allowH2: false,
            pipelining: 1,
            headersTimeout: 0,
            bodyTimeout: 0
          })
        )
        return EgressStreams.of({
          open: (request) =>
            paused && request.method !== "GET" && request.method !== "HEAD"
              ? Effect.fail(new EgressRefused({ reason: pausedReason }))
              : Effect.map(
                Effect.acquireRelease(start(agent, request), ({ close }) => Effect.sync(close)),
                ({ answer }) => answer
              )
        })
      })
    )
  }
}

/** The same bytes; each chunk is noted when it is read. */
const watched = (source: Readable, note: () => void): Readable =>
  Readable.from(
    (async function*() {
      for await (const chunk of source) {
        note()
        yield chunk as Buffer
      }
    })(),
    { objectMode: false }
  )

const start = (agent: LazyAgent, { body, headers, method, silenceMillis, url }: StreamRequest) =>
  Effect.tryPromise({
    try: async (signal) => {
      const silence = new AbortController()
      const end = () => silence.abort(new UpstreamTimeout({ sent: true, timeout_ms: silenceMillis }))
      const timer = setTimeout(end, silenceMillis)
      const close = () => {
        clearTimeout(timer)
        silence.abort()
      }
      signal.addEventListener("abort", close)
      const parsed = new URL(url)
      try {
        const answer = await (await agent.open()).request({
          origin: parsed.origin,
          path: `${parsed.pathname}${parsed.search}`,
          method: method as Dispatcher.HttpMethod,
          headers,
          signal: silence.signal,
          body: body === undefined ? null : watched(body, () => timer.refresh())
        })
        timer.refresh()
        const received = watched(answer.body, () => timer.refresh())
        // An abort after the answer is reported to the reader of the body, if there is one.
        received.on("error", () => {})
        answer.body.on("error", () => {})
        return { answer: { status: answer.statusCode, headers: answer.headers, body: received }, close }
      } catch (error) {
        close()
        throw silence.signal.reason instanceof UpstreamTimeout ? silence.signal.reason : error
      }
    },
    catch: (error): StreamError =>
      error instanceof EgressRefused || error instanceof UpstreamTimeout
        ? error
        : new UpstreamUnreachable({
          sent: true,
          reason: reasonOf(error instanceof Error ? error : new Error("the call failed"))
        })
  })

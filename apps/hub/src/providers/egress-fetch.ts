/**
 * `fetch` behind the guard of outbound calls, for libraries that bring their own protocol. No redirects, bounded bytes
 * and time over all calls of one use, and a note when bytes of a call may have been sent. Spec: reference/services.md
 * "Outbound calls".
 */
import { Context, Effect, Layer } from "effect"
import { TransformStream } from "node:stream/web"
import { Agent, DecoratorHandler, type Dispatcher, fetch, Headers, type RequestInit, type Response } from "undici"
import { type EgressOptions, guardedConnector } from "./egress-connector.ts"
import { EgressRefused } from "./egress-errors.ts"
import { checkUrl } from "./egress-rules.ts"

export interface FetchLimits {
  /** Ends every call of this use. */
  readonly signal: AbortSignal
  /** Of all answers together. */
  readonly bytesMax: number
  /** Changes a URL and its headers just before a call. */
  readonly prepare?: (url: URL, headers: Headers) => URL
  /** Called when the request's bytes may be on their way; `body` is the request's. */
  readonly sent?: (body: unknown) => void
  /** The status of each answer. */
  readonly answered?: (status: number) => void
}

/** The answers of one use are longer than its limit. */
export class AnswersTooLong extends Error {
  readonly bytesMax: number
  constructor(bytesMax: number) {
    super(`the answers are longer than ${bytesMax} bytes`)
    this.bytesMax = bytesMax
  }
}

class Noting extends DecoratorHandler {
  readonly #note: () => void
  readonly #inner: Dispatcher.DispatchHandler
  constructor(inner: Dispatcher.DispatchHandler, note: () => void) {
    super(inner)
    this.#inner = inner
    this.#note = note
  }
  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#note()
    this.#inner.onRequestStart?.(controller, context)
  }
}

export type GuardedFetch = (input: string | URL, init?: RequestInit) => Promise<Response>

export class EgressFetch extends Context.Service<EgressFetch, {
  readonly fetchWith: (limits: FetchLimits) => GuardedFetch
}>()("@countersign/hub/providers/EgressFetch") {
  static readonly layer = (options: EgressOptions) =>
    Layer.effect(
      EgressFetch,
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => new Agent({ connect: guardedConnector(options, false), allowH2: false, pipelining: 1 })),
          (agent) => Effect.promise(() => agent.destroy())
        ),
        (agent) => EgressFetch.of({ fetchWith: (limits) => guardedFetch(agent, limits) })
      )
    )
}

const guardedFetch = (agent: Agent, { answered, bytesMax, prepare, sent, signal }: FetchLimits): GuardedFetch => {
  let left = bytesMax
  return async (input, init = {}) => {
    const checked = checkUrl(String(input))
    if (!("url" in checked)) throw new EgressRefused({ reason: `the URL is not allowed: ${checked.problem}` })
    const headers = new Headers(init.headers)
    if (!headers.has("user-agent")) headers.set("user-agent", "countersign")
    const url = prepare?.(checked.url, headers) ?? checked.url
    const dispatcher = agent.compose((dispatch) => (options, handler) =>
      dispatch(options, new Noting(handler, () => sent?.(init.body)))
    )
    const response = await fetch(url, {
      ...init,
      headers: Object.fromEntries(headers),
      redirect: "manual",
      signal: init.signal == null ? signal : AbortSignal.any([signal, init.signal]),
      dispatcher
    })
    answered?.(response.status)
    if (response.body === null) return response
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          left -= chunk.byteLength
          if (left < 0) controller.error(new AnswersTooLong(bytesMax))
          else controller.enqueue(chunk)
        }
      })
    )
    return new globalThis.Response(counted as ReadableStream<Uint8Array>, {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers)
    }) as unknown as Response
  }
}

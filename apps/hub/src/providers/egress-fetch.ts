/**
 * `fetch` behind the guard of outbound calls, for libraries that bring their own protocol. No redirects, bounded bytes
 * and time over all calls of one use, and a note when bytes of a call may have been sent. Spec: reference/services.md
 * "Outbound calls".
 */
import { Context, Effect, Layer } from "effect"
import { TransformStream } from "node:stream/web"
import type { Dispatcher, Headers, RequestInit, Response } from "undici"
import { type LazyAgent, lazyAgent, type Undici } from "./agent.ts"
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

/** Notes that a request's bytes may be on their way. */
const notingOf = ({ DecoratorHandler }: Undici, inner: Dispatcher.DispatchHandler, note: () => void) =>
  new class extends DecoratorHandler {
    onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
      note()
      inner.onRequestStart?.(controller, context)
    }
  }(inner)

export type GuardedFetch = (input: string | URL, init?: RequestInit) => Promise<Response>

export class EgressFetch extends Context.Service<EgressFetch, {
  readonly fetchWith: (limits: FetchLimits) => GuardedFetch
}>()("@countersign/hub/providers/EgressFetch") {
  static readonly layer = (options: EgressOptions) =>
    Layer.effect(
      EgressFetch,
      Effect.map(
        lazyAgent((undici) =>
          new undici.Agent({ connect: guardedConnector(undici, options, false), allowH2: false, pipelining: 1 })
        ),
        (agent) => EgressFetch.of({ fetchWith: (limits) => guardedFetch(agent, limits) })
      )
    )
}

const guardedFetch = (agent: LazyAgent, { answered, bytesMax, prepare, sent, signal }: FetchLimits): GuardedFetch => {
  let left = bytesMax
  return async (input, init = {}) => {
    const checked = checkUrl(String(input))
    if (!("url" in checked)) throw new EgressRefused({ reason: `the URL is not allowed: ${checked.problem}` })
    const undici = await import("undici")
    const headers = new undici.Headers(init.headers)
    if (!headers.has("user-agent")) headers.set("user-agent", "countersign")
    const url = prepare?.(checked.url, headers) ?? checked.url
    const dispatcher = (await agent.open()).compose((dispatch) => (options, handler) =>
      dispatch(options, notingOf(undici, handler, () => sent?.(init.body)))
    )
    const response = await undici.fetch(url, {
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

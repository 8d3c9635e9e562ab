/**
 * One call whose answer is read while it arrives. As `Egress.request`: no redirects, bounded, and it reports whether
 * bytes of the request may have been sent. Its time limits are on silence and on the whole call.
 */
import { Effect } from "effect"
import type { Agent, Dispatcher } from "undici"
import { EgressRefused, reasonOf, ResponseTooLarge, UpstreamTimeout, UpstreamUnreachable } from "./egress-errors.ts"
import type { EgressError } from "./egress-errors.ts"

export interface StreamedHead {
  readonly status: number
  /** Names in lower case; repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
}

export interface EgressStreamRequest {
  readonly url: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The URL is the operator's own setting: its address is not checked. */
  readonly trusted?: boolean
  /** No byte of the answer for this long ends the call. */
  readonly silenceMs: number
  /** For the whole call. */
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly onHead: (head: StreamedHead) => void
  /** Called for each chunk in order. `true` ends the call: nothing more is needed. */
  readonly onData: (chunk: Uint8Array) => boolean | void
}

/** After `onData` has enough, the rest of an answer is discarded within these limits, so that its connection is reused. */
const restMillisMax = 1_000
const restBytesMax = 64 * 1024

/** `head` of an answer that arrived in full, or as far as `onData` wanted it. */
export const streamCall = (
  agent: Agent,
  url: URL,
  headers: Readonly<Record<string, string>>,
  request: EgressStreamRequest,
  flatten: (received: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>) => Record<string, string>
): Effect.Effect<StreamedHead, EgressError> =>
  Effect.callback<StreamedHead, EgressError>((resume) => {
    let controller: Dispatcher.DispatchController | undefined
    let head: StreamedHead | undefined
    let isSent = false
    let isOver = false
    let isWhole = false
    let size = 0
    /** Cuts off an answer that does not end; set while its rest is discarded. */
    let rest: NodeJS.Timeout | undefined
    const end = (result: Effect.Effect<StreamedHead, EgressError>) => {
      if (isOver) return
      isOver = true
      clearTimeout(silence)
      clearTimeout(whole)
      resume(result)
    }
    /** In the next turn of the event loop: the last chunk goes to its reader before the call is settled. */
    const endSoon = (last: StreamedHead) => {
      isWhole = true
      setImmediate(() => end(Effect.succeed(last)))
    }
    const abort = () => controller?.abort(new Error("ended"))
    const expire = (millis: number) => () => {
      if (isWhole) return
      const status = head === undefined ? {} : { status: head.status }
      end(Effect.fail(new UpstreamTimeout({ sent: isSent, timeout_ms: Math.ceil(millis), ...status })))
      abort()
    }
    const silence = setTimeout(expire(request.silenceMs), request.silenceMs)
    const whole = setTimeout(expire(request.timeoutMs), request.timeoutMs)
    agent.dispatch({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method as Dispatcher.HttpMethod,
      headers,
      body: request.body ?? null
    }, {
      onRequestStart(given) {
        controller = given
        if (isOver) return given.abort(new Error("ended"))
        isSent = true
      },
      onResponseStart(_controller, status, received) {
        if (status < 200 || isOver) return
        silence.refresh()
        head = { status, headers: flatten(received) }
        request.onHead(head)
      },
      onResponseData(_controller, chunk) {
        if (rest !== undefined) {
          size += chunk.length
          if (size > restBytesMax) abort()
          return
        }
        if (isOver || head === undefined) return
        silence.refresh()
        size += chunk.length
        if (size > request.maxBytes) {
          end(Effect.fail(new ResponseTooLarge({ max_bytes: request.maxBytes })))
          return abort()
        }
        if (request.onData(chunk) === true) {
          size = 0
          rest = setTimeout(abort, restMillisMax)
          rest.unref()
          endSoon(head)
        }
      },
      onResponseEnd() {
        clearTimeout(rest)
        if (head !== undefined && !isWhole) endSoon(head)
      },
      onResponseError(_controller, error) {
        clearTimeout(rest)
        if (isWhole) return
        end(Effect.fail(
          error instanceof EgressRefused
            ? error
            : new UpstreamUnreachable({
              sent: isSent,
              reason: reasonOf(error),
              ...head === undefined ? {} : { status: head.status }
            })
        ))
      }
    })
    return Effect.sync(() => {
      isOver = true
      clearTimeout(silence)
      clearTimeout(whole)
      abort()
    })
  })

/**
 * One streamed call of a model at its provider. It is repeated only before content arrived, under the same hold. Spec:
 * reference/models.md "Streams".
 */
import type { ServiceRequestId } from "@countersign/domain/ids"
import { Effect } from "effect"
import { Sse } from "effect/encoding"
import { detailText } from "../adapter.ts"
import { readAnswer, type Scrub } from "../answer.ts"
import type { EgressError } from "../egress-errors.ts"
import type { StreamedHead } from "../egress-stream.ts"
import type { Egress } from "../egress.ts"
import { isSuccess, retryAfterSeconds } from "../fate.ts"
import { AnswerBuilder, type ModelAnswer, type ModelCall, type ModelEvent } from "../model-answer.ts"
import type { StreamError, Wire } from "./wire.ts"

export const silenceMillis = 60_000
export const wholeMillis = 600_000
export const answerBytesMax = 8 * 1024 * 1024
const triesMax = 3
const retryMillis = 500
/** A longer wait that the provider asks for is left to the caller. */
const retrySecondsMax = 30
const errorBytesMax = 64 * 1024

export type StreamOutcome =
  | { readonly kind: "whole"; readonly answer: ModelAnswer }
  /** Ended after content arrived. */
  | { readonly kind: "cut"; readonly answer: ModelAnswer; readonly detail: string }
  /** A definite no. */
  | { readonly kind: "refused"; readonly detail: string; readonly status?: number; readonly retryAfterSeconds?: number }
  /** Sent, and ended before content arrived. `detail` continues a sentence. */
  | { readonly kind: "unknown"; readonly detail: string }

export interface Target {
  readonly wire: Wire
  readonly baseUrl: string
  readonly key: string | undefined
  /** As the provider names it. */
  readonly model: string
  readonly scrub: Scrub
}

export interface StreamLimits {
  readonly silenceMs: number
  readonly timeoutMs: number
  readonly retryMs: number
}
export const streamLimits: StreamLimits = { silenceMs: silenceMillis, timeoutMs: wholeMillis, retryMs: retryMillis }

type Attempt = StreamOutcome & { readonly again?: { readonly afterMillis?: number } }

const isPassing = (status: number | undefined): boolean =>
  status === 408 || status === 429 || (status !== undefined && status >= 500)

/** Reads a body of any form, chunk by chunk. */
const makeReading = (wire: Wire, emit: (event: ModelEvent) => void) => {
  const reader = wire.reader()
  const decoder = new TextDecoder()
  const rest: Array<Uint8Array> = []
  let restBytes = 0
  let head: StreamedHead | undefined
  let error: StreamError | undefined
  let isDone = false
  let hasEvents = false
  const parser = Sse.makeParser((event) => {
    if (event._tag === "Retry" || error !== undefined || isDone) return
    hasEvents = true
    if (event.data.trim() === "[DONE]") {
      isDone = true
      return
    }
    const reading = readAnswer(Buffer.from(event.data), "application/json")
    if (reading.kind === "json" && typeof reading.document === "object" && reading.document !== null) {
      error = reader.read(event.event, reading.document as Readonly<Record<string, unknown>>, emit)
    }
  }, { maxEventSize: answerBytesMax })
  const isStream = () => head?.headers["content-type"]?.toLowerCase().includes("text/event-stream") === true
  return {
    onHead: (given: StreamedHead) => {
      head = given
    },
    onData: (chunk: Uint8Array): boolean => {
      if (head !== undefined && isSuccess(head.status) && isStream()) {
        if (parser.feed(decoder.decode(chunk, { stream: true })) !== undefined) {
          error ??= { detail: "An event of the provider is too long." }
        }
        return error !== undefined || isDone
      }
      const max = head !== undefined && isSuccess(head.status) ? answerBytesMax : errorBytesMax
      if (restBytes < max) rest.push(chunk.subarray(0, max - restBytes))
      restBytes += chunk.length
      return restBytes >= max
    },
    /** The end of the body. An answer that was not streamed is read now. */
    finish: () => {
      if (head === undefined) return
      const body = Buffer.concat(rest)
      const reading = readAnswer(body, head.headers["content-type"])
      if (!isSuccess(head.status)) return reading.text
      if (!isStream()) {
        error = reading.kind === "json"
          ? wire.readWhole(reading.document, emit)
          : {
            detail: `The provider answered ${head.status} without a completion: ${reading.text.trim().slice(0, 500)}`
          }
        isDone = error === undefined
      }
      return undefined
    },
    head: () => head,
    error: () => error,
    isWhole: () => isDone || reader.isWhole(),
    hasEvents: () => hasEvents
  }
}

export const streamModel = (
  egress: Egress["Service"],
  target: Target,
  { emit, prompt, stopped }: ModelCall,
  requestId: ServiceRequestId,
  limits: StreamLimits = streamLimits
): Effect.Effect<StreamOutcome> =>
  Effect.gen(function*() {
    const { baseUrl, key, model, scrub, wire } = target
    const body = JSON.stringify(wire.bodyOf({ ...prompt, model }))
    const until = performance.now() + limits.timeoutMs

    const attempt = Effect.gen(function*(): Effect.fn.Return<Attempt> {
      const builder = new AnswerBuilder()
      const reading = makeReading(wire, (event) => {
        builder.add(event)
        emit(event)
      })
      const called = egress.stream({
        url: `${baseUrl.replace(/\/+$/u, "")}${wire.path}`,
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "text/event-stream",
          "idempotency-key": requestId,
          ...wire.headersOf(key)
        },
        body,
        trusted: true,
        silenceMs: limits.silenceMs,
        timeoutMs: Math.max(1, until - performance.now()),
        maxBytes: answerBytesMax + errorBytesMax,
        onHead: reading.onHead,
        onData: reading.onData
      })
      const ended = yield* Effect.result(
        stopped === undefined ? called : Effect.raceFirst(called, untilStopped(stopped))
      )
      const failure: EgressError | "stopped" | undefined = ended._tag === "Failure" ? ended.failure : undefined
      const text = failure === undefined ? reading.finish() : undefined
      const head = reading.head()
      const safe = (detail: string) => detailText(scrub.text(detail))

      if (head !== undefined && failure === undefined && !isSuccess(head.status)) {
        const after = retryAfterSeconds(head.headers["retry-after"])
        const words = (text ?? "").trim()
        return {
          kind: "refused",
          detail: safe(
            head.status < 400
              ? `The provider answered with a redirect (${head.status}), which is not followed.`
              : words === ""
              ? `The provider answered ${head.status}.`
              : `The provider answered ${head.status}: ${words}`
          ),
          status: head.status,
          ...after === undefined ? {} : { retryAfterSeconds: after },
          ...isPassing(head.status) && (after ?? 0) <= retrySecondsMax
            ? { again: after === undefined ? {} : { afterMillis: after * 1_000 } }
            : {}
        }
      }
      const error = reading.error()
      if (error !== undefined && !builder.hasContent) {
        return {
          kind: "refused",
          detail: safe(error.detail),
          status: error.status ?? head?.status ?? 200,
          ...isPassing(error.status) ? { again: {} } : {}
        }
      }
      if (failure === undefined && error === undefined && reading.isWhole()) {
        return { kind: "whole", answer: builder.answer }
      }
      // The provider finished its answer, and only the end of the transfer was lost.
      if (builder.isFinished && failure !== "stopped") {
        return { kind: "whole", answer: builder.answer }
      }
      const detail = failure === "stopped"
        ? "the call was stopped."
        : failure !== undefined
        ? `${failure.message}.`
        : error !== undefined
        ? error.detail
        : "the answer ended before it was complete."
      if (builder.hasContent) return { kind: "cut", answer: builder.answer, detail: safe(detail) }
      if (failure === undefined || failure === "stopped") return { kind: "unknown", detail: safe(detail) }
      const isUnsent = failure._tag === "EgressRefused" ||
        (failure._tag !== "ResponseTooLarge" && !failure.sent)
      return isUnsent
        ? {
          kind: "refused",
          detail: safe(`The provider could not be reached: ${failure.message}. Nothing was sent.`),
          ...failure._tag === "EgressRefused" ? {} : { again: {} }
        }
        : {
          kind: "unknown",
          detail: safe(`the request was sent and no complete response arrived (${failure.message}).`)
        }
    })

    for (let tries = 1;; tries++) {
      const { again, ...outcome } = yield* attempt
      const millis = again?.afterMillis ?? limits.retryMs * 2 ** (tries - 1)
      if (
        again === undefined || tries === triesMax || stopped?.aborted === true || performance.now() + millis > until
      ) return outcome as StreamOutcome
      yield* Effect.sleep(millis)
    }
  })

const untilStopped = (stopped: AbortSignal): Effect.Effect<never, "stopped"> =>
  Effect.callback((resume) => {
    const end = () => resume(Effect.fail("stopped" as const))
    if (stopped.aborted) return end()
    stopped.addEventListener("abort", end, { once: true })
    return Effect.sync(() => stopped.removeEventListener("abort", end))
  })

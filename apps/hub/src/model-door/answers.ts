/** The answers of the model door, for both paths that serve it. Spec: reference/model-door.md "Addresses". */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { type ApiError, invalidRequest, rateLimited } from "@countersign/domain/errors"
import { canonicalize, isJsonObject } from "@countersign/domain/json"
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config.ts"
import { readScript, readTask } from "../dispatch/pipeline/submission.ts"
import { jsonOf } from "../edge/request-body.ts"
import type { RequestNotes } from "../edge/request-log.ts"
import { idempotencyKeyOf, type SentHeaders } from "../platform/idempotency-key.ts"
import { eventsOf, type ModelEvent } from "../providers/model-answer.ts"
import { type DoorCall, reading } from "./body.ts"
import { chatCompletionEncoder, readChatCompletion } from "./chat-completions.ts"
import type { AnswerHead, Encoder } from "./encoder.ts"
import { type DoorError, type Form, ofFacts } from "./errors.ts"
import { messagesEncoder, readMessages } from "./messages.ts"
import { readResponse, responseEncoder } from "./responses.ts"
import { type DoorReply, ModelDoor } from "./service.ts"

/** For the body to arrive. */
export const bodyMillisMax = 60_000
const waitSecondsMax = 600
/** Calls of this hub at a time: each may hold an answer of 8 MiB. */
const callsMax = 1_000

export interface DoorForm {
  readonly path: `/${string}`
  readonly form: Form
  /** @throws Problem */
  readonly read: (value: unknown) => DoorCall
  readonly encoder: (head: AnswerHead) => Encoder
}

export const forms: ReadonlyArray<DoorForm> = [
  { path: "/v1/chat/completions", form: "openai", read: readChatCompletion, encoder: chatCompletionEncoder },
  { path: "/v1/responses", form: "openai", read: readResponse, encoder: responseEncoder },
  { path: "/v1/messages", form: "anthropic", read: readMessages, encoder: messagesEncoder }
]

/** What a path sends. */
export type DoorAnswer =
  | { readonly kind: "refused"; readonly error: DoorError; readonly headers: Readonly<Record<string, string>> }
  | {
    readonly kind: "answered"
    readonly contentType: string
    readonly headers: Readonly<Record<string, string>>
    readonly texts: AsyncGenerator<Uint8Array>
    /** Of the body, if it is known. */
    readonly length: number | undefined
    /** To be run once, after the last text or when the client left. */
    readonly ended: Effect.Effect<void>
  }

/** `stream` does not change the call. */
const askedOf = (path: string, value: unknown): string => {
  const { stream: _stream, stream_options: _options, ...asked } = isJsonObject(value) ? value : {}
  return `${path}\n${canonicalize(asked)}`
}

/** Seconds of `Prefer: wait=600` (RFC 7240). */
const waitOf = (header: string | undefined): number => {
  const seconds = Number(/(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/iu.exec(header ?? "")?.[1] ?? 0)
  return Math.min(seconds, waitSecondsMax)
}

const encoderBytes = new TextEncoder()

/** A text for each batch of events, the first one with the head; `taken` is called once all of them were taken. */
async function* textsOf(
  encoder: Encoder,
  reply: Extract<DoorReply, { readonly kind: "streaming" }>,
  approvalUrl: (id: string) => string,
  taken: () => void
): AsyncGenerator<Uint8Array> {
  let text = encoder.begin()
  for (;;) {
    const events = await reply.reader.next()
    if (events !== undefined) text += events.map(encoder.event).join("")
    if (text !== "") yield encoderBytes.encode(text)
    if (events === undefined) break
    text = ""
  }
  try {
    const end = await reply.ended
    if ("facts" in end) {
      const { error } = ofFacts(end.facts, approvalUrl)
      yield encoderBytes.encode(encoder.failed(error.message, error.code))
    } else yield encoderBytes.encode(encoder.end(end.answer, end.charge))
  } catch {
    yield encoderBytes.encode(encoder.failed("The hub could not settle the call.", "internal_error"))
    return
  }
  taken()
}

async function* textOf(bytes: Uint8Array, taken: () => void): AsyncGenerator<Uint8Array> {
  yield bytes
  taken()
}

const wholeStream = (
  encoder: Encoder,
  reply: Extract<DoorReply, { readonly kind: "answered" }>,
  events: ReadonlyArray<ModelEvent>
) => encoder.begin() + events.map(encoder.event).join("") + encoder.end(reply.answer, reply.charge)

const eventHeaders = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }
const eventType = "text/event-stream; charset=utf-8"

export class DoorAnswers extends Context.Service<DoorAnswers, {
  /** Answers the call in a body. An interrupt leaves its answer to the identical call. */
  readonly answer: (
    form: DoorForm,
    agent: AgentPrincipal,
    sent: SentHeaders,
    bytes: Uint8Array,
    note: (facts: RequestNotes) => void
  ) => Effect.Effect<DoorAnswer, ApiError>
  /** Runs a call within the limit of this hub. */
  readonly limited: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ApiError, R>
}>()("@countersign/hub/model-door/DoorAnswers") {
  static readonly layer = Layer.effect(
    DoorAnswers,
    Effect.gen(function*() {
      const door = yield* ModelDoor
      const { publicUrl } = yield* Settings
      let calls = 0

      const answer: DoorAnswers["Service"]["answer"] = Effect.fnUntraced(
        function*({ encoder: encoderOf, path, read }, agent, sent, bytes, note): Effect.fn.Return<
          DoorAnswer,
          ApiError
        > {
          const body = yield* jsonOf(bytes)
          if (body === undefined) return yield* Effect.fail(invalidRequest("Send a JSON body."))
          const call = yield* reading(() => read(body.value))
          const headers = sent.headers as Readonly<Record<string, string | undefined>>
          const reply = yield* door.call(agent, {
            call,
            asked: askedOf(path, body.value),
            key: yield* idempotencyKeyOf(sent),
            script: yield* readScript(headers["x-test-outcome"], agent.mode),
            task: yield* readTask(headers["x-delegated-task"]),
            waitMillis: waitOf(headers["prefer"]) * 1_000
          })
          const approvalUrl = (id: string) => `${publicUrl.origin}/w/${agent.org_id}/approvals/${id}`
          const ids = { "x-service-request-id": reply.requestId, "cache-control": "no-store" }
          note({
            route: path,
            serviceRequestId: reply.requestId,
            outcome: reply.kind === "refused" ? reply.facts.status : "executed",
            staysOpen: true
          })
          const encoder = encoderOf({
            requestId: reply.requestId,
            model: call.prompt.model,
            created: Math.floor(Date.now() / 1_000),
            includeUsage: call.includeUsage
          })
          let isTaken = false
          const taken = () => {
            isTaken = true
          }
          const ended = Effect.suspend(() => isTaken ? reply.delivered : reply.lost)
          switch (reply.kind) {
            case "refused":
              yield* reply.delivered
              return { kind: "refused", error: ofFacts(reply.facts, approvalUrl), headers: ids }
            case "answered": {
              const more = { ...ids, ...reply.replayed ? { "idempotent-replayed": "true" } : {} }
              const bytes = encoderBytes.encode(
                call.stream
                  ? wholeStream(encoder, reply, eventsOf(reply.answer))
                  : JSON.stringify(encoder.whole(reply.answer, reply.charge))
              )
              return {
                kind: "answered",
                contentType: call.stream ? eventType : "application/json; charset=utf-8",
                headers: call.stream ? { ...more, ...eventHeaders } : more,
                texts: textOf(bytes, taken),
                length: bytes.length,
                ended
              }
            }
            case "streaming":
              return {
                kind: "answered",
                contentType: eventType,
                headers: { ...ids, ...eventHeaders },
                texts: textsOf(encoder, reply, approvalUrl, taken),
                length: undefined,
                ended
              }
          }
        }
      )

      return DoorAnswers.of({
        answer,
        limited: <A, E, R>(call: Effect.Effect<A, E, R>) =>
          Effect.suspend((): Effect.Effect<A, E | ApiError, R> => {
            if (calls >= callsMax) return Effect.fail(rateLimited(1))
            calls++
            return Effect.ensuring(call, Effect.sync(() => void calls--))
          })
      })
    })
  )
}

/** The headers of a refusal. */
export const refusalHeaders = (
  { headers, status }: DoorError,
  more: Readonly<Record<string, string>>
): Readonly<Record<string, string>> => ({
  ...more,
  ...headers,
  "cache-control": "no-store",
  ...status === 401 ? { "www-authenticate": "Bearer realm=\"countersign\"" } : {}
})

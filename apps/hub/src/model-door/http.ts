/** `/v1`: the forms of OpenAI and Anthropic, for clients with another base URL. */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { type ApiError, invalidRequest, noSuch, rateLimited } from "@countersign/domain/errors"
import { canonicalize, isJsonObject } from "@countersign/domain/json"
import type { Model } from "@countersign/domain/models"
import { Effect, Option, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Settings } from "../config.ts"
import { readScript, readTask } from "../dispatch/pipeline/submission.ts"
import { agentOf, refuse } from "../edge/access.ts"
import { Admission } from "../edge/admission.ts"
import { errorInForm } from "../edge/answers.ts"
import { bearerOf, Credentials } from "../edge/credentials.ts"
import { jsonOf, readLargeBody } from "../edge/request-body.ts"
import { note } from "../edge/request-log.ts"
import { ModelCatalog } from "../models/catalog.ts"
import { idempotencyKeyOf, sentHeaders } from "../platform/idempotency-key.ts"
import { eventsOf } from "../providers/model-answer.ts"
import { type DoorCall, reading } from "./body.ts"
import { chatCompletionEncoder, readChatCompletion } from "./chat-completions.ts"
import type { AnswerHead, Encoder } from "./encoder.ts"
import { bodyOf, type DoorError, type Form, ofApiError, ofFacts } from "./errors.ts"
import { messagesEncoder, readMessages } from "./messages.ts"
import { readResponse, responseEncoder } from "./responses.ts"
import { type DoorReply, ModelDoor } from "./service.ts"

const bodyBytesMax = 8 * 1024 * 1024
/** For the body to arrive. */
const bodyMillisMax = 60_000
const waitSecondsMax = 600
/** Calls of this hub at a time: each may hold an answer of 8 MiB. */
const callsMax = 1_000

interface DoorForm {
  readonly path: `/${string}`
  readonly form: Form
  /** @throws Problem */
  readonly read: (value: unknown) => DoorCall
  readonly encoder: (head: AnswerHead) => Encoder
}

const forms: ReadonlyArray<DoorForm> = [
  { path: "/v1/chat/completions", form: "openai", read: readChatCompletion, encoder: chatCompletionEncoder },
  { path: "/v1/responses", form: "openai", read: readResponse, encoder: responseEncoder },
  { path: "/v1/messages", form: "anthropic", read: readMessages, encoder: messagesEncoder }
]

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

/** A text for each batch of events; its end says whether all of it was taken. */
async function* textsOf(
  encoder: Encoder,
  reply: Extract<DoorReply, { readonly kind: "streaming" }>,
  approvalUrl: (id: string) => string,
  taken: () => void
): AsyncGenerator<Uint8Array> {
  yield encoderBytes.encode(encoder.begin())
  for (;;) {
    const events = await reply.reader.next()
    if (events === undefined) break
    const text = events.map(encoder.event).join("")
    if (text !== "") yield encoderBytes.encode(text)
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

const wholeStream = (
  encoder: Encoder,
  reply: Extract<DoorReply, { readonly kind: "answered" }>,
  events: ReadonlyArray<Parameters<Encoder["event"]>[0]>
) => encoder.begin() + events.map(encoder.event).join("") + encoder.end(reply.answer, reply.charge)

const eventHeaders = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }

export const modelDoorRoutes = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const admission = yield* Admission
  const catalog = yield* ModelCatalog
  const credentials = yield* Credentials
  const door = yield* ModelDoor
  const { publicUrl } = yield* Settings
  let calls = 0

  const refused = (form: Form, error: DoorError, more: Readonly<Record<string, string>> = {}) =>
    errorInForm((requestId) =>
      HttpServerResponse.jsonUnsafe(bodyOf(form, error, requestId), {
        status: error.status,
        headers: {
          ...more,
          ...error.headers,
          "cache-control": "no-store",
          ...error.status === 401 ? { "www-authenticate": "Bearer realm=\"countersign\"" } : {}
        }
      })
    )

  /** The agent of a call, as the bearer or, as Anthropic's clients send it, in `x-api-key`. */
  const callerOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<AgentPrincipal, ApiError> => {
    const bearer = bearerOf(request.headers["authorization"]) ?? request.headers["x-api-key"]
    const ip = admission.addressOf(Option.getOrUndefined(request.remoteAddress), request.headers["x-forwarded-for"])
    return bearer === undefined
      ? Effect.fail(refuse("agent", "No credential was sent."))
      : agentOf(credentials, "agent", bearer, ip)
  }

  /** Runs a handler as the caller, with its rate limit; every error becomes a body of the form. */
  const asAgent = (
    form: Form,
    handle: (
      agent: AgentPrincipal,
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError>
  ) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const limited: { headers: Readonly<Record<string, string>> } = { headers: {} }
      const answered = Effect.gen(function*() {
        const agent = yield* callerOf(request)
        const limit = admission.limit(agent)
        if (limit !== undefined) {
          limited.headers = limit.headers
          if (limit.refusal !== undefined) return yield* Effect.fail(limit.refusal)
        }
        return yield* handle(agent, request)
      })
      return yield* Effect.match(answered, {
        onSuccess: (response) =>
          Object.keys(limited.headers).length === 0 || response.status >= 400
            ? response
            : HttpServerResponse.setHeaders(response, limited.headers),
        onFailure: (error) => refused(form, ofApiError(error), limited.headers)
      })
    })

  const answer = ({ encoder: encoderOf, form, path, read }: DoorForm) =>
    asAgent(form, (agent, request) =>
      Effect.gen(function*() {
        const bytes = yield* readLargeBody(request, bodyBytesMax, bodyMillisMax)
        const body = yield* jsonOf(bytes)
        if (body === undefined) return yield* Effect.fail(invalidRequest("Send a JSON body."))
        const call = yield* reading(() => read(body.value))
        const { headers } = request
        const reply = yield* door.call(agent, {
          call,
          asked: askedOf(path, body.value),
          key: yield* idempotencyKeyOf(sentHeaders(request)),
          script: yield* readScript(headers["x-test-outcome"], agent.mode),
          task: yield* readTask(headers["x-delegated-task"]),
          waitMillis: waitOf(headers["prefer"]) * 1_000
        })
        const approvalUrl = (id: string) => `${publicUrl.origin}/w/${agent.org_id}/approvals/${id}`
        const ids = { "x-service-request-id": reply.requestId, "cache-control": "no-store" }
        yield* note({
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
        switch (reply.kind) {
          case "refused":
            yield* reply.delivered
            return refused(form, ofFacts(reply.facts, approvalUrl), ids)
          case "answered": {
            const more = { ...ids, ...reply.replayed ? { "idempotent-replayed": "true" } : {} }
            const text = call.stream
              ? wholeStream(encoder, reply, eventsOf(reply.answer))
              : JSON.stringify(encoder.whole(reply.answer, reply.charge))
            const bytes = encoderBytes.encode(text)
            let isTaken = false
            const parts = async function*() {
              yield bytes
              isTaken = true
            }
            return HttpServerResponse.stream(
              Stream.ensuring(
                Stream.fromAsyncIterable(parts(), (error) => error),
                Effect.suspend(() => isTaken ? reply.delivered : reply.lost)
              ),
              {
                contentType: call.stream ? "text/event-stream; charset=utf-8" : "application/json; charset=utf-8",
                contentLength: bytes.length,
                headers: call.stream ? { ...more, ...eventHeaders } : more
              }
            )
          }
          case "streaming": {
            let isTaken = false
            const texts = textsOf(encoder, reply, approvalUrl, () => {
              isTaken = true
            })
            return HttpServerResponse.stream(
              Stream.ensuring(
                Stream.fromAsyncIterable(texts, (error) => error),
                Effect.suspend(() => isTaken ? reply.delivered : reply.lost)
              ),
              { contentType: "text/event-stream; charset=utf-8", headers: { ...ids, ...eventHeaders } }
            )
          }
        }
      }))

  const limitedCalls = <R>(
    form: Form,
    run: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
    Effect.suspend(() => {
      if (calls >= callsMax) {
        return Effect.succeed(refused(form, ofApiError(rateLimited(1))))
      }
      calls++
      return Effect.ensuring(run, Effect.sync(() => void calls--))
    })

  const shown = ({ id, name }: Model) => ({
    id,
    object: "model",
    created: 0,
    owned_by: id.includes("/") ? id.slice(0, id.indexOf("/")) : "provider",
    // Anthropic's clients read these.
    type: "model",
    display_name: name,
    created_at: "1970-01-01T00:00:00Z"
  })

  for (const form of forms) yield* router.add("POST", form.path, limitedCalls(form.form, answer(form)))
  // Matches the list's own address, too.
  yield* router.add(
    "GET",
    "/v1/models/*",
    asAgent(
      "openai",
      (_, request) =>
        Effect.flatMap(
          catalog.current,
          ({ models }): Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError> => {
            const id = decoded((request.url.split("?", 1)[0] ?? "").slice("/v1/models".length).replace(/^\//u, ""))
            if (id === "") {
              return Effect.succeed(HttpServerResponse.jsonUnsafe({
                object: "list",
                data: models.map(shown),
                has_more: false,
                first_id: models[0]?.id ?? null,
                last_id: models.at(-1)?.id ?? null
              }))
            }
            const model = models.find((each) => each.id === id)
            return model === undefined
              ? Effect.fail(noSuch("model"))
              : Effect.succeed(HttpServerResponse.jsonUnsafe(shown(model)))
          }
        )
    )
  )
}))

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

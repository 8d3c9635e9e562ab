/** `/v1`: the forms of OpenAI and Anthropic, for clients with another base URL. */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { type ApiError, noSuch } from "@countersign/domain/errors"
import type { Model } from "@countersign/domain/models"
import { Effect, Option, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { agentOf, refuse } from "../edge/access.ts"
import { Admission } from "../edge/admission.ts"
import { errorInForm } from "../edge/answers.ts"
import { bearerOf, Credentials } from "../edge/credentials.ts"
import { readLargeBody } from "../edge/request-body.ts"
import { CurrentNotes } from "../edge/request-log.ts"
import { ModelCatalog } from "../models/catalog.ts"
import { sentHeaders } from "../platform/idempotency-key.ts"
import { bodyMillisMax, DoorAnswers, type DoorForm, forms, refusalHeaders } from "./answers.ts"
import { bodyOf, type DoorError, type Form, ofApiError } from "./errors.ts"

const bodyBytesMax = 8 * 1024 * 1024

export const modelDoorRoutes = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const admission = yield* Admission
  const answers = yield* DoorAnswers
  const catalog = yield* ModelCatalog
  const credentials = yield* Credentials

  const refused = (form: Form, error: DoorError, more: Readonly<Record<string, string>> = {}) =>
    errorInForm((requestId) =>
      HttpServerResponse.jsonUnsafe(bodyOf(form, error, requestId), {
        status: error.status,
        headers: refusalHeaders(error, more)
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

  const answer = (form: DoorForm) =>
    asAgent(form.form, (agent, request) =>
      Effect.gen(function*() {
        const bytes = yield* readLargeBody(request, bodyBytesMax, bodyMillisMax)
        const notes = yield* CurrentNotes
        const reply = yield* answers.answer(form, agent, sentHeaders(request), bytes, (facts) => {
          if (notes !== undefined) Object.assign(notes, facts)
        })
        if (reply.kind === "refused") return refused(form.form, reply.error, reply.headers)
        const { contentType, ended, headers, length, texts } = reply
        return HttpServerResponse.stream(
          Stream.ensuring(Stream.fromAsyncIterable(texts, (error) => error), ended),
          { contentType, contentLength: length, headers }
        )
      }).pipe(answers.limited))

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

  for (const form of forms) yield* router.add("POST", form.path, answer(form))
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

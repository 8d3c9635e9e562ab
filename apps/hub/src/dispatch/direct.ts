/**
 * A fast path for the busiest endpoint, ahead of the framework. `POST /service-requests` of an agent whose key is
 * cached takes the same steps in the same order, by the same functions, as the framework's path (test/bench/RESULTS.md
 * has the savings). A request with unusual headers is left to the framework's path, which answers it; this path refuses
 * a request only for its rate limit and its body.
 */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { isApiError } from "@countersign/domain/errors"
import { Cause, Effect, Layer, Option } from "effect"
import { HttpClientRequest, HttpMiddleware, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Settings } from "../config.ts"
import { Admission } from "../edge/admission.ts"
import { Answers, errorAnswer, faultAnswer, type PlainAnswer } from "../edge/answers.ts"
import { ahead, bytesOf, clientClosed, closingHeaders, isPlainPost } from "../edge/direct.ts"
import { jsonOf } from "../edge/request-body.ts"
import { Readiness } from "../platform/readiness.ts"
import { dispatchAnswer, notesOf, submissionIn } from "./http.ts"
import { Dispatch } from "./pipeline/service.ts"

const url = "/api/v1/service-requests"

/** A request and its answer as the framework's tracer reads them. */
const tracedRequest = ({ headers, socket }: IncomingMessage): HttpServerRequest.HttpServerRequest =>
  HttpServerRequest.fromClientRequest(
    HttpClientRequest.post(`http://${headers.host ?? "localhost"}${url}`, {
      headers: headers as Record<string, string>
    })
  ).modify({ url, remoteAddress: Option.fromNullishOr(socket.remoteAddress) })
const tracedResponse = ({ headers, status }: PlainAnswer) => HttpServerResponse.empty({ status, headers })

export const directDispatchLayer = Layer.effectDiscard(Effect.gen(function*() {
  const admission = yield* Admission
  const answers = yield* Answers
  const dispatch = yield* Dispatch
  const readiness = yield* Readiness
  const isTraced = Option.isSome((yield* Settings).otlpEndpoint)
  const run = Effect.runPromiseWith(yield* Effect.context<never>())

  const admitted = (request: IncomingMessage): AgentPrincipal | undefined => {
    const { headers } = request
    if (request.url !== url || !isPlainPost(request, readiness)) return undefined
    return admission.knownAgent(
      headers.authorization,
      admission.addressOf(request.socket.remoteAddress, headers["x-forwarded-for"] as string | undefined)
    )
  }

  /** `undefined` when the client disconnected before its body was read. */
  const answered = async (request: IncomingMessage, agent: AgentPrincipal): Promise<PlainAnswer | undefined> => {
    const answering = answers.begin("POST", url, request.headers)
    answering.notes.route = url
    const limited = admission.limit(agent)
    const bytes = await bytesOf(request)
    if (bytes === undefined) {
      answering.notes.outcome = "client_closed"
      answering.finish(clientClosed, undefined)
      return undefined
    }
    const answer = async (): Promise<PlainAnswer> => {
      try {
        if (limited?.refusal !== undefined) return errorAnswer(limited.refusal, answering)
        // Throws the error itself, as the framework's path does.
        const body = Effect.runSync(jsonOf(bytes))
        const done = await dispatch.submitNow(Effect.runSync(submissionIn(agent, request, body?.value)))
        Object.assign(answering.notes, notesOf(done))
        return dispatchAnswer(done)
      } catch (error) {
        return isApiError(error)
          ? errorAnswer(error, answering)
          : await run(faultAnswer(Cause.die(error), answering, { method: "POST", path: url }))
      }
    }
    const plain = await answer()
    const headers = { ...plain.headers, ...limited?.headers }
    return { ...plain, headers: { ...answering.finish(plain.status, plain.headers["vary"]), ...headers } }
  }

  /** The same in a span of the server, with the caller's span as its parent. */
  const traced = (request: IncomingMessage, agent: AgentPrincipal): Promise<PlainAnswer | undefined> => {
    let plain: PlainAnswer | undefined
    const response = Effect.flatMap(
      Effect.promise(() => answered(request, agent)),
      (answer) =>
        answer === undefined
          ? Effect.succeed(HttpServerResponse.empty({ status: clientClosed }))
          : Effect.as(
            Effect.annotateCurrentSpan({ request_id: answer.headers["x-request-id"] }),
            tracedResponse(plain = answer)
          )
    )
    return run(
      Effect.map(
        Effect.provideService(
          HttpMiddleware.tracer(response),
          HttpServerRequest.HttpServerRequest,
          tracedRequest(request)
        ),
        () => plain
      )
    )
  }

  const respond = async (request: IncomingMessage, response: ServerResponse, agent: AgentPrincipal): Promise<void> => {
    const answer = await (isTraced ? traced(request, agent) : answered(request, agent))
    if (answer === undefined) return
    response.writeHead(answer.status, {
      "content-type": answer.contentType,
      "content-length": Buffer.byteLength(answer.text),
      ...answer.headers,
      ...closingHeaders(readiness)
    })
    response.end(answer.text)
  }

  yield* ahead((request) => {
    const agent = admitted(request)
    return agent === undefined ? undefined : (response) => void respond(request, response, agent)
  })
})).pipe(Layer.provide([Admission.layer, Answers.layer]))

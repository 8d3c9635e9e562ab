/**
 * The model door ahead of the framework, for agents whose key is in memory: the first text of a stream is written in
 * the turn of the event loop in which it arrives (test/bench/RESULTS.md has the savings). A traced hub, and a request
 * with unusual headers, take the framework's path (`http.ts`).
 */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { type ApiError, invalidRequest } from "@countersign/domain/errors"
import { Cause, Effect, Exit, Layer, Option, References } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Settings } from "../config.ts"
import { Admission, type Limited } from "../edge/admission.ts"
import { type Answering, Answers, faultAnswer } from "../edge/answers.ts"
import { ahead, bytesOf, clientClosed, closingHeaders, isPlainPost } from "../edge/direct.ts"
import { CurrentBudget } from "../platform/pool.ts"
import { Readiness } from "../platform/readiness.ts"
import { bodyMillisMax, type DoorAnswer, DoorAnswers, type DoorForm, forms, refusalHeaders } from "./answers.ts"
import { bodyOf, type DoorError, ofApiError } from "./errors.ts"

const lateBody = invalidRequest(`The body did not arrive within ${bodyMillisMax / 1_000} s.`)

type Body = { readonly bytes: Uint8Array | undefined } | { readonly error: ApiError }

const readBody = (request: IncomingMessage): Promise<Body> =>
  new Promise((resolve) => {
    const limit = setTimeout(() => resolve({ error: lateBody }), bodyMillisMax)
    void bytesOf(request).then((bytes) => {
      clearTimeout(limit)
      resolve({ bytes })
    })
  })

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done)
      resolve()
    }
    response.once("drain", done).once("close", done)
  })

/** Writes the texts as they come, until the client leaves. */
const write = async (response: ServerResponse, texts: AsyncGenerator<Uint8Array>): Promise<void> => {
  for await (const text of texts) {
    if (response.destroyed) return
    if (!response.write(text) && !response.destroyed) await drained(response)
  }
  response.end()
}

export const directModelDoorLayer = Layer.effectDiscard(Effect.gen(function*() {
  const admission = yield* Admission
  const answering = yield* Answers
  const answers = yield* DoorAnswers
  const readiness = yield* Readiness
  const isTraced = Option.isSome((yield* Settings).otlpEndpoint)
  const context = yield* Effect.context<never>()
  const run = Effect.runPromiseWith(context)
  const fork = Effect.runForkWith(context)
  const formOf = new Map<string | undefined, DoorForm>(forms.map((form) => [form.path, form]))

  const agentOf = ({ headers, socket }: IncomingMessage): AgentPrincipal | undefined => {
    const key = headers["x-api-key"]
    return admission.knownAgent(
      headers.authorization ?? (typeof key === "string" ? `Bearer ${key}` : undefined),
      admission.addressOf(socket.remoteAddress, headers["x-forwarded-for"] as string | undefined)
    )
  }

  const send = (
    response: ServerResponse,
    call: Answering,
    { headers, status, text }: {
      readonly status: number
      readonly text: string
      readonly headers: Readonly<Record<string, string>>
    }
  ): void => {
    response.writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(text),
      ...headers,
      ...call.finish(status, headers["vary"]),
      ...closingHeaders(readiness)
    })
    response.end(text)
  }

  const respond = async (
    request: IncomingMessage,
    response: ServerResponse,
    form: DoorForm,
    agent: AgentPrincipal
  ): Promise<void> => {
    const call = answering.begin("POST", form.path, request.headers)
    call.notes.route = form.path
    const limit: Limited | undefined = admission.limit(agent)
    const limitHeaders = limit?.headers ?? {}
    const refuse = (error: DoorError, more: Readonly<Record<string, string>> = {}) =>
      send(response, call, {
        status: error.status,
        text: JSON.stringify(bodyOf(form.form, error, call.requestId)),
        headers: refusalHeaders(error, { ...limitHeaders, ...more })
      })
    const closed = () => {
      call.notes.outcome = "client_closed"
      call.finish(clientClosed, undefined)
    }

    const body = await readBody(request)
    if ("error" in body) {
      response.shouldKeepAlive = false
      return refuse(ofApiError(body.error))
    }
    if (body.bytes === undefined) return closed()
    if (limit?.refusal !== undefined) return refuse(ofApiError(limit.refusal))

    const fiber = fork(
      answers.limited(
        answers.answer(form, agent, request, body.bytes, (facts) => void Object.assign(call.notes, facts))
      ).pipe(
        Effect.provideService(References.CurrentLogAnnotations, { request_id: call.requestId }),
        Effect.provideService(CurrentBudget, { spentMillis: 0 })
      )
    )
    response.once("close", () => void (response.writableEnded || fiber.interruptUnsafe()))
    const exit = await new Promise<Exit.Exit<DoorAnswer, ApiError>>((resolve) => fiber.addObserver(resolve))
    if (Exit.isFailure(exit)) {
      if (Cause.hasInterruptsOnly(exit.cause)) return closed()
      const error = Cause.findErrorOption(exit.cause)
      if (Option.isSome(error)) return refuse(ofApiError(error.value))
      return send(response, call, await run(faultAnswer(exit.cause, call, { method: "POST", path: form.path })))
    }
    const answer = exit.value
    if (answer.kind === "refused") return refuse(answer.error, answer.headers)
    const { contentType, headers, length, texts } = answer
    let isEnded = false
    const end = () => {
      if (isEnded) return
      isEnded = true
      fork(answer.ended)
    }
    if (response.destroyed) return end()
    response.once("close", end)
    try {
      response.writeHead(200, {
        "content-type": contentType,
        ...length === undefined ? {} : { "content-length": length },
        ...headers,
        ...limitHeaders,
        ...call.finish(200, undefined),
        ...closingHeaders(readiness)
      })
      await write(response, texts)
    } catch (error) {
      response.destroy()
      fork(Effect.logError("a streamed answer failed", error))
    } finally {
      end()
    }
  }

  yield* ahead((request) => {
    const form = formOf.get(request.url)
    if (form === undefined || isTraced || !isPlainPost(request, readiness)) return undefined
    const agent = agentOf(request)
    return agent === undefined ? undefined : (response) => void respond(request, response, form, agent)
  })
})).pipe(Layer.provide([Admission.layer, Answers.layer]))

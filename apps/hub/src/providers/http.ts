/**
 * Declared services: makes the call from the definition and interprets its answer. Spec: reference/services.md
 * "Provider answers".
 */
import { filledBaseUrl } from "@countersign/domain/app-base-url"
import type { Detail } from "@countersign/domain/errors"
import { resolvePointer } from "@countersign/domain/pointer"
import {
  type HttpOperation,
  type HttpService,
  operationOf,
  type ServiceDefinition,
  timeoutMillisMin
} from "@countersign/domain/services"
import { Effect, Result } from "effect"
import {
  type Adapter,
  type AdapterCall,
  type AdapterOutcome,
  detailText,
  failed,
  type PollOutcome,
  unknownFate
} from "./adapter.ts"
import { readAnswer, type Reading, resultOf, scrubbed, scrubOf } from "./answer.ts"
import { isAboutOther, readAsync, refText } from "./async.ts"
import { bearerOf, type ReadyApp, type ServiceCredentials, serviceCredentials } from "./credentials.ts"
import type { Egress, EgressAnswer } from "./egress.ts"
import { fateOf, isSuccess, refusalOf } from "./fate.ts"
import { pollRequest, type RenderedRequest, renderRequest } from "./http-request.ts"

export const httpAdapter = (egress: Egress["Service"]): Adapter => ({
  execute: (definition, call) => {
    const declared = declaredOf(definition, call)
    if (declared === undefined) return Effect.succeed(failed(`The service has no operation "${call.operation}".`))
    const { operation, service } = declared
    return send(egress, service, (based) => renderRequest(based, operation, valuesOf(call)), call).pipe(
      Effect.map(({ answer, reading }) =>
        isSuccess(answer.status) ? successOf(operation, answer, reading) : refusalOf(answer, reading)
      ),
      Effect.catch((outcome) => Effect.succeed(outcome))
    )
  },

  poll: (definition, ref, call) => {
    const declared = declaredOf(definition, call)
    const async = declared?.operation.async
    if (declared === undefined || async === undefined) {
      return Effect.succeed(unreachable(`The operation "${call.operation}" is not polled.`))
    }
    return send(egress, declared.service, (based) => pollRequest(based, async, { ...valuesOf(call), ref }), call).pipe(
      Effect.map(({ answer, reading }): PollOutcome => {
        if (!isSuccess(answer.status)) return unreachable(refusalOf(answer, reading))
        if (answer.truncated) return unreachable("The provider's response to the poll is longer than 1 MiB.")
        if (reading.kind !== "json") return unreachable("The provider's response to the poll is not JSON.")
        if (isAboutOther(async, reading.document, ref)) {
          return unreachable("The provider's response has another reference.")
        }
        return readAsync(async, reading.document)
      }),
      Effect.catch((outcome) => Effect.succeed(unreachable(outcome)))
    )
  }
})

interface Declared {
  readonly service: HttpService
  readonly operation: HttpOperation
}

const declaredOf = (definition: ServiceDefinition, call: AdapterCall): Declared | undefined => {
  if (definition.kind !== "http") return undefined
  const operation = operationOf(definition, call.operation) as HttpOperation | undefined
  return operation === undefined ? undefined : { service: definition, operation }
}

const valuesOf = (call: AdapterCall) => ({
  payload: call.payload,
  requestId: call.requestId,
  ...call.callbackUrl === undefined ? {} : { callbackUrl: call.callbackUrl }
})

const linesOf = (problems: ReadonlyArray<{ readonly path: string; readonly message: string }>): string =>
  problems.map(({ message, path }) => `${path}: ${message}`).join("; ")

const unreachable = (why: string | AdapterOutcome): PollOutcome => ({
  kind: "unreachable",
  detail: typeof why === "string" ? detailText(why) : "detail" in why ? why.detail : ""
})

interface Answered {
  readonly answer: EgressAnswer
  /** Contains none of the secrets that were sent. */
  readonly reading: Reading
}

/**
 * Sends a request with the service's credentials; fails with the outcome of a call without a full answer. A connected
 * app's token that the provider rejects is renewed, and the request is sent again once: the provider's 401 says that
 * nothing was done.
 */
const send = Effect.fnUntraced(function*(
  egress: Egress["Service"],
  service: HttpService,
  render: (service: HttpService) => Result.Result<RenderedRequest, ReadonlyArray<Detail>>,
  call: AdapterCall
): Effect.fn.Return<Answered, AdapterOutcome> {
  const credentials = yield* serviceCredentials(service, call)
  const { app } = credentials
  const based = app === undefined ? service : yield* basedOn(service, app)
  const request = render(based)
  if (Result.isFailure(request)) {
    return yield* Effect.fail(failed(`The request cannot be built: ${linesOf(request.failure)}`))
  }
  const problem = app?.problemOf(request.success.url)
  if (problem !== undefined) return yield* Effect.fail(failed(`${problem} Nothing was sent.`))
  const started = performance.now()
  const first = yield* exchange(egress, request.success, credentials, call, call.timeoutMs)
  if (app === undefined || first.answer.status !== 401) return first
  const token = yield* app.renewed
  const left = call.timeoutMs - (performance.now() - started)
  if (token === undefined || left < timeoutMillisMin) return first
  return yield* exchange(egress, request.success, bearerOf(token, app), call, Math.floor(left))
})

const exchange = Effect.fnUntraced(function*(
  egress: Egress["Service"],
  rendered: RenderedRequest,
  credentials: ServiceCredentials,
  call: AdapterCall,
  timeoutMs: number
): Effect.fn.Return<Answered, AdapterOutcome> {
  const answer = yield* egress.request({
    url: credentials.param === undefined ? rendered.url : withParam(rendered.url, credentials.param),
    method: rendered.method,
    headers: {
      accept: "application/json",
      ...rendered.contentType === undefined ? {} : { "content-type": rendered.contentType },
      ...rendered.headers,
      ...credentials.headers,
      "idempotency-key": call.requestId
    },
    ...rendered.body === undefined ? {} : { body: rendered.body },
    timeoutMs
  }).pipe(Effect.mapError(fateOf))
  return {
    answer,
    reading: scrubbed(readAnswer(answer.body, answer.headers["content-type"]), scrubOf(credentials.secrets))
  }
})

/** The service with the app's values in its base URL. */
const basedOn = (service: HttpService, app: ReadyApp): Effect.Effect<HttpService, AdapterOutcome> => {
  const base_url = filledBaseUrl(service.base_url, app.values)
  return base_url === undefined || !/^https?:\/\/[^?#@]+$/i.test(base_url) || !URL.canParse(base_url)
    ? Effect.fail(failed("The connected app has no valid value for the service's base URL. Nothing was sent."))
    : Effect.succeed({ ...service, base_url })
}

/** Written by hand: `URLSearchParams` would encode the rest of the query again. */
const withParam = (url: string, [name, value]: readonly [name: string, value: string]): string =>
  `${url}${url.includes("?") ? "&" : "?"}${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`

const successOf = (operation: HttpOperation, answer: EgressAnswer, reading: Reading): AdapterOutcome => {
  const actual = actualOf(operation, answer, reading)
  if (operation.async !== undefined) {
    const named = reading.kind === "json" && !answer.truncated
      ? resolvePointer(reading.document, operation.async.ref)
      : undefined
    const ref = named?.found === true ? refText(named.value) : undefined
    return ref === undefined
      ? unknownFate(`the provider accepted the request and sent no reference at ${operation.async.ref}.`)
      : { kind: "running", ref, ...actual }
  }
  const result = answer.truncated ? { truncated: true } : resultOf(reading, operation.result)
  return { kind: "executed", result, ...actual }
}

const actualOf = ({ price }: HttpOperation, answer: EgressAnswer, reading: Reading) => {
  if (price.type !== "quoted" || price.actual === undefined) return {}
  if (reading.kind !== "json" || answer.truncated) return { actualFound: false }
  const resolved = resolvePointer(reading.document, price.actual)
  return resolved.found ? { actual: resolved.value, actualFound: true } : { actualFound: false }
}

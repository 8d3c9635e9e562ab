/**
 * Declared services: makes the call from the definition and interprets its answer. Spec: reference/services.md
 * "Provider answers".
 */
import { resolvePointer } from "@countersign/domain/pointer"
import { type HttpOperation, type HttpService, operationOf, type ServiceDefinition } from "@countersign/domain/services"
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
import type { Egress, EgressAnswer } from "./egress.ts"
import { fateOf, isSuccess, refusalOf } from "./fate.ts"
import { pollRequest, type RenderedRequest, renderRequest } from "./http-request.ts"

export const httpAdapter = (egress: Egress["Service"]): Adapter => ({
  execute: (definition, call) => {
    const declared = declaredOf(definition, call)
    if (declared === undefined) return Effect.succeed(failed(`The service has no operation "${call.operation}".`))
    const { operation, service } = declared
    const rendered = renderRequest(service, operation, valuesOf(call))
    if (Result.isFailure(rendered)) {
      return Effect.succeed(failed(`The request cannot be built: ${linesOf(rendered.failure)}`))
    }
    return send(egress, service, rendered.success, call).pipe(
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
    const rendered = pollRequest(declared.service, async, { ...valuesOf(call), ref })
    if (Result.isFailure(rendered)) {
      return Effect.succeed(unreachable(`The poll cannot be built: ${linesOf(rendered.failure)}`))
    }
    return send(egress, declared.service, rendered.success, call).pipe(
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

/** Sends a rendered request with the service's credentials; fails with the outcome of a call without a full answer. */
const send = Effect.fnUntraced(function*(
  egress: Egress["Service"],
  service: HttpService,
  rendered: RenderedRequest,
  call: AdapterCall
): Effect.fn.Return<Answered, AdapterOutcome> {
  const credentials = yield* credentialsOf(service, call)
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
    timeoutMs: call.timeoutMs
  }).pipe(Effect.mapError(fateOf))
  return {
    answer,
    reading: scrubbed(readAnswer(answer.body, answer.headers["content-type"]), scrubOf(credentials.secrets))
  }
})

/** Written by hand: `URLSearchParams` would encode the rest of the query again. */
const withParam = (url: string, [name, value]: readonly [name: string, value: string]): string =>
  `${url}${url.includes("?") ? "&" : "?"}${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`

interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly param?: readonly [name: string, value: string]
  readonly secrets: ReadonlyArray<string>
}

const credentialsOf = Effect.fnUntraced(function*(
  { auth, name }: HttpService,
  call: AdapterCall
): Effect.fn.Return<Credentials, AdapterOutcome> {
  if (auth === undefined || auth.type === "none") return { headers: {}, secrets: [] }
  if (auth.type === "oauth_app" || auth.secret === undefined) {
    return yield* Effect.fail(failed(`The service "${name}" has credentials that this hub cannot use.`))
  }
  const secret = yield* call.secretOf(auth.secret)
  if (secret === undefined || secret === "") {
    return yield* Effect.fail(
      failed(`The secret "${auth.secret}" of the service "${name}" is not set. Nothing was sent.`)
    )
  }
  const secrets = [secret]
  switch (auth.type) {
    case "bearer":
      return { headers: { authorization: `Bearer ${secret}` }, secrets }
    case "basic":
      return { headers: { authorization: `Basic ${Buffer.from(secret).toString("base64")}` }, secrets }
    case "header":
      return { headers: { [(auth.header ?? "").toLowerCase()]: secret }, secrets }
    case "query":
      return { headers: {}, param: [auth.param ?? "", secret], secrets }
  }
})

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

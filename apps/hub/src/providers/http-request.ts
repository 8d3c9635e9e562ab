/**
 * Builds a declared operation's HTTP request from a payload. Pure, so that dispatch can answer 400 for an incomplete
 * payload before any money is held. Spec: reference/services.md "Templates".
 */
import { sampleBaseUrl } from "@countersign/domain/app-base-url"
import type { Detail } from "@countersign/domain/errors"
import type {
  HttpOperation,
  HttpService,
  OperationAsync,
  OperationDefinition,
  ServiceDefinition
} from "@countersign/domain/services"
import { renderBody, renderHeader, renderPath, renderQuery, type TemplateScope } from "@countersign/domain/template"
import { Result } from "effect"
import { headerRefusal } from "./header-rules.ts"
import { encodeBody, type EncodedBody } from "./request-body.ts"

export interface RequestValues {
  readonly payload: unknown
  readonly requestId: string
  readonly callbackUrl?: string
  /** The provider's reference of its work, in a poll. */
  readonly ref?: string
}

export interface RenderedRequest {
  readonly method: string
  /** Without the parts that the service's credentials add. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The body's type, where there is a body. */
  readonly contentType?: string
}

type Rendered = Result.Result<RenderedRequest, ReadonlyArray<Detail>>

/** Fails with every place of the payload that prevents the request. */
export const renderRequest = (service: HttpService, operation: HttpOperation, values: RequestValues): Rendered => {
  const scope = scopeOf(values)
  const body = operation.body !== undefined
    ? renderBody(operation.body, scope)
    : Result.succeed(sendsPayload(operation.method) ? values.payload : undefined)
  const sent = Result.isFailure(body) || body.success === undefined
    ? body as Result.Result<undefined, ReadonlyArray<Detail>>
    : encodeBody(body.success, operation)
  return rendered(service, scope, operation, sent)
}

/** A poll is a GET by default; it has no body. */
export const pollRequest = (service: HttpService, async: OperationAsync, values: RequestValues): Rendered =>
  rendered(
    service,
    scopeOf(values),
    { method: async.method ?? "GET", path: async.path ?? "/" },
    Result.succeed(undefined)
  )

/**
 * The values that a payload lacks for the operation's templates, beyond its schema: 400 for the caller. Empty for a
 * builtin.
 */
export const requestProblems = (
  service: ServiceDefinition,
  operation: OperationDefinition,
  values: RequestValues
): ReadonlyArray<Detail> => {
  if (service.kind !== "http") return []
  const sample = { ...service, base_url: sampleBaseUrl(service.base_url) }
  const request = renderRequest(sample, operation as HttpOperation, values)
  return Result.isFailure(request) ? request.failure : []
}

const sendsPayload = (method: string) => method === "POST" || method === "PUT" || method === "PATCH"

const scopeOf = ({ callbackUrl, payload, ref, requestId }: RequestValues): TemplateScope => ({
  payload,
  request: { id: requestId },
  ...callbackUrl === undefined ? {} : { callback_url: callbackUrl },
  ...ref === undefined ? {} : { ref }
})

const rendered = (
  service: HttpService,
  scope: TemplateScope,
  call: Pick<HttpOperation, "headers" | "method" | "path" | "query" | "query_style">,
  body: Result.Result<EncodedBody | undefined, ReadonlyArray<Detail>>
): Rendered => {
  const problems: Array<Detail> = []
  const take = <A>(result: Result.Result<A, ReadonlyArray<Detail>>, fallback: A): A => {
    if (Result.isSuccess(result)) return result.success
    problems.push(...result.failure)
    return fallback
  }
  const path = take(renderPath(call.path, scope), "/")
  const query = take(renderQuery(call.query ?? {}, scope, call.query_style), "")
  const headers: Record<string, string> = {}
  for (const [name, template] of Object.entries(call.headers ?? {})) {
    const value = take(renderHeader(template, scope), "")
    const refusal = headerRefusal(name, value)
    if (refusal !== undefined) problems.push({ path: `headers.${name}`, message: refusal })
    headers[name.toLowerCase()] = value
  }
  const sent = take(body, undefined)
  const url = `${service.base_url.replace(/\/+$/, "")}${path}${query === "" ? "" : `?${query}`}`
  if (problems.length === 0 && !(URL.canParse(url) && new URL(url).origin === new URL(service.base_url).origin)) {
    problems.push({ path: "path", message: "This does not result in a URL of the service." })
  }
  if (problems.length > 0) return Result.fail(problems)
  return Result.succeed({ method: call.method, url, headers, ...sent })
}

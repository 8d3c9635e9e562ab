/**
 * Errors on the wire: `{ "error": { code, message, request_id, details?, data? } }`. One class for each HTTP status;
 * the code is an open set for readers. The edge adds `request_id`. Spec: reference/conventions.md "Errors", "Error
 * codes".
 */
import { ErrorReporter, Schema } from "effect"
import type { ConflictCode } from "./error-codes.ts"
import { asSentence } from "./text.ts"

export const Detail = Schema.Struct({
  /** Dotted, from body or query: `payload.items.0.qty`; empty for the whole. */
  path: Schema.String,
  message: Schema.String
})
export type Detail = typeof Detail.Type

/** Likely mistakes in an object that was saved nevertheless. */
export const Warnings = Schema.Array(Detail).annotate({
  description: "A likely mistake in the saved object. `path` is dotted from the body."
})

export const ErrorBody = Schema.Struct({
  code: Schema.String,
  /** Includes the next step. */
  message: Schema.String,
  request_id: Schema.optionalKey(Schema.String),
  details: Schema.optionalKey(Schema.Array(Detail)),
  /** Data of the code, such as `{ status, decided_by, decided_at }` of `approval_not_pending`. */
  data: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "Error" })
export type ErrorBody = typeof ErrorBody.Type

const fields = { error: ErrorBody }

const statuses = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  Conflict: 409,
  Gone: 410,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  RateLimited: 429,
  Upstream: 502,
  Unavailable: 503,
  UpstreamTimeout: 504
} as const

// `_tag` is read from the prototype: an own property would be an extra member on the strict wire.
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(fields, { httpApiStatus: statuses.BadRequest }) {
  get _tag() {
    return "BadRequest" as const
  }
}
export class Unauthorized
  extends Schema.Error<Unauthorized>("Unauthorized")(fields, { httpApiStatus: statuses.Unauthorized })
{
  get _tag() {
    return "Unauthorized" as const
  }
}
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(fields, { httpApiStatus: statuses.Forbidden }) {
  get _tag() {
    return "Forbidden" as const
  }
}
export class NotFound extends Schema.Error<NotFound>("NotFound")(fields, { httpApiStatus: statuses.NotFound }) {
  get _tag() {
    return "NotFound" as const
  }
}
export class Conflict extends Schema.Error<Conflict>("Conflict")(fields, { httpApiStatus: statuses.Conflict }) {
  get _tag() {
    return "Conflict" as const
  }
}
export class Gone extends Schema.Error<Gone>("Gone")(fields, { httpApiStatus: statuses.Gone }) {
  get _tag() {
    return "Gone" as const
  }
}
export class PayloadTooLarge
  extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(fields, { httpApiStatus: statuses.PayloadTooLarge })
{
  get _tag() {
    return "PayloadTooLarge" as const
  }
}
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(fields, {
  httpApiStatus: statuses.UnsupportedMediaType
}) {
  get _tag() {
    return "UnsupportedMediaType" as const
  }
}
export class RateLimited
  extends Schema.Error<RateLimited>("RateLimited")(fields, { httpApiStatus: statuses.RateLimited })
{
  get _tag() {
    return "RateLimited" as const
  }
}
export class Upstream extends Schema.Error<Upstream>("Upstream")(fields, { httpApiStatus: statuses.Upstream }) {
  get _tag() {
    return "Upstream" as const
  }
}
export class Unavailable
  extends Schema.Error<Unavailable>("Unavailable")(fields, { httpApiStatus: statuses.Unavailable })
{
  get _tag() {
    return "Unavailable" as const
  }
}
export class UpstreamTimeout
  extends Schema.Error<UpstreamTimeout>("UpstreamTimeout")(fields, { httpApiStatus: statuses.UpstreamTimeout })
{
  get _tag() {
    return "UpstreamTimeout" as const
  }
}

/**
 * Every error that an endpoint may answer; an endpoint's contract lists them all, and its text names the relevant ones.
 */
export const ApiErrors = [
  BadRequest,
  Unauthorized,
  Forbidden,
  NotFound,
  Conflict,
  Gone,
  PayloadTooLarge,
  UnsupportedMediaType,
  RateLimited,
  Upstream,
  Unavailable,
  UpstreamTimeout
] as const
export type ApiError = InstanceType<typeof ApiErrors[number]>

export const isApiError = (value: unknown): value is ApiError => ApiErrors.some((E) => value instanceof E)

export const statusOf = (error: ApiError): number => statuses[error._tag]

// These are answers, not incidents: reporters ignore them.
for (const E of ApiErrors) Object.assign(E.prototype, { [ErrorReporter.ignore]: true })

interface Extra {
  readonly details?: ReadonlyArray<Detail>
  readonly data?: Record<string, unknown>
}
const body = (code: string, message: string, extra: Extra = {}) => ({ error: { code, message, ...extra } })

export const invalidRequest = (message: string, details?: ReadonlyArray<Detail>) =>
  new BadRequest(body("invalid_request", message, details === undefined ? {} : { details }))
/** `invalid_request` for one field of body or query. */
export const invalidField = (path: string, message: string) =>
  invalidRequest(`The request is not valid at ${path}: ${asSentence(message)}`, [{ path, message }])
export const unauthorized = (message: string, data?: Record<string, unknown>) =>
  new Unauthorized(body("unauthorized", message, data === undefined ? {} : { data }))
export const forbidden = (message: string, data?: Record<string, unknown>, code = "forbidden") =>
  new Forbidden(body(code, message, data === undefined ? {} : { data }))
/** The same answer for another org's resource and for one that does not exist; the message never contains the id. */
export const notFound = (noun = "resource") => new NotFound(body("not_found", `No such ${noun} in this workspace.`))
/** Something that a link names, of any workspace. */
export const noSuch = (noun: string) => new NotFound(body("not_found", `No such ${noun}.`))
/** A workspace that does not exist, or that the caller does not belong to. */
export const noWorkspace = () => new NotFound(body("not_found", "No such workspace, or it is not yours."))
export const conflict = (code: ConflictCode, message: string, data?: Record<string, unknown>) =>
  new Conflict(body(code, message, data === undefined ? {} : { data }))
/** 409: the object has its decision. `data` names the status, and if a person decided, the person and the time. */
export const alreadyDecided = (
  noun: string,
  decision: { readonly status: string } & Readonly<Record<string, unknown>>,
  code: ConflictCode = "conflict"
) => conflict(code, `This ${noun} is already ${decision.status}.`, decision)
/** 409 `conflict` about one field of the body. */
export const fieldConflict = (path: string, message: string) =>
  new Conflict(body("conflict", message, { details: [{ path, message }] }))
export const gone = (message: string, code = "gone") => new Gone(body(code, message))
export const payloadTooLarge = (message: string) => new PayloadTooLarge(body("payload_too_large", message))
export const unsupportedMediaType = (message: string) =>
  new UnsupportedMediaType(body("unsupported_media_type", message))
export const rateLimited = (retryAfterSeconds: number) =>
  new RateLimited(body("rate_limited", `Too many requests. Try again in ${retryAfterSeconds} s.`, {
    data: { retry_after_seconds: retryAfterSeconds }
  }))
/** The wait before the next try for a caller with too many open calls. */
const openRetrySeconds = 5
export const tooManyOpen = (max: number) =>
  new RateLimited(body(
    "rate_limited",
    `Too many calls are open: at most ${max} streams, downloads and calls with ?wait=. Close one, or try again in ${openRetrySeconds} s.`,
    { data: { retry_after_seconds: openRetrySeconds, open_max: max } }
  ))
export const upstreamError = (message: string) => new Upstream(body("upstream_error", message))
export const upstreamTimeout = (message: string) => new UpstreamTimeout(body("upstream_timeout", message))
/** Several hubs share the database and not the directory of objects. */
export const storageNotShared = () =>
  new Unavailable(body(
    "storage_not_shared",
    "This hub does not have the directory that holds the objects. Set HUB_S3_BUCKET on all hubs, or share one directory."
  ))
export const unavailable = (message: string) => new Unavailable(body("unavailable", message))

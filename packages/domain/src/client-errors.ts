/**
 * Errors of the client: transport problems only. `blocked`, `approval_required`, and `failed` are outcomes, not errors.
 * Spec: reference/clients.md "Results and errors".
 */
import { Data, type Schema } from "effect"
import { readErrorEnvelope } from "./error-envelope.ts"
import type { Detail, ErrorBody } from "./errors.ts"
import { problemsOf } from "./schema-problems.ts"

interface Facts {
  /** The hub's code, an open set; the client's own code where there is no error envelope. */
  readonly code: string
  /** Includes the next step. */
  readonly message: string
  /** The status of the answer; absent without an answer. */
  readonly status?: number
  /** Include it in problem reports. */
  readonly request_id?: string
  readonly details?: ReadonlyArray<Detail>
  /** The facts of the code, such as `{ status, decided_by, decided_at }` of `approval_not_pending`. */
  readonly data?: Readonly<Record<string, unknown>>
  /** The wait that `Retry-After` gives, counted from the answer. */
  readonly retry_after_millis?: number
  readonly cause?: unknown
}

/** The base of all errors: `error instanceof ClientFailure` distinguishes them from other thrown values. */
export abstract class ClientFailure extends Data.Error<Facts> {
  abstract readonly _tag: string
  override get name(): string {
    return this._tag
  }
}

/** No complete answer arrived: `network_error`, or `timeout`. The hub may have acted or not. */
export class NetworkError extends ClientFailure {
  readonly _tag = "NetworkError" as const
}
/** 401 or 403: the credential is missing, revoked, of the wrong kind, or without the permission. */
export class AccessError extends ClientFailure {
  readonly _tag = "AccessError" as const
}
/** 409: `idempotency_conflict`, `approval_not_pending`, and similar codes. */
export class ConflictError extends ClientFailure {
  readonly _tag = "ConflictError" as const
}
/** 429, still after the last retry. */
export class RateLimitError extends ClientFailure {
  readonly _tag = "RateLimitError" as const
}
/** Any other status that is not 2xx. */
export class StatusError extends ClientFailure {
  readonly _tag = "StatusError" as const
}
/** A 2xx whose body is not JSON (`unreadable_answer`) or does not match the contract (`unexpected_answer`). */
export class AnswerError extends ClientFailure {
  readonly _tag = "AnswerError" as const
}
/** A mistake of the caller, found before sending. `details` lists every field with a problem. */
export class InputError extends ClientFailure {
  readonly _tag = "InputError" as const
}

export type ClientError =
  | NetworkError
  | AccessError
  | ConflictError
  | RateLimitError
  | StatusError
  | AnswerError
  | InputError

/**
 * Codes for answers without the error envelope, such as a gateway's HTML. Spec: reference/conventions.md "Error codes".
 */
const codes: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  410: "gone",
  413: "payload_too_large",
  415: "unsupported_media_type",
  429: "rate_limited",
  500: "internal_error",
  502: "upstream_error",
  503: "unavailable",
  504: "upstream_timeout"
}

const envelopeOf = (body: string): Partial<ErrorBody> => {
  try {
    return readErrorEnvelope(JSON.parse(body))
  } catch {
    return {}
  }
}

export interface Refusal {
  readonly status: number
  readonly body: string
  /** Header `x-request-id`. */
  readonly requestId: string | undefined
  readonly retryAfterMillis: number | undefined
}

/** The error for an answer that is not 2xx. */
export const refusalError = (refusal: Refusal): ClientError => {
  const { status } = refusal
  const envelope = envelopeOf(refusal.body)
  const request_id = envelope.request_id ?? refusal.requestId
  const facts: Facts = {
    code: codes[status] ?? `http_${status}`,
    message: `The hub, or something before it, answered ${status} and gave no reason.`,
    ...envelope,
    status,
    ...request_id === undefined ? {} : { request_id },
    ...refusal.retryAfterMillis === undefined ? {} : { retry_after_millis: refusal.retryAfterMillis }
  }
  if (status === 401 || status === 403) return new AccessError(facts)
  if (status === 409) return new ConflictError(facts)
  if (status === 429) return new RateLimitError(facts)
  return new StatusError(facts)
}

export const inputError = (path: string, message: string): InputError =>
  new InputError({
    code: "invalid_request",
    message: `The field "${path}" is not acceptable: ${message}`,
    details: [{ path, message }]
  })

/** Every field that a schema refused, with the hub's dotted paths. */
export const detailsOf = (error: Schema.SchemaError): ReadonlyArray<Detail> => problemsOf(error.issue)

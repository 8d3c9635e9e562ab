/**
 * Errors of the client. `blocked`, `approval_required`, and `failed` are outcomes, not errors. Spec:
 * reference/clients.md "Results and errors".
 */
import { readErrorEnvelope } from "@countersign/domain/error-envelope"

export interface ErrorDetail {
  readonly path: string
  readonly message: string
}

export interface ErrorFacts {
  /** The hub's code, an open set; the client's own code where the hub sent none. */
  readonly code: string
  /** The status of the answer; absent without an answer. */
  readonly status?: number
  /** The id of the call in the hub's log. */
  readonly request_id?: string
  readonly details?: ReadonlyArray<ErrorDetail>
  /** The facts of the code, such as `{ status, decided_by, decided_at }` of `approval_not_pending`. */
  readonly data?: Readonly<Record<string, unknown>>
  /** The wait that the hub requests. */
  readonly retry_after_seconds?: number
  readonly cause?: unknown
}

/** The base of all errors of the client. */
export class CountersignError extends Error implements ErrorFacts {
  override readonly name: string = "CountersignError"
  declare readonly code: string
  declare readonly status?: number
  declare readonly request_id?: string
  declare readonly details?: ReadonlyArray<ErrorDetail>
  declare readonly data?: Readonly<Record<string, unknown>>
  declare readonly retry_after_seconds?: number

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    if (facts.status !== undefined) this.status = facts.status
    if (facts.request_id !== undefined) this.request_id = facts.request_id
    if (facts.details !== undefined) this.details = facts.details
    if (facts.data !== undefined) this.data = facts.data
    if (facts.retry_after_seconds !== undefined) this.retry_after_seconds = facts.retry_after_seconds
  }
}

/** No complete answer arrived: `network_error`, or `timeout`. The hub may have acted or not. */
export class NetworkError extends CountersignError {
  override readonly name = "NetworkError"
}
/** 401 or 403: the credential is missing, revoked, of the wrong kind, or without the permission. */
export class AccessError extends CountersignError {
  override readonly name = "AccessError"
}
/** 409: `idempotency_conflict`, `approval_not_pending`, and similar codes. */
export class ConflictError extends CountersignError {
  override readonly name = "ConflictError"
}
/** 429, still after the last retry. */
export class RateLimitError extends CountersignError {
  override readonly name = "RateLimitError"
}
/** Any other status that is not 2xx. */
export class StatusError extends CountersignError {
  override readonly name = "StatusError"
}
/** A 2xx whose body is not JSON (`unreadable_answer`), or has an unexpected form (`unexpected_answer`). */
export class AnswerError extends CountersignError {
  override readonly name = "AnswerError"
}
/** An invalid argument, found before sending. */
export class InputError extends CountersignError {
  override readonly name = "InputError"
}
/** A webhook whose signature, time, or headers are not valid. */
export class SignatureError extends CountersignError {
  override readonly name = "SignatureError"
}
/** A chat turn that ended with the event `error`. */
export class TurnError extends CountersignError {
  override readonly name = "TurnError"
}

export const inputError = (path: string, message: string): InputError =>
  new InputError(`The argument "${path}" is not acceptable: ${message}`, {
    code: "invalid_request",
    details: [{ path, message }]
  })

/** Codes for answers without the error envelope, such as a gateway's HTML. */
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

const envelopeOf = (body: string): ReturnType<typeof readErrorEnvelope> => {
  try {
    return readErrorEnvelope(JSON.parse(body))
  } catch {
    return {}
  }
}

/** The error for an answer that is not 2xx. */
export const statusError = (
  status: number,
  body: string,
  requestId: string | undefined,
  retryAfterMillis: number | undefined
): CountersignError => {
  const { code, data, details, message, request_id = requestId } = envelopeOf(body)
  const facts: ErrorFacts = {
    code: code ?? codes[status] ?? `http_${status}`,
    status,
    ...request_id === undefined ? {} : { request_id },
    ...details === undefined ? {} : { details },
    ...data === undefined ? {} : { data },
    ...retryAfterMillis === undefined ? {} : { retry_after_seconds: retryAfterMillis / 1_000 }
  }
  const Kind = status === 401 || status === 403
    ? AccessError
    : status === 409
    ? ConflictError
    : status === 429
    ? RateLimitError
    : StatusError
  return new Kind(message ?? `The hub, or a gateway before it, answered ${status} without a reason.`, facts)
}

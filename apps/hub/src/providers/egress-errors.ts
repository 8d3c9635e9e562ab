/** The reason why an outbound call has no answer, and whether bytes of its request may have been sent. */
import { Schema } from "effect"

/** The last redirect before an error: the request's own URL was called, and answered with it. */
const Redirect = Schema.Struct({ to: Schema.String, status: Schema.Int })
export type Redirect = typeof Redirect.Type
const afterRedirect = { redirect: Schema.optionalKey(Redirect) }

/** The hub will not make this call. `message` is safe to show to anyone. */
export class EgressRefused extends Schema.TaggedError<EgressRefused>()("EgressRefused", {
  reason: Schema.String,
  ...afterRedirect
}) {
  override get message() {
    return this.reason
  }
}

/**
 * No full answer arrived. `sent: false`: no byte of the request was sent (no DNS, refused, TLS failed), so nothing was
 * done. `sent: true`: the outcome is unknown, whatever `status` the answer began with.
 */
export class UpstreamUnreachable extends Schema.TaggedError<UpstreamUnreachable>()("UpstreamUnreachable", {
  sent: Schema.Boolean,
  reason: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  ...afterRedirect
}) {
  override get message() {
    return this.reason
  }
}

/** As `UpstreamUnreachable`, after a timeout. */
export class UpstreamTimeout extends Schema.TaggedError<UpstreamTimeout>()("UpstreamTimeout", {
  sent: Schema.Boolean,
  timeout_ms: Schema.Int,
  status: Schema.optionalKey(Schema.Int),
  ...afterRedirect
}) {
  override get message() {
    return `no complete response within ${this.timeout_ms} ms`
  }
}

/** Only with `overflow: "fail"`. */
export class ResponseTooLarge extends Schema.TaggedError<ResponseTooLarge>()("ResponseTooLarge", {
  max_bytes: Schema.Int
}) {
  override get message() {
    return `the response is longer than ${this.max_bytes} bytes`
  }
}

export type EgressError = EgressRefused | UpstreamUnreachable | UpstreamTimeout | ResponseTooLarge

/** An error of the call that a redirect led to: nothing of that call was sent, but the request itself was answered. */
export const ofRedirect = (error: EgressError, redirect: Redirect | undefined): EgressError => {
  if (redirect === undefined || error._tag === "ResponseTooLarge") return error
  if (error._tag === "EgressRefused") return new EgressRefused({ reason: error.reason, redirect })
  if (error.sent) return error
  return error._tag === "UpstreamTimeout"
    ? new UpstreamTimeout({ sent: false, timeout_ms: error.timeout_ms, redirect })
    : new UpstreamUnreachable({ sent: false, reason: error.reason, redirect })
}

/** The text for a network error, by its code: a library's own message may quote a header or an address. */
export const reasonOf = (error: Error & { readonly code?: unknown }): string => {
  const inner = error instanceof AggregateError ? error.errors[0] : undefined
  const code = String(error.code ?? (inner as { readonly code?: unknown } | undefined)?.code ?? "")
  const words = reasons[code]
  if (words !== undefined) return words
  if (/CERT|SSL|TLS|SELF_SIGNED|ISSUER/.test(code)) return `no trusted TLS connection (${code})`
  if (error.name === "HTTPParserError" || code.startsWith("HPE_")) return "its response is not HTTP"
  return code === "" ? "the connection failed" : `the connection failed (${code})`
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed before a complete response",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ENOTFOUND: "the host name does not resolve",
  EAI_AGAIN: "the host name could not be resolved",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too long",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "its response is incomplete",
  UND_ERR_INVALID_ARG: "the request cannot be written as HTTP"
}

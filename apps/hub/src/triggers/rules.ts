/** Deliveries of webhooks. Pure. Spec: reference/triggers.md "Firing", "Replays", "Payload templates". */
import { type Detail, invalidRequest } from "@countersign/domain/errors"
import { isJsonObject, parseStrict } from "@countersign/domain/json"
import { deliveryIdMax, type TestTriggerInput } from "@countersign/domain/triggers"
import { renderTemplate } from "@countersign/domain/workflow-template"
import { Result } from "effect"
import {
  type SignatureVerdict,
  type SignedMessage,
  verifySignature,
  webhookToleranceSeconds
} from "../platform/signatures.ts"

type Headers = SignedMessage["headers"]

/** Headers that a template does not see: credentials and signatures. */
const hiddenHeaders = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "webhook-signature",
  "x-svc-signature"
])

/** A lone `webhook-id` beside `X-Svc-Signature` is a delivery id, and no part of a Standard Webhooks signature. */
const signatureHeaders = (headers: Headers): Headers =>
  headers["x-svc-signature"] !== undefined && headers["webhook-signature"] === undefined &&
    headers["webhook-timestamp"] === undefined
    ? { ...headers, "webhook-id": undefined }
    : headers

/** Whether one of the secrets signed the body, in time. `problem` is safe to show. */
export const verifyDelivery = (
  secrets: ReadonlyArray<string>,
  { body, headers, now }: SignedMessage,
  requireTimestamp: boolean
): SignatureVerdict => {
  const verdict = verifySignature(secrets, { headers: signatureHeaders(headers), body, now })
  if (!verdict.valid || verdict.scheme === "standard") return verdict
  if (requireTimestamp) {
    return { valid: false, problem: "this trigger accepts signatures of Standard Webhooks only" }
  }
  const timestamp = headers["x-svc-timestamp"]
  if (timestamp === undefined) return verdict
  if (!/^\d{1,12}$/u.test(timestamp)) return { valid: false, problem: "X-Svc-Timestamp is not a number of seconds" }
  return Math.abs(now / 1_000 - Number(timestamp)) <= webhookToleranceSeconds
    ? verdict
    : { valid: false, problem: "X-Svc-Timestamp is too far from the current time" }
}

/** The sender's id of a delivery; undefined without one. The failure is its problem. */
export const deliveryIdOf = (headers: Headers): Result.Result<string | undefined, Detail> => {
  const [path, id] = headers["webhook-id"] === undefined
    ? ["x-svc-delivery", headers["x-svc-delivery"]]
    : ["webhook-id", headers["webhook-id"]]
  if (id === undefined || id === "") return Result.succeed(undefined)
  return id.length <= deliveryIdMax && /^[\x20-\x7e]+$/u.test(id)
    ? Result.succeed(id)
    : Result.fail({ path, message: `Expected 1 to ${deliveryIdMax} printable ASCII characters.` })
}

/** How many runs have caused a call over HTTP: runs send it with their webhooks. */
export const runDepthOf = (headers: Headers): number => {
  const sent = headers["svc-run-depth"]
  return sent !== undefined && /^\d{1,4}$/u.test(sent) ? Number(sent) : 0
}

export interface Delivery {
  /** The sender's id, or the hub's own without one. */
  readonly id: string
  readonly receivedAt: Date
  readonly headers: Headers
  readonly query: Readonly<Record<string, string>>
  /** The JSON of the body; undefined when it is empty. */
  readonly body: unknown
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The JSON of a body. The failure is a sentence. */
export const readBody = (bytes: Uint8Array): Result.Result<unknown, string> => {
  if (bytes.byteLength === 0) return Result.succeed(undefined)
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return Result.fail("The body is not valid UTF-8.")
  }
  const parsed = parseStrict(text)
  return parsed.ok ? Result.succeed(parsed.value) : Result.fail(`The body is not valid JSON: ${parsed.message}`)
}

/** The payload of a template; 400 with each reference that has no value. */
export const renderPayload = (template: unknown, { body, headers, id, query, receivedAt }: Delivery) => {
  const rendered = renderTemplate(template, {
    ...(body === undefined ? {} : { body }),
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name, value]) => value !== undefined && !hiddenHeaders.has(name))
    ),
    query,
    delivery: { id, received_at: receivedAt.toISOString() }
  }, "payload_template")
  if (Result.isFailure(rendered)) {
    const [first] = rendered.failure
    return Result.fail(
      invalidRequest(`The payload template cannot be filled in. ${first?.message ?? ""}`, rendered.failure)
    )
  }
  return isJsonObject(rendered.success.value)
    ? Result.succeed(rendered.success.value)
    : Result.fail(invalidRequest("The payload template does not result in an object."))
}

/** The delivery of a test. */
export const testDelivery = ({ body, headers, query }: TestTriggerInput, receivedAt: Date): Delivery => ({
  id: "test",
  receivedAt,
  headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  query: query ?? {},
  body
})

/** The first value of each query parameter. */
export const queryOf = (url: string): Readonly<Record<string, string>> => {
  const at = url.indexOf("?")
  if (at < 0) return {}
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    if (!values.has(name)) values.set(name, value)
  }
  return Object.fromEntries(values)
}

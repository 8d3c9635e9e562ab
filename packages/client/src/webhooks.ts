/** Verifies signed webhooks (Standard Webhooks), without a client. Spec: reference/clients.md "Webhooks". */
import { SignatureError } from "./errors.ts"

/** A timestamp may differ from the clock by this much. */
export const toleranceSecondsDefault = 300

export interface VerifyOptions {
  readonly toleranceSeconds?: number
  /** The time of the check; default: now. */
  readonly now?: Date
}

type HeaderValues = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const headerOf = (headers: HeaderValues, name: string): string => {
  const value = headers instanceof Headers
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const text = Array.isArray(value) ? value[0] : value
  if (typeof text === "string" && text !== "") return text
  throw new SignatureError(`The header ${name} is missing.`, { code: "missing_header" })
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

/**
 * Returns the event of a delivery whose signature is valid. `body` is the body as it arrived, before any parser; `secret`
 * is the endpoint's `whsec_…`. Throws `SignatureError` otherwise.
 */
export const verifyWebhook = async <Event = unknown>(
  body: string | Uint8Array,
  headers: HeaderValues,
  secret: string,
  options: VerifyOptions = {}
): Promise<Event> => {
  const { now = new Date(), toleranceSeconds = toleranceSecondsDefault } = options
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  const signatures = headerOf(headers, "webhook-signature")
  if (!/^\d{1,12}$/u.test(timestamp) || Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new SignatureError("The delivery is too old, or its time is in the future.", { code: "expired_timestamp" })
  }
  const raw = fromBase64(secret.replace(/^whsec_/u, ""))
  if (raw === undefined || raw.length === 0) {
    throw new SignatureError("The secret is not base64.", { code: "invalid_secret" })
  }
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
  const text = typeof body === "string" ? new TextEncoder().encode(body) : body
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + text.length)
  signed.set(head)
  signed.set(text, head.length)
  let isValid = false
  // All are tried, because a secret that was rotated signs twice; `verify` compares in constant time.
  for (const each of signatures.split(" ")) {
    const [version, value = ""] = each.split(",", 2)
    const signature = version === "v1" ? fromBase64(value) : undefined
    if (signature !== undefined && await crypto.subtle.verify("HMAC", key, signature, signed)) isValid = true
  }
  if (!isValid) throw new SignatureError("No signature is valid for this body.", { code: "invalid_signature" })
  try {
    return JSON.parse(new TextDecoder().decode(text)) as Event
  } catch {
    throw new SignatureError("The body is signed and not JSON.", { code: "unreadable_body" })
  }
}

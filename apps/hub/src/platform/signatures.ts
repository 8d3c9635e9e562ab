/**
 * Signatures over raw bytes of hooks: Standard Webhooks (standardwebhooks.com, `webhook-id`, `webhook-timestamp`,
 * `webhook-signature`) and `X-Svc-Signature: sha256=<hex>`. Both are HMAC-SHA256. Comparison takes constant time.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/** The largest difference between a `webhook-timestamp` and now, in seconds, in both directions. */
export const webhookToleranceSeconds = 300
/** The most signatures of one header, and keys of one secret, that are checked. */
const signaturesMax = 16
const secretPrefix = "whsec_"
const secretBytes = 32

/** A new secret in the format of Standard Webhooks libraries. */
export const newWebhookSecret = (): string => `${secretPrefix}${randomBytes(secretBytes).toString("base64")}`

/** The key bytes of a secret: base64 after `whsec_`; any other secret is its own text. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(secretPrefix) ? Buffer.from(secret.slice(secretPrefix.length), "base64") : Buffer.from(secret)

/**
 * The possible keys of a secret: its text; the base64 after `whsec_`; and base64 without a prefix, as the Standard
 * Webhooks libraries read it.
 */
const keysOf = (secret: string): ReadonlyArray<Buffer> => {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret
  const decoded = Buffer.from(text, "base64")
  return decoded.length >= 16 && decoded.toString("base64") === text
    ? [Buffer.from(secret), decoded]
    : [Buffer.from(secret)]
}

const mac = (key: Buffer, ...parts: ReadonlyArray<string | Uint8Array>): Buffer => {
  const hmac = createHmac("sha256", key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

const same = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

export interface StandardSignature {
  readonly "webhook-id": string
  readonly "webhook-timestamp": string
  readonly "webhook-signature": string
}

/** The three headers of a Standard Webhooks delivery. `at` is in milliseconds since 1970; an id contains no dot. */
export const signStandard = (
  secret: string,
  message: { readonly id: string; readonly at: number; readonly body: Uint8Array | string }
): StandardSignature => {
  const timestamp = String(Math.floor(message.at / 1000))
  const signature = mac(keyOf(secret), `${message.id}.${timestamp}.`, message.body).toString("base64")
  return { "webhook-id": message.id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` }
}

/** The value of `X-Svc-Signature`; the key is the secret's text. */
export const signSvc = (secret: string, body: Uint8Array | string): string =>
  `sha256=${mac(Buffer.from(secret), body).toString("hex")}`

export type SignatureVerdict =
  | { readonly valid: true; readonly scheme: "standard"; readonly id: string }
  | { readonly valid: true; readonly scheme: "svc" }
  | { readonly valid: false; readonly problem: string }

const refuse = (problem: string): SignatureVerdict => ({ valid: false, problem })

export interface SignedMessage {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes as received. */
  readonly body: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Whether a message carries a signature of either form, valid or not. */
export const isSigned = (headers: SignedMessage["headers"]): boolean =>
  headers["webhook-signature"] !== undefined || headers["webhook-id"] !== undefined ||
  headers["webhook-timestamp"] !== undefined ||
  headers["x-svc-signature"] !== undefined

/**
 * Whether one of the secrets signed these bytes. With any `webhook-*` header only Standard Webhooks counts, so no
 * sender bypasses the timestamp check by adding the other header. `problem` is safe to show.
 */
export const verifySignature = (secrets: ReadonlyArray<string>, message: SignedMessage): SignatureVerdict => {
  const { body, headers, now } = message
  const usable = secrets.filter((secret) => secret !== "").flatMap(keysOf)
  if (usable.length === 0) return refuse("no secret is set for this hook")
  const id = headers["webhook-id"]
  const timestamp = headers["webhook-timestamp"]
  const signatures = headers["webhook-signature"]
  if (id !== undefined || timestamp !== undefined || signatures !== undefined) {
    if (!id || !timestamp || !signatures) {
      return refuse("webhook-id, webhook-timestamp, and webhook-signature must be sent together")
    }
    if (id.length > 255) return refuse("webhook-id is too long")
    if (!/^\d{1,12}$/.test(timestamp)) return refuse("webhook-timestamp is not a number of seconds")
    if (Math.abs(now / 1000 - Number(timestamp)) > webhookToleranceSeconds) {
      return refuse("webhook-timestamp is too far from the current time")
    }
    const given = signatures.split(" ").slice(0, signaturesMax)
      .filter((signature) => signature.startsWith("v1,")).map((signature) => Buffer.from(signature.slice(3), "base64"))
    const made = usable.map((key) => mac(key, `${id}.${timestamp}.`, body))
    return given.some((signature) => made.some((expected) => same(signature, expected)))
      ? { valid: true, scheme: "standard", id }
      : refuse("the signature does not match")
  }
  const svc = headers["x-svc-signature"]
  if (svc === undefined) return refuse("the message is not signed")
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(svc)?.[1]
  if (hex === undefined) return refuse("X-Svc-Signature is not sha256=<hex>")
  const given = Buffer.from(hex, "hex")
  return usable.some((key) => same(given, mac(key, body)))
    ? { valid: true, scheme: "svc" }
    : refuse("the signature does not match")
}

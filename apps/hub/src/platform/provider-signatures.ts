/** Signatures of inbound calls over their raw bytes, as each provider makes them. Pure; comparisons take constant time. */
import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from "node:crypto"
import { webhookToleranceSeconds } from "./signatures.ts"

/** Why the time of a call is refused; `now` in milliseconds. */
export const timestampProblem = (text: string | undefined, now: number): string | undefined => {
  if (text === undefined || !/^\d{1,12}$/.test(text)) return "the timestamp is not a number of seconds"
  return Math.abs(now / 1_000 - Number(text)) > webhookToleranceSeconds
    ? "the timestamp is too far from the current time"
    : undefined
}

const noMatch = "the signature does not match"

/** `v0=<hex>` of HMAC-SHA256 over `v0:timestamp:body`. https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const slackSignatureProblem = (
  secret: string,
  timestamp: string | undefined,
  signature: string | undefined,
  body: Uint8Array,
  now: number
): string | undefined => {
  const late = timestampProblem(timestamp, now)
  if (late !== undefined) return late
  const hex = /^v0=([0-9a-f]{64})$/i.exec(signature ?? "")?.[1]
  if (hex === undefined) return "the signature is not v0=<hex>"
  const expected = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest()
  return timingSafeEqual(Buffer.from(hex, "hex"), expected) ? undefined : noMatch
}

const spkiPrefix = Buffer.from("302a300506032b6570032100", "hex")

/** An Ed25519 public key of 32 bytes. */
export const ed25519Key = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: "der", type: "spki" })

const ed25519Problem = (
  key: KeyObject,
  message: Uint8Array,
  signature: Buffer,
  timestamp: string | undefined,
  now: number
): string | undefined => {
  if (signature.length !== 64) return "the signature is not one of Ed25519"
  return timestampProblem(timestamp, now) ?? (verify(null, message, key, signature) ? undefined : noMatch)
}

/** Hex over `timestamp` and the body. https://discord.com/developers/docs/interactions/overview */
export const discordSignatureProblem = (
  key: KeyObject,
  timestamp: string | undefined,
  signature: string | undefined,
  body: Uint8Array,
  now: number
): string | undefined =>
  ed25519Problem(
    key,
    Buffer.concat([Buffer.from(timestamp ?? ""), body]),
    /^[0-9a-f]{128}$/i.test(signature ?? "") ? Buffer.from(signature ?? "", "hex") : Buffer.alloc(0),
    timestamp,
    now
  )

/** Base64 over `timestamp|body`. https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks */
export const telnyxSignatureProblem = (
  key: KeyObject,
  timestamp: string | undefined,
  signature: string | undefined,
  body: Uint8Array,
  now: number
): string | undefined =>
  ed25519Problem(
    key,
    Buffer.concat([Buffer.from(`${timestamp ?? ""}|`), body]),
    Buffer.from(signature ?? "", "base64"),
    timestamp,
    now
  )

/**
 * Base64 of HMAC-SHA1 over the public address and the sorted fields; it has no timestamp.
 * https://www.twilio.com/docs/usage/security#validating-requests
 */
export const twilioSignatureProblem = (
  token: string,
  url: string,
  signature: string | undefined,
  fields: ReadonlyArray<readonly [string, string]>
): string | undefined => {
  const sorted = [...fields].sort(([a, x], [b, y]) => a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0)
  const expected = createHmac("sha1", token).update(url + sorted.flat().join("")).digest()
  const given = Buffer.from(signature ?? "", "base64")
  return given.length === expected.length && timingSafeEqual(given, expected) ? undefined : noMatch
}

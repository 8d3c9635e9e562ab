/** Stripe's signature over the raw body of an event: `t=<seconds>,v1=<hex>[,v1=<hex>…]`. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { webhookToleranceSeconds } from "../platform/signatures.ts"

/** Stripe signs with a few secrets at most while one is rotated. */
const signaturesMax = 16

/** Why a message is refused; undefined when one of its signatures is by the secret and fresh. `now` in milliseconds. */
export const stripeSignatureProblem = (
  secret: string,
  header: string | undefined,
  body: Uint8Array,
  now: number
): string | undefined => {
  if (header === undefined || header === "") return "the message is not signed"
  const parts = header.split(",").slice(0, signaturesMax).map((part) => part.trim().split("="))
  const timestamp = parts.find(([name]) => name === "t")?.[1] ?? ""
  if (!/^\d{1,12}$/.test(timestamp)) return "the signature has no timestamp"
  if (Math.abs(now / 1_000 - Number(timestamp)) > webhookToleranceSeconds) {
    return "the signature is too far from the current time"
  }
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest()
  const given = parts.flatMap(([name, value = ""]) =>
    name === "v1" && /^[0-9a-f]{64}$/i.test(value) ? [Buffer.from(value, "hex")] : []
  )
  return given.some((each) => timingSafeEqual(each, expected)) ? undefined : "the signature does not match"
}

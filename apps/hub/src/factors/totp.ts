/**
 * Codes of authenticator apps (RFC 6238): SHA-1, six digits, steps of 30 seconds, as every app supports. Pure, except for
 * the random secret. Spec: reference/sign-in.md "Authenticator apps".
 */
import { HOTP, Secret, TOTP } from "otpauth"

export const stepSeconds = 30
/** Steps before and after the present one whose code is accepted, because clocks of phones differ. */
const stepsAround = 1
const secretBytes = 20
const issuer = "Countersign"

const algorithm = "SHA1"
const digits = 6

/** In base32. */
export const newSecret = (): string => new Secret({ size: secretBytes }).base32

export const otpauthUrl = (secret: string, account: string): string =>
  new TOTP({ issuer, label: account, algorithm, digits, period: stepSeconds, secret: Secret.fromBase32(secret) })
    .toString()

/** The time step that a code belongs to; undefined for a wrong code. Spaces in the code do not matter. */
export const stepOf = (secret: string, typed: string, epochSeconds: number): number | undefined => {
  const token = typed.replace(/\s/gu, "")
  if (!/^\d{6}$/u.test(token)) return undefined
  const now = Math.floor(epochSeconds / stepSeconds)
  const delta = HOTP.validate({
    token,
    secret: Secret.fromBase32(secret),
    algorithm,
    digits,
    counter: now,
    window: stepsAround
  })
  return delta === null ? undefined : now + delta
}

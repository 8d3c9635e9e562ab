/** Recovery codes: 80 random bits each, so a fast digest is as secure as a slow one. Spec: reference/sign-in.md "Recovery codes". */
import { recoveryCodesCount } from "@countersign/domain/factors"
import { randomBytes } from "node:crypto"
import { credentialHash } from "../auth/hash.ts"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const length = 16
const group = 4

const newCode = (): string => {
  const letters = Array.from(randomBytes(length), (byte) => alphabet[byte & 31])
  return Array.from({ length: length / group }, (_, at) => letters.slice(at * group, (at + 1) * group).join(""))
    .join("-")
}

export const newRecoveryCodes = (): ReadonlyArray<string> => Array.from({ length: recoveryCodesCount }, newCode)

/** Of a code as typed: in any case, with or without hyphens and spaces, O for 0, I and L for 1. */
export const recoveryCodeHash = (typed: string): Uint8Array =>
  credentialHash(
    `recovery code ${typed.toLowerCase().replace(/[-\s]/gu, "").replace(/o/gu, "0").replace(/[il]/gu, "1")}`
  )

/** Codes that link an account. Pure. Spec: reference/notice-channels.md "Linked accounts". */
import { randomBytes } from "node:crypto"

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const codeLength = 8

/** Forty random bits, as people type them. */
export const newLinkCode = (): string => {
  const code = Array.from(randomBytes(codeLength), (byte) => alphabet[byte & 31]).join("")
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** A typed code: lower case, a missing hyphen, O for 0, I and L for 1. Undefined for any other text. */
export const linkCodeOf = (typed: string): string | undefined => {
  const code = typed.toUpperCase().replace(/[-\s]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1")
  return code.length === codeLength && [...code].every((letter) => alphabet.includes(letter))
    ? `${code.slice(0, 4)}-${code.slice(4)}`
    : undefined
}

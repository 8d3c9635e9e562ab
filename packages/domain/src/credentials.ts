/**
 * The form of bearer credentials: a prefix for the kind, 32 random bytes in base62 at a fixed width, and a CRC-32 of
 * all before it. With the check, a mistyped key is refused without a lookup, and secret scanners match the form. Spec:
 * reference/conventions.md "Credentials".
 */

export const credentialKinds = [
  "agent_key_live",
  "agent_key_test",
  "svc_pat_live",
  "svc_device_live",
  "svc_oauth_live",
  "svc_refresh_live"
] as const
export type CredentialKind = typeof credentialKinds[number]

const secretBytes = 32
/** The fewest base62 characters that hold 32 bytes. */
const secretLength = 43
const checkLength = 6
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Present in every supported runtime: Node, browsers, Electron. */
declare const crypto: { getRandomValues(array: Uint8Array): Uint8Array }

const toBase62 = (value: bigint, length: number): string => {
  let rest = value
  let text = ""
  for (let at = 0; at < length; at++) {
    text = alphabet[Number(rest % 62n)]! + text
    rest /= 62n
  }
  return text
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? value >>> 1 ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 (IEEE 802.3) of ASCII text. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) crc = crcTable[(crc ^ text.charCodeAt(at)) & 0xff]! ^ crc >>> 8
  return (crc ^ 0xffffffff) >>> 0
}

const checkOf = (text: string): string => toBase62(BigInt(crc32(text)), checkLength)

export interface MintedCredential {
  /** The whole credential: shown once, stored only as its SHA-256. */
  readonly token: string
  /** The part that may always be shown: the prefix and the last four characters. */
  readonly hint: string
}

export const mintCredential = (kind: CredentialKind): MintedCredential => {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes))
  let value = 0n
  for (const byte of bytes) value = value << 8n | BigInt(byte)
  const unchecked = `${kind}_${toBase62(value, secretLength)}`
  const token = unchecked + checkOf(unchecked)
  return { token, hint: `${kind}_…${token.slice(-4)}` }
}

export type ParsedCredential =
  | { readonly ok: true; readonly kind: CredentialKind }
  /**
   * `mistyped`: the form matches, and a character is wrong, missing, or extra; `unknown`: not a credential of this hub.
   */
  | { readonly ok: false; readonly reason: "unknown" | "mistyped" }

const bodyPattern = /^[0-9A-Za-z]{49}$/u

export const parseCredential = (token: string): ParsedCredential => {
  const kind = credentialKinds.find((kind) => token.startsWith(`${kind}_`))
  if (kind === undefined) return { ok: false, reason: "unknown" }
  const whole = bodyPattern.test(token.slice(kind.length + 1)) &&
    token.slice(-checkLength) === checkOf(token.slice(0, -checkLength))
  return whole ? { ok: true, kind } : { ok: false, reason: "mistyped" }
}

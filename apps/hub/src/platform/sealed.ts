/**
 * Values sealed with the master key: AES-256-GCM, a random nonce each, bound to their place. Format: one byte of
 * version, twelve of nonce, the ciphertext, sixteen of tag.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const version = 1
const nonceBytes = 12
const tagBytes = 16

/** `aad`: the parts of the place, such as workspace and name; a sealed value moved elsewhere does not open. */
export const seal = (key: Uint8Array, plaintext: string, aad: ReadonlyArray<string>): Uint8Array => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(place(aad))
  return Buffer.concat([
    Buffer.from([version]),
    nonce,
    cipher.update(plaintext, "utf8"),
    cipher.final(),
    cipher.getAuthTag()
  ])
}

/** @throws SealBroken when the value was sealed with another key, for another place, or was changed. */
export const open = (key: Uint8Array, sealed: Uint8Array, aad: ReadonlyArray<string>): string => {
  if (sealed.length < 1 + nonceBytes + tagBytes || sealed[0] !== version) throw new SealBroken()
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(place(aad))
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
  try {
    const opened = decipher.update(sealed.subarray(1 + nonceBytes, sealed.length - tagBytes))
    return Buffer.concat([opened, decipher.final()]).toString("utf8")
  } catch {
    throw new SealBroken()
  }
}

/** Contains no part of the key or the value. */
export class SealBroken extends Error {
  constructor() {
    super("a sealed value cannot be opened: it was sealed with another master key, or changed")
  }
}

/** As JSON, so that different lists of parts have different texts. */
const place = (parts: ReadonlyArray<string>): Buffer => Buffer.from(JSON.stringify(["countersign", version, ...parts]))

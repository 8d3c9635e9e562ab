/** Stores only the SHA-256 of credentials. They are random, so a fast digest is as secure as a slow one. */
import { hash, randomBytes } from "node:crypto"

/** The digest as the tables store it. */
export const credentialHash = (token: string): Uint8Array => new Uint8Array(hash("sha256", token, "buffer"))

/** The digest as a key of maps in memory. */
export const credentialKey = (token: string): string => hash("sha256", token, "base64")

/** The value of a cookie or a setup link: 32 random bytes without a prefix or checksum. */
export const opaqueToken = (): string => randomBytes(32).toString("base64url")

const opaquePattern = /^[A-Za-z0-9_-]{43}$/

/** Checks the form without a look-up. */
export const isOpaqueToken = (text: string): boolean => opaquePattern.test(text)

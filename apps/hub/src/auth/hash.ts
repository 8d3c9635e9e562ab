/** Credentials at rest: their SHA-256 only. They are random, so that a plain digest is as good as a slow one. */
import { hash, randomBytes } from "node:crypto"

/** The digest as the tables hold it. */
export const credentialHash = (token: string): Uint8Array => new Uint8Array(hash("sha256", token, "buffer"))

/** The digest as a key of maps in memory. */
export const credentialKey = (token: string): string => hash("sha256", token, "base64")

/** What a cookie or a setup link carries: 32 random bytes, without form. */
export const opaqueToken = (): string => randomBytes(32).toString("base64url")

const opaquePattern = /^[A-Za-z0-9_-]{43}$/

/** Told without a look-up. */
export const isOpaqueToken = (text: string): boolean => opaquePattern.test(text)

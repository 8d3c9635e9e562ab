/**
 * The signature of an update: Ed25519 over its version and the SHA-512 of each of its files, stored in the feed's file
 * as `signature`. Control of the feed's server is not enough to create one. The public key is in the package. Spec:
 * reference/desktop.md "E15: updates".
 */
import { createPublicKey, type KeyObject, sign, verify } from "node:crypto"

export interface SignedUpdate {
  readonly version: string
  readonly files: ReadonlyArray<{ readonly url: string; readonly sha512?: string | undefined }>
}

/** One value per line; a name or hash with a line break is rejected. Throws on an update that cannot be signed. */
const signedBytes = ({ files, version }: SignedUpdate): Buffer => {
  const lines = ["countersign-update", version]
  for (const { sha512, url } of files) {
    if (typeof sha512 !== "string" || sha512 === "") throw new Error(`the feed names no SHA-512 of ${url}`)
    lines.push(url, sha512)
  }
  if (lines.some((line) => /[\r\n]/u.test(line))) throw new Error("the feed's names have line breaks")
  return Buffer.from(`${lines.join("\n")}\n`, "utf8")
}

/** Throws when the text is not a public key, or is a key of another kind. */
export const readUpdateKey = (pem: string): KeyObject => {
  if (/PRIVATE KEY/u.test(pem)) throw new Error("the key of updates is the public half, never the private one")
  const key = createPublicKey(pem)
  if (key.asymmetricKeyType !== "ed25519") {
    throw new Error(`the key of updates is an Ed25519 key, this is ${String(key.asymmetricKeyType)}`)
  }
  return key
}

export const signUpdate = (update: SignedUpdate, privateKey: KeyObject): string =>
  sign(null, signedBytes(update), privateKey).toString("base64")

/** Throws with the reason when this key did not sign exactly this update. */
export const checkSignature = (update: SignedUpdate, signature: unknown, key: KeyObject): void => {
  if (typeof signature !== "string") throw new Error(`the feed's ${update.version} is not signed`)
  if (verify(null, signedBytes(update), key, Buffer.from(signature, "base64"))) return
  throw new Error(`the feed's ${update.version} is not signed with this app's key`)
}

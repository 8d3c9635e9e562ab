/**
 * The device's own Ed25519 key: made at pairing, its private half never leaves the folder. By its fingerprint a person sees that the
 * device shown in the console is this one. Spec: contract 8a "public_key".
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { misconfigured } from "./exits.ts"
import { files, readPrivate, type StateFolder, writePrivate } from "./state.ts"

export interface KeyPair {
  /** 32 bytes in base64url, as the hub takes it. */
  readonly publicKey: string
  /** SHA-256 of those bytes in hex, in pairs, as the console shows it. */
  readonly fingerprint: string
}

const described = (key: KeyObject): KeyPair => {
  const publicKey = key.export({ format: "jwk" }).x ?? ""
  return {
    publicKey,
    fingerprint:
      createHash("sha256").update(Buffer.from(publicKey, "base64url")).digest("hex").match(/../g)?.join(":") ?? ""
  }
}

/** In place of what an earlier try to pair left. */
export const makeKeyPair = (folder: StateFolder): KeyPair => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  writePrivate(folder.file(files.keyPair), privateKey.export({ format: "pem", type: "pkcs8" }) as string)
  return described(publicKey)
}

/** None: it was paired without one. */
export const readKeyPair = (folder: StateFolder): KeyPair | undefined => {
  const pem = readPrivate(folder.file(files.keyPair))
  if (pem === undefined) return undefined
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === "ed25519") return described(createPublicKey(key))
  } catch {
    // Said below.
  }
  throw misconfigured(`${folder.file(files.keyPair)} is damaged; unpair and pair again`)
}

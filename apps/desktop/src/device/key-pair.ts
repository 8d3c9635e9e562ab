/**
 * The device's Ed25519 key pair, made at pairing; the private key never leaves the folder. A person compares its
 * fingerprint with the console to identify this device. Spec: reference/devices.md "Pairing".
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { misconfigured } from "./exits.ts"
import { files, readPrivate, type StateFolder, writePrivate } from "./state.ts"

export interface KeyPair {
  /** 32 bytes in base64url, the hub's format. */
  readonly publicKey: string
  /** SHA-256 of those bytes in hex, in pairs, as in the console. */
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

/** Replaces the key pair of an earlier pairing attempt. */
export const makeKeyPair = (folder: StateFolder): KeyPair => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  writePrivate(folder.file(files.keyPair), privateKey.export({ format: "pem", type: "pkcs8" }) as string)
  return described(publicKey)
}

/** None for a device that was paired without a key pair. */
export const readKeyPair = (folder: StateFolder): KeyPair | undefined => {
  const pem = readPrivate(folder.file(files.keyPair))
  if (pem === undefined) return undefined
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === "ed25519") return described(createPublicKey(key))
  } catch {
    // The check below reports it.
  }
  throw misconfigured(`${folder.file(files.keyPair)} is damaged; unpair and pair again`)
}

/**
 * `node apps/desktop/scripts/sign-update.ts <private key> <latest….yml>`: adds the signature to the update feed that
 * electron-builder made. Create the key with `openssl genpkey -algorithm ed25519`, its public half with `openssl pkey
 * -pubout`.
 */
import { createPrivateKey } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { parseDocument } from "yaml"
import { type SignedUpdate, signUpdate } from "../src/main/updates/signature.ts"

try {
  const [keyFile, file] = process.argv.slice(2)
  if (keyFile === undefined || file === undefined) throw new Error("Usage: sign-update.ts <private key> <latest….yml>")
  const key = createPrivateKey(readFileSync(keyFile, "utf8"))
  if (key.asymmetricKeyType !== "ed25519") throw new Error(`${keyFile} is no Ed25519 key`)
  const document = parseDocument(readFileSync(file, "utf8"))
  const update = document.toJS() as Partial<SignedUpdate> | null
  if (typeof update?.version !== "string" || !Array.isArray(update.files)) {
    throw new Error(`${file} names no version or no files`)
  }
  document.set("signature", signUpdate(update as SignedUpdate, key))
  writeFileSync(file, document.toString())
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}

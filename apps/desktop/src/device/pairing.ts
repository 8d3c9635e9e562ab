/** `pair`: shows a code, waits until an operator confirms it, and keeps the key that only this process gets. Spec: contract 8a. */
import { randomUUID } from "node:crypto"
import { existsSync, realpathSync, statSync } from "node:fs"
import { hostname } from "node:os"
import { resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Exit, exitCodes, misconfigured } from "./exits.ts"
import { hubApi, parseHubUrl, whyUnreachable, wordsOf } from "./hub-api.ts"
import { makeKeyPair } from "./key-pair.ts"
import { files, readIdentity, type StateFolder, writeIdentity, writePrivate } from "./state.ts"
import { offered } from "./tools/registry.ts"
import { appVersion } from "./version.ts"

const waitSeconds = 30
const retryMillis = 2_000

export interface PairOptions {
  readonly hub: string | undefined
  readonly name: string | undefined
  readonly roots: ReadonlyArray<string>
  readonly say: (line: string) => void
  readonly signal?: AbortSignal
}

/** Directories that an owner opens, links resolved. */
export const resolveRoots = (roots: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(roots.map((root) => {
    const path = resolve(root)
    if (!existsSync(path) || !statSync(path).isDirectory()) throw misconfigured(`The root ${path} is no directory`)
    return realpathSync(path)
  }))]

const starterRules = { version: 1, ask_via: "none", rules: [{ effect: "allow", tool: "system.info", note: "All else is asked, and nobody is there to answer: that is a no" }] }

export const pair = async (folder: StateFolder, { hub, name = hostname(), roots, say, signal }: PairOptions): Promise<void> => {
  if (hub === undefined) throw misconfigured("Which hub? Give its address with --hub")
  const before = readIdentity(folder)
  if (before !== undefined) throw misconfigured(`This folder is paired with ${before.hub} as ${before.name}; unpair it first, or give another with --data-dir`)
  const opened = resolveRoots(roots)
  const api = hubApi(parseHubUrl(hub))
  const { fingerprint, publicKey } = makeKeyPair(folder)
  const started = await api.call("POST", "/devices/pair", {
    body: { name, platform: process.platform, arch: process.arch, app_version: appVersion, capabilities: offered, public_key: publicKey },
    ...(signal === undefined ? {} : { signal })
  }).catch((error: unknown) => { throw new Exit(exitCodes.retryable, `The hub at ${api.url} cannot be reached: ${whyUnreachable(error)}`) })
  if (started.status !== 201) throw new Exit(started.status === 429 || started.status >= 500 ? exitCodes.retryable : exitCodes.configuration, wordsOf(started))
  const { code, expires_at: expires, pairing_secret: secret } = started.body
  say(`Code: ${code}`)
  say(`Fingerprint: ${fingerprint}`)
  say(`An operator confirms it in the console under Devices, until ${expires}. Compare code and fingerprint before you say yes.`)
  for (;;) {
    signal?.throwIfAborted()
    const progress = await api.call("GET", `/devices/pair/current?wait=${waitSeconds}`, { bearer: secret, waitSeconds, ...(signal === undefined ? {} : { signal }) })
      .catch(() => undefined)
    if (progress === undefined || progress.status >= 500 || progress.status === 429) {
      await sleep(retryMillis, undefined, signal === undefined ? {} : { signal })
      continue
    }
    if (progress.status !== 200) throw new Exit(exitCodes.configuration, wordsOf(progress))
    if (progress.body.status === "rejected") throw new Exit(exitCodes.configuration, "An operator said no to this device.")
    if (progress.body.status !== "confirmed") continue
    // The key first: it is told once, and without it the rest is worth nothing.
    writePrivate(folder.file(files.key), `${progress.body.device_key}\n`)
    writeIdentity(folder, {
      hub: api.url, device_id: progress.body.device_id, name, instance_id: randomUUID(), roots: opened, paired_at: new Date().toISOString()
    })
    if (!existsSync(folder.file(files.rules))) writePrivate(folder.file(files.rules), `${JSON.stringify(starterRules, null, 2)}\n`)
    say(`Paired as ${name} (${progress.body.device_id}). Its rules: ${folder.file(files.rules)}`)
    return
  }
}

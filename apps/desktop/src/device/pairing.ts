/**
 * `pair`: shows a code, waits for an operator's confirmation, and stores the device key, which the hub sends only to
 * this process. Spec: reference/devices.md "Pairing".
 */
import { PairingProgress } from "@countersign/domain/devices"
import { Result, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { existsSync, realpathSync, statSync } from "node:fs"
import { hostname } from "node:os"
import { resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { appVersion } from "../version.ts"
import { trustAuthority } from "./authority.ts"
import { Exit, exitCodes, misconfigured } from "./exits.ts"
import { rootProblem } from "./files/root-checks.ts"
import { hubApi, parseHubUrl, whyUnreachable, wordsOf } from "./hub-api.ts"
import { makeKeyPair } from "./key-pair.ts"
import { files, type Identity, readIdentity, type StateFolder, writeIdentity, writePrivate } from "./state.ts"
import { offered } from "./tools/registry.ts"

const waitSeconds = 30
const retryMillis = 2_000

/** Values that a person compares with the console. */
export interface Pairing {
  readonly code: string
  readonly fingerprint: string
  /** Hub time. */
  readonly expires_at: string
}

export interface PairOptions {
  readonly hub: string | undefined
  readonly name: string | undefined
  readonly roots: ReadonlyArray<string>
  /** PEM of the hub's certificate authority, stored with the pairing. */
  readonly ca?: string
  /** The approval channel for commands without a rule; written when there is no rules file yet. */
  readonly askVia: "none" | "screen"
  readonly onPairing: (pairing: Pairing) => void
  /**
   * Stores the key instead of the folder's file. If it rejects, nothing is paired here, and the device on the hub has
   * no key.
   */
  readonly keep?: (pairing: { readonly device: string; readonly key: string }) => Promise<void>
  readonly signal?: AbortSignal
}

/**
 * Directories that the owner opens, links resolved. Throws an `Exit` for one that does not exist or belongs to the
 * system or another user.
 */
export const resolveRoots = (roots: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(roots.map((root) => {
    const path = resolve(root)
    if (!existsSync(path) || !statSync(path).isDirectory()) throw misconfigured(`The root ${path} is no directory`)
    const real = realpathSync(path)
    const problem = rootProblem(real)
    if (problem !== undefined) throw misconfigured(problem)
    return real
  }))
]

const starterNotes = {
  none: "All other commands require approval; without an approver they are denied",
  screen: "All other commands require approval on this screen"
} as const

const starterRules = (askVia: keyof typeof starterNotes) => ({
  version: 1,
  ask_via: askVia,
  rules: [{ effect: "allow", tool: "system.info", note: starterNotes[askVia] }]
})

/** Plain characters only: values from the hub are printed on a terminal, stored, and sent back in URLs and headers. */
const Word = (maximum: number) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^[\\x21-\\x7e]{1,${maximum}}$`, "u")))
const decodeStarted = Schema.decodeUnknownResult(
  Schema.Struct({ code: Word(32), pairing_secret: Word(512), expires_at: Word(64) })
)
const decodeProgress = Schema.decodeUnknownResult(Schema.Struct({
  ...PairingProgress.fields,
  device_key: Schema.optionalKey(Word(512))
}))

const notUnderstood = () =>
  new Exit(
    exitCodes.configuration,
    "The hub's answer does not fit this version of the agent. Is this the address of a hub?"
  )

const understood = <A>(decode: (body: unknown) => Result.Result<A, unknown>, body: unknown): A => {
  const decoded = decode(body)
  if (Result.isFailure(decoded)) throw notUnderstood()
  return decoded.success
}

/**
 * Settles when an operator has approved and everything is stored. Throws an `Exit` for a rejection, an expired code,
 * and permanent failures.
 */
export const pair = async (
  folder: StateFolder,
  { askVia, ca, hub, keep, name = hostname(), onPairing, roots, signal }: PairOptions
): Promise<Identity> => {
  if (hub === undefined) throw misconfigured("Which hub? Give its address with --hub")
  const before = readIdentity(folder)
  if (before !== undefined) {
    throw misconfigured(
      `This folder is paired with ${before.hub} as ${before.name}; unpair it first, or give another with --data-dir`
    )
  }
  const opened = resolveRoots(roots)
  trustAuthority(ca)
  const api = hubApi(parseHubUrl(hub))
  const { fingerprint, publicKey } = makeKeyPair(folder)
  const started = await api.call("POST", "/devices/pair", {
    body: {
      name,
      platform: process.platform,
      arch: process.arch,
      app_version: appVersion,
      capabilities: offered,
      public_key: publicKey
    },
    ...(signal === undefined ? {} : { signal })
  }).catch((error: unknown) => {
    throw new Exit(exitCodes.retryable, `The hub at ${api.url} cannot be reached: ${whyUnreachable(error)}`)
  })
  if (started.status !== 201) {
    throw new Exit(
      started.status === 429 || started.status >= 500 ? exitCodes.retryable : exitCodes.configuration,
      wordsOf(started)
    )
  }
  const { code, expires_at: expires, pairing_secret: secret } = understood(decodeStarted, started.body)
  onPairing({ code, fingerprint, expires_at: expires })
  for (;;) {
    signal?.throwIfAborted()
    const progress = await api.call("GET", `/devices/pair/current?wait=${waitSeconds}`, {
      bearer: secret,
      waitSeconds,
      ...(signal === undefined ? {} : { signal })
    })
      .catch(() => undefined)
    if (progress === undefined || progress.status >= 500 || progress.status === 429) {
      await sleep(retryMillis, undefined, signal === undefined ? {} : { signal })
      continue
    }
    if (progress.status !== 200) throw new Exit(exitCodes.configuration, wordsOf(progress))
    const { device_id, device_key, status } = understood(decodeProgress, progress.body)
    if (status === "rejected") throw new Exit(exitCodes.configuration, "An operator rejected this device.")
    if (status === "waiting") continue
    if (device_id === undefined || device_key === undefined) throw notUnderstood()
    // Store the key first: the hub sends it once, and the pairing is useless without it.
    if (keep === undefined) writePrivate(folder.file(files.key), `${device_key}\n`)
    else await keep({ device: device_id, key: device_key })
    const identity: Identity = {
      hub: api.url,
      device_id,
      name,
      instance_id: randomUUID(),
      roots: opened,
      paired_at: new Date().toISOString(),
      ...(ca === undefined ? {} : { ca })
    }
    writeIdentity(folder, identity)
    if (!existsSync(folder.file(files.rules))) {
      writePrivate(folder.file(files.rules), `${JSON.stringify(starterRules(askVia), null, 2)}\n`)
    }
    return identity
  }
}

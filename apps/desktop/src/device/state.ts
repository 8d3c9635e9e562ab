/**
 * The agent's folder: who this device is, its key, its rules, its journal and log. The folder is 0700, its files 0600; a key that others
 * can read is refused, never mended in silence. Spec: desktop 4.3 "key".
 */
import { DeviceId } from "@countersign/domain/ids"
import { Result, Schema } from "effect"
import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync
} from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { misconfigured } from "./exits.ts"

const Identity = Schema.Struct({
  hub: Schema.String,
  device_id: DeviceId,
  name: Schema.String,
  /** Of this installation: a copied folder on another machine says the same, and is found out by its boot. */
  instance_id: Schema.String,
  roots: Schema.Array(Schema.String),
  /** PEM of the authority that vouches for the hub, where the computer's own do not. */
  ca: Schema.optionalKey(Schema.String),
  paired_at: Schema.String
})
export type Identity = typeof Identity.Type

const decodeIdentity = Schema.decodeUnknownResult(Schema.fromJsonString(Identity))

export interface StateFolder {
  readonly path: string
  readonly file: (name: string) => string
}

export const files = {
  identity: "device.json",
  key: "device.key",
  keyPair: "device.ed25519",
  rules: "device.rules.json",
  journal: "journal.sqlite",
  log: "device.log",
  transcripts: "output",
  health: "health.json",
  superseded: "superseded.json",
  copies: "scripts"
} as const

const isWindows = process.platform === "win32"

const defaultFolder = (): string =>
  process.env["COUNTERSIGN_DEVICE_DIR"] ??
    join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "countersign-device")

const ownerId = (): number => process.getuid?.() ?? -1

/** Made when it is missing. One that others can enter is refused. */
export const openStateFolder = (given: string | undefined): StateFolder => {
  const path = resolve(given ?? defaultFolder())
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory()) throw misconfigured(`${path} is no folder; give another with --data-dir`)
  if (!isWindows) {
    if (found.uid !== ownerId()) {
      throw misconfigured(`${path} belongs to another user; give another folder with --data-dir`)
    }
    if ((found.mode & 0o077) !== 0) {
      throw misconfigured(`${path} is open to others (mode ${modeOf(found.mode)}); close it: chmod 700 ${path}`)
    }
  }
  return { path, file: (name) => join(path, name) }
}

const modeOf = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0")

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT"

/**
 * The text of a file of mode 0600 and ours; none when there is none. Looked at and read through one descriptor: it cannot be swapped
 * between. `open` are bits of the mode that are looked over.
 */
export const readPrivate = (path: string, open = 0): string | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch (error) {
    if (isMissing(error)) return undefined
    throw misconfigured(`${path} cannot be read: ${(error as Error).message}`)
  }
  try {
    const found = fstatSync(descriptor)
    if (!found.isFile()) throw misconfigured(`${path} is no file`)
    if (!isWindows) {
      if (found.uid !== ownerId() && found.uid !== 0) throw misconfigured(`${path} belongs to another user`)
      if ((found.mode & 0o077 & ~open) !== 0) {
        throw misconfigured(`${path} can be read by others (mode ${modeOf(found.mode)}); close it: chmod 600 ${path}`)
      }
    }
    return readFileSync(descriptor, "utf8")
  } finally {
    closeSync(descriptor)
  }
}

/** Whole or not at all, and on the disk when it returns. */
export const writePrivate = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}.new`
  const descriptor = openSync(draft, "w", 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, path)
}

export const readIdentity = (folder: StateFolder): Identity | undefined => {
  const text = readPrivate(folder.file(files.identity))
  if (text === undefined) return undefined
  const decoded = decodeIdentity(text)
  if (Result.isFailure(decoded)) throw misconfigured(`${folder.file(files.identity)} is damaged; unpair and pair again`)
  return decoded.success
}

export const writeIdentity = (folder: StateFolder, identity: Identity): void =>
  writePrivate(folder.file(files.identity), `${JSON.stringify(identity, null, 2)}\n`)

/** Where the key came from is for the log. systemd's `LoadCredential=device.key:…` comes before the file of the folder. */
export const readKey = (folder: StateFolder): { readonly key: string; readonly from: string } | undefined => {
  const credentials = process.env["CREDENTIALS_DIRECTORY"]
  // systemd lets the service's user read by an access list, whose mask stands where the group's rights do: 0440.
  const candidates = [...(credentials === undefined ? [] : [{ from: join(credentials, files.key), open: 0o040 }]), {
    from: folder.file(files.key),
    open: 0
  }]
  for (const { from, open } of candidates) {
    const key = readPrivate(from, open)?.trim()
    if (key !== undefined && key !== "") return { key, from }
  }
  return undefined
}

export const deleteKey = (folder: StateFolder): void => {
  for (const name of [files.key, files.keyPair]) rmSync(folder.file(name), { force: true })
}

/** All that belongs to a pairing. Rules and log stay: they are the owner's. */
export const forgetPairing = (folder: StateFolder): void => {
  for (const name of [files.key, files.keyPair, files.identity, files.superseded, files.health]) {
    rmSync(folder.file(name), { force: true })
  }
}

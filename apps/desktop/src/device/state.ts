/**
 * The agent's folder: identity, key, rules, journal, and log. The folder has mode 0700, its files 0600; a key that
 * others can read is refused, not repaired silently. Spec: reference/devices.md "Agent process".
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
  /** Identifies this installation: a copied folder repeats it, and the hub detects the copy by its boot id. */
  instance_id: Schema.String,
  roots: Schema.Array(Schema.String),
  /** PEM of the hub's certificate authority, where the computer does not trust it. */
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

/** Creates the folder if it is missing. Refuses one that others can enter. */
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
 * The text of a file with mode 0600 and our owner; none when it does not exist. Checks and reads through one
 * descriptor, so it cannot be swapped in between. `open`: mode bits that are tolerated.
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

/** Atomic, and on disk when it returns. */
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

/** `from` is for the log. systemd's `LoadCredential=device.key:…` takes precedence over the folder's file. */
export const readKey = (folder: StateFolder): { readonly key: string; readonly from: string } | undefined => {
  const credentials = process.env["CREDENTIALS_DIRECTORY"]
  // systemd grants the service's user access by an ACL, whose mask appears as the group permissions: 0440.
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

/** Deletes the files of a pairing. Rules and log stay: they are the owner's. */
export const forgetPairing = (folder: StateFolder): void => {
  for (const name of [files.key, files.keyPair, files.identity, files.superseded, files.health]) {
    rmSync(folder.file(name), { force: true })
  }
}

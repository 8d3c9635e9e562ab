/**
 * Bubblewrap around a program, where it is there and works: the whole system read-only, the roots writable, the agent's own data out of
 * sight, a process tree of its own that ends with its first process. Asked for and missing, nothing runs. Spec: D16.
 */
import type { DeviceRules } from "@countersign/domain/device-rules"
import { execFile, spawnSync } from "node:child_process"
import { accessSync, constants, existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Opened } from "./places.ts"
import { denied } from "./refusal.ts"

const programs = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"]
const probeMillis = 10_000
const base = ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run"]

/** Of the owner: what programs find there, they could carry away. */
const secretFolders = (): ReadonlyArray<string> =>
  [".ssh", ".gnupg", ".aws", ".kube", ".docker", ".config/gcloud"].map((name) => join(homedir(), name)).filter((path) => existsSync(path))

const probe = [...base, "--", "/bin/true"]
let found: string | null | undefined

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return process.platform === "linux"
  } catch {
    return false
  }
}

/** A bubblewrap that works here; containers often forbid what it needs. Looked for once. */
export const findSandbox = (): string | undefined => {
  found ??= programs.find((path) => isThere(path) && spawnSync(path, probe, { stdio: "ignore", timeout: probeMillis }).status === 0) ?? null
  return found ?? undefined
}

const works = (path: string): Promise<boolean> =>
  new Promise((resolve) => void execFile(path, probe, { timeout: probeMillis }, (error) => resolve(error === null)))

/** As `findSandbox`, where nothing may be held up. */
export const lookForSandbox = async (): Promise<string | undefined> => {
  for (const path of found === undefined ? programs.filter(isThere) : []) if (await works(path)) found ??= path
  found ??= null
  return found ?? undefined
}

export interface Start {
  readonly path: string
  readonly argv: ReadonlyArray<string>
  readonly directory: string
}

export interface Inside {
  readonly path: string
  readonly argv: ReadonlyArray<string>
  readonly directory: Opened
  /** Real paths. */
  readonly roots: ReadonlyArray<string>
  readonly closed: ReadonlyArray<string>
  /** A file that is seen in the place of another. */
  readonly pinned?: { readonly path: string; readonly copy: string }
}

/** What these rules come to on this machine. */
export const sandboxOf = (wanted: NonNullable<DeviceRules["sandbox"]>): "bubblewrap" | "none" =>
  wanted === "off" || findSandbox() === undefined ? "none" : "bubblewrap"

/** Denied `sandbox_missing`. */
export const sandboxed = (wanted: NonNullable<DeviceRules["sandbox"]>, { argv, closed, directory, path, pinned, roots }: Inside): Start => {
  const bwrap = wanted === "off" ? undefined : findSandbox()
  if (bwrap === undefined) {
    if (wanted === "required") throw denied("sandbox_missing", "This device's rules want a sandbox, and there is none that works (bubblewrap)")
    return { path, argv, directory: directory.handle }
  }
  const open = roots.flatMap((root) => ["--bind", root, root])
  const pin = pinned === undefined ? [] : ["--ro-bind", pinned.copy, pinned.path]
  const hidden = [...closed, ...secretFolders()].flatMap((own) => ["--tmpfs", own])
  return {
    path: bwrap,
    argv: ["bwrap", ...base, ...open, ...hidden, ...pin, "--chdir", directory.path, "--", path, ...argv.slice(1)],
    directory: directory.handle
  }
}

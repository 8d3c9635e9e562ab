/**
 * Finds the paths inside the roots that are closed to commands: files with secrets, which are masked, and Git's own
 * files, which are read-only. It runs at the start of each command; files created later are not covered. Spec:
 * reference/devices.md "D15: closed files".
 */
import type { Dirent } from "node:fs"
import { lstat, readdir, realpath, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { executedByGit, gitFoldersAt, isGitFolder, isGitName } from "../files/git-places.ts"
import { isWithin } from "../files/paths.ts"
import { isSecretName } from "../files/secret-names.ts"
import { denied } from "../results/refusal.ts"
import type { Mask } from "./view.ts"

/** More entries would take longer than a few seconds. */
const scannedMax = 500_000
const atOnce = 16
/** Below PATH_MAX, because bubblewrap adds a short prefix. */
const pathBytesMax = 3_500

export interface Scan {
  readonly secrets: ReadonlyArray<Mask>
  /** Git directories, `.git` files that point to one, and files that Git would run. */
  readonly git: ReadonlyArray<string>
  /** Unix sockets, through which programs outside of the sandbox could be reached. */
  readonly sockets: ReadonlyArray<string>
  /** The part of `git` that a configuration names by path. */
  readonly named: ReadonlyArray<string>
}

/** None: it cannot be read or entered, so its content is unknown. A command may be able to change that. */
const entriesOf = async (folder: string): Promise<ReadonlyArray<Dirent> | undefined> => {
  if (Buffer.byteLength(folder) > pathBytesMax) return undefined
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    await lstat(`${folder}/.`)
    return entries
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "") ? [] : undefined
  }
}

/** Real paths. Denied `root_too_large`. */
export const scan = async (folders: ReadonlyArray<string>, closed: ReadonlyArray<string>): Promise<Scan> => {
  const secrets = new Map<string, boolean>()
  const git = new Set<string>()
  const sockets = new Set<string>()
  const named = new Set<string>()
  /** Read-only with their Git directory, and scanned only for secrets. */
  const ofGit = new Set<string>()
  const inside = (path: string): boolean => folders.some((folder) => isWithin(folder, path))
  const queue = folders.filter((folder) => !folders.some((other) => other !== folder && isWithin(other, folder)))
  let scanned = 0

  /** Masks the target of a link: the link itself contains nothing. */
  const addSecret = async (path: string): Promise<void> => {
    const real = await realpath(path).catch(() => undefined)
    const facts = real === undefined ? undefined : await stat(real).catch(() => undefined)
    if (real !== undefined && facts !== undefined && inside(real)) secrets.set(real, facts.isDirectory())
  }
  const addGit = (path: string): void => {
    for (const folder of gitFoldersAt(path)) if (inside(folder)) git.add(folder)
    for (const run of executedByGit(path)) if (inside(run)) named.add(run)
  }

  const look = async (folder: string): Promise<void> => {
    const entries = await entriesOf(folder)
    if (entries === undefined) return void secrets.set(folder, true)
    scanned += entries.length
    if (scanned > scannedMax) {
      throw denied(
        "root_too_large",
        `The roots hold more than ${scannedMax} files, too many to look for secrets: open a smaller directory`
      )
    }
    const isGit = ofGit.has(folder) || isGitFolder(entries.map(({ name }) => name))
    if (isGit && !ofGit.has(folder)) addGit(folder)
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (isSecretName(entry.name, basename(folder))) {
        await addSecret(path)
        continue
      }
      if (entry.isSocket()) sockets.add(path)
      const isGitPlace = isGitName(entry.name)
      if (isGitPlace && !isGit) addGit(path)
      if (!entry.isDirectory() || closed.includes(path)) continue
      if (isGit || isGitPlace) ofGit.add(path)
      queue.push(path)
    }
  }

  // Each worker takes the next directory and adds subdirectories to the same queue.
  for (let at = 0; at < queue.length;) {
    const next = queue.slice(at, at + atOnce)
    at += next.length
    await Promise.all(next.map(look))
  }
  const isInSecret = (path: string): boolean => {
    for (let at = dirname(path); at !== dirname(at); at = dirname(at)) if (secrets.get(at) === true) return true
    return false
  }
  return {
    secrets: [...secrets].map(([path, folder]) => ({ path, folder })).filter(({ path }) => !isInSecret(path)),
    sockets: [...sockets].filter((path) => !isInSecret(path)),
    git: [...new Set([...git, ...named])],
    named: [...named]
  }
}

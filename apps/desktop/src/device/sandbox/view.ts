/**
 * Paths that the sandbox hides: home directories, other disks, run-time sockets, and files that only root may read. It
 * reads them at the start of each command, so a new user or secret is covered at once. Spec: reference/devices.md "D15:
 * closed files", "D16: sandbox".
 */
import { lstat, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { homeFolders, type SandboxUser } from "../files/homes.ts"
import { isWithin, realOf } from "../files/paths.ts"
import { systemSecrets } from "../files/secret-names.ts"

export interface Mask {
  readonly path: string
  readonly folder: boolean
}

/** Always replaced by a new directory, empty and writable. */
const emptyFolders: ReadonlyArray<string> = ["/tmp", "/run"]
const otherDisks = ["/home", "/root", "/media", "/mnt", "/var/tmp"]

/** Directories that are empty inside the sandbox; none contains another. */
export const hiddenFolders = (user: SandboxUser): ReadonlyArray<string> => {
  const all = [...new Set([...emptyFolders, ...otherDisks, ...homeFolders(user)].flatMap((path) => realOf(path)))]
  return all.filter((path) => !all.some((other) => other !== path && isWithin(other, path)))
}

/**
 * Directories in which root, without capabilities but as owner, could read files that others cannot, with the search
 * depth.
 */
const rootOnly: ReadonlyArray<readonly [folder: string, depth: number]> = [
  ["/", 1],
  ["/boot", 2],
  ["/etc", 8],
  ["/opt", 2],
  ["/srv", 2],
  ["/var", 3]
]
const skipped: ReadonlySet<string> = new Set(["/proc", "/sys", "/dev", "/run", "/tmp"])
const othersRead = 0o004
const othersEnter = 0o005

const closedToOthers = async (folder: string, depth: number): Promise<ReadonlyArray<Mask>> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const masks = await Promise.all(entries.map(async (entry): Promise<ReadonlyArray<Mask>> => {
    const path = join(folder, entry.name)
    if (skipped.has(path) || !(entry.isFile() || entry.isDirectory())) return []
    const facts = await lstat(path).catch(() => undefined)
    if (facts === undefined) return []
    if (facts.isDirectory()) {
      if ((facts.mode & othersEnter) !== othersEnter) return [{ path, folder: true }]
      return depth > 1 ? await closedToOthers(path, depth - 1) : []
    }
    return (facts.mode & othersRead) === 0 ? [{ path, folder: false }] : []
  }))
  return masks.flat()
}

/** System files and directories with secrets that exist now. */
export const systemMasks = async ({ isRoot }: SandboxUser): Promise<ReadonlyArray<Mask>> => {
  const listed = await Promise.all(systemSecrets.map(async (path): Promise<ReadonlyArray<Mask>> => {
    const [real] = realOf(path)
    const facts = real === undefined ? undefined : await stat(real).catch(() => undefined)
    return real === undefined || facts === undefined ? [] : [{ path: real, folder: facts.isDirectory() }]
  }))
  const more = isRoot ? await Promise.all(rootOnly.map(([folder, depth]) => closedToOthers(folder, depth))) : []
  return [...listed.flat(), ...more.flat()]
}

/**
 * Real paths of listening sockets that the user can see. The list is incomplete: it lacks sockets that were bound by a
 * relative path, or renamed.
 */
export const listeningSockets = async (): Promise<ReadonlyArray<string>> => {
  const text = await readFile("/proc/net/unix", "utf8").catch(() => "")
  const paths = text.split("\n").flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/u.exec(line)?.[1] ?? [])
  const real = [...new Set(paths)].flatMap((path) => realOf(path))
  const kinds = await Promise.all(real.map((path) => lstat(path).then((facts) => facts.isSocket(), () => false)))
  return [...new Set(real.filter((_, at) => kinds[at] === true))]
}

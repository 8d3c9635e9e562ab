/**
 * Directories and files below the roots that the owner opened. A path is opened first and checked by the target of its
 * descriptor, so swapping it between check and use has no effect. On systems other than Linux the path is resolved
 * before and after opening. Spec: reference/devices.md "D14: paths", "D15: closed files".
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, resolve, sep } from "node:path"
import { denied, failed, Refusal } from "../results/refusal.ts"
import { changesGit, isGitName } from "./git-places.ts"
import { currentUser, secretsOfHomes, startFilesOfHomes } from "./homes.ts"
import { isWithin } from "./paths.ts"
import { isSecretName, plainName } from "./secret-names.ts"

const isLinux = process.platform === "linux"

export interface Opened {
  readonly descriptor: number
  /** The real path. */
  readonly path: string
  /** A path to this descriptor, for calls that take no descriptor; on Linux it cannot be swapped. */
  readonly handle: string
  readonly close: () => void
}

export interface Places {
  readonly roots: ReadonlyArray<string>
  /** The agent's own data. */
  readonly closed: ReadonlyArray<string>
  /** Base of relative paths; the first root when the command names none. Denied `outside_root`, `no_root`. */
  readonly directory: (asked: string | undefined) => Opened
  /** Denied `outside_root`, `closed_path`; failed `not_found`, … */
  readonly open: (from: string, asked: string, flags: number) => Opened
  /** The folder of a new file, or with `create` its nearest existing ancestor and the missing folders below it. */
  readonly folderOf: (
    from: string,
    asked: string,
    create: boolean
  ) => { readonly folder: Opened; readonly missing: ReadonlyArray<string>; readonly name: string }
  /** The reason why a real path is closed; none when it is open. */
  readonly refusalOf: (path: string) => Error | undefined
  /** The same for writing, which is also refused where Git would run the content. */
  readonly writeRefusalOf: (path: string) => Error | undefined
}

const homesMillis = 1_000

/** Compares names as the file system does. */
const isClosed = (place: string, path: string): boolean =>
  isWithin(place, path) || isWithin(plainName(place), plainName(path))

const outside = (path: string) =>
  denied("outside_root", `${path} lies in none of the roots that this device's owner opened`)

/** `roots` and `closed` (the agent's own data) are real paths. */
export const makePlaces = (
  roots: ReadonlyArray<string>,
  closed: ReadonlyArray<string>,
  user = currentUser()
): Places => {
  const look = () => ({
    at: performance.now(),
    secrets: secretsOfHomes(user, roots),
    starts: startFilesOfHomes(user, roots)
  })
  let ofHomes = look()
  const refusalOf = (path: string): Error | undefined => {
    const root = roots.find((root) => isWithin(root, path))
    if (root === undefined) return outside(path)
    const steps = path.split(sep)
    const isHook = steps.some((step, at) => isGitName(step) && plainName(steps[at + 1] ?? "") === "hooks")
    return [...closed, ...ofHomes.secrets].some((own) => isClosed(own, path)) || isHook ||
        steps.some((step, at) => isSecretName(step, steps[at - 1]))
      ? denied("closed_path", `${path} is closed to commands: it may hold secrets, or runs by itself`)
      : undefined
  }
  const writeRefusalOf = (path: string): Error | undefined => {
    const refusal = refusalOf(path)
    if (refusal !== undefined) return refusal
    if (ofHomes.starts.some((start) => isClosed(start, path))) {
      return denied("closed_path", `${path} is closed to writing: programs read it when their owner starts them`)
    }
    return roots.some((root) => isWithin(root, path) && changesGit(root, path))
      ? denied("closed_path", `${path} is closed to writing: Git runs or reads its configuration from it`)
      : undefined
  }

  const judged = (descriptor: number, asked: string, check: (path: string) => Error | undefined): Opened => {
    const close = () => closeSync(descriptor)
    try {
      const handle = isLinux ? `/proc/${process.pid}/fd/${descriptor}` : realpathSync(asked)
      const path = isLinux ? readlinkSync(handle) : handle
      const refusal = check(path)
      if (refusal !== undefined) throw refusal
      if (!isLinux) {
        const there = statSync(path)
        const here = fstatSync(descriptor)
        if (there.ino !== here.ino || there.dev !== here.dev) throw outside(asked)
      }
      return { descriptor, path, handle, close }
    } catch (error) {
      close()
      throw error
    }
  }

  const opening = (path: string, flags: number): number => {
    try {
      return openSync(path, flags)
    } catch (error) {
      throw fileProblem(error, path)
    }
  }

  return {
    roots,
    closed,
    refusalOf,
    writeRefusalOf,
    directory: (asked) => {
      // Only the targets of links in a home directory can change; each refresh takes several hundred system calls.
      if (performance.now() - ofHomes.at > homesMillis) ofHomes = look()
      const path = asked ?? roots[0]
      if (path === undefined) throw denied("no_root", "This device's owner opened no directory to commands (--root)")
      if (!isAbsolute(path)) throw denied("outside_root", "The working directory is an absolute path")
      const descriptor = opening(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0))
      // A working directory is allowed even if single files in it are closed.
      return judged(descriptor, path, (real) => roots.some((root) => isWithin(root, real)) ? undefined : outside(real))
    },
    open: (from, asked, flags) => {
      const path = resolve(from, asked)
      return judged(opening(path, flags | (constants.O_NONBLOCK ?? 0)), path, refusalOf)
    },
    folderOf: (from, asked, create) => {
      const path = resolve(from, asked)
      const missing: Array<string> = []
      for (let at = dirname(path);;) {
        try {
          const folder = judged(opening(at, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)), at, refusalOf)
          return { folder, missing, name: basename(path) }
        } catch (error) {
          if (!create || !(error instanceof Refusal) || error.code !== "not_found" || dirname(at) === at) throw error
          missing.unshift(basename(at))
          at = dirname(at)
        }
      }
    }
  }
}

/** Converts a file system error to a `Refusal`. */
export const fileProblem = (error: unknown, path: string): Error => {
  if (error instanceof Refusal) return error
  const code = (error as NodeJS.ErrnoException).code
  switch (code) {
    case "ENOENT":
      return failed("not_found", `${path} is not there`)
    case "ENOTDIR":
      return failed("not_a_directory", `${path}: not a directory`)
    case "EISDIR":
      return failed("is_a_directory", `${path} is a directory`)
    case "EACCES":
    case "EPERM":
      return failed("no_access", `${path}: the device's user may not do this`)
    case "ELOOP":
      return denied("outside_root", `${path} is a link; ask for what it points to`)
    case "ENOSPC":
    case "EDQUOT":
      return failed("disk_full", `${path}: the disk is full`)
    case "ENXIO":
      return failed("not_a_file", `${path} is no plain file`)
    default:
      return error instanceof Error && code === undefined
        ? error
        : failed("file_error", `${path}: ${code ?? "it cannot be used"}`)
  }
}

/**
 * Crash dumps: off by default. When enabled, Electron stores dumps in a folder on this computer from the next start on,
 * and uploads none. A dump contains memory and therefore secrets: the owner can see and remove the files. Spec:
 * reference/desktop.md "E18: crash and support files".
 */
import { Context } from "effect"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import type { CrashFile } from "../../bridge/this-computer.ts"
import { wordsOf } from "../platform/error-words.ts"

export interface CrashParts {
  /** Electron's `crashReporter`. */
  readonly crashReporter: {
    readonly start: (options: { readonly uploadToServer: false; readonly compress: false }) => void
  }
  /** `app.setPath("crashDumps", …)`. */
  readonly setFolder: (folder: string) => void
  readonly folder: string
}

export interface CrashFiles {
  /** Whether this run of the app stores crash dumps. */
  readonly isKeeping: boolean
  /** Why dumps are not stored although they are enabled. */
  readonly problem?: string
  readonly folder: string
  /** Newest first. */
  readonly list: () => ReadonlyArray<CrashFile>
  /** False when there is no such file. */
  readonly remove: (name: string) => boolean
  readonly removeAll: () => void
}

/** At a start, the oldest files beyond this number are removed. */
export const crashFilesMax = 20
const depthMax = 3

const find = (folder: string, at: string, depth: number): ReadonlyArray<CrashFile> => {
  let entries
  try {
    entries = readdirSync(at, { withFileTypes: true })
  } catch {
    return []
  }
  return entries.flatMap((entry): ReadonlyArray<CrashFile> => {
    const path = join(at, entry.name)
    if (entry.isDirectory()) return depth === 0 ? [] : find(folder, path, depth - 1)
    if (!entry.isFile() || !entry.name.endsWith(".dmp")) return []
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined
      ? []
      : [{ name: relative(folder, path).split(sep).join("/"), bytes: found.size, at: found.mtimeMs }]
  })
}

/**
 * Whether the settings enable dumps, read before the settings service exists; unreadable settings count as off. Changes
 * nothing.
 */
export const wantsCrashFiles = (settingsPath: string): boolean => {
  try {
    const read: unknown = JSON.parse(readFileSync(settingsPath, "utf8"))
    return typeof read === "object" && read !== null && "crash_files" in read && read.crash_files === true
  } catch {
    return false
  }
}

/** Call before the app is ready, so that later processes are covered. */
export const beginCrashFiles = (on: boolean, { crashReporter, folder, setFolder }: CrashParts): CrashFiles => {
  const list = (): ReadonlyArray<CrashFile> =>
    [...find(folder, folder, depthMax)].sort((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1))
  const drop = (name: string): void => rmSync(join(folder, ...name.split("/")), { force: true })
  let problem: string | undefined
  if (on) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      chmodSync(folder, 0o700)
      for (const { name } of list().slice(crashFilesMax)) drop(name)
      setFolder(folder)
      crashReporter.start({ uploadToServer: false, compress: false })
    } catch (error) {
      problem = wordsOf(error)
    }
  }
  return {
    isKeeping: on && problem === undefined,
    folder,
    list,
    ...problem === undefined ? {} : { problem },
    remove: (name) => {
      // Only listed names are removed: the caller cannot pass a path.
      if (!list().some((file) => file.name === name)) return false
      drop(name)
      return true
    },
    removeAll: () => {
      for (const { name } of list()) drop(name)
    }
  }
}

/** Supplied by the composition with the result of `beginCrashFiles`. */
export class CrashDumps extends Context.Service<CrashDumps, CrashFiles>()("@countersign/desktop/electron/CrashDumps") {}

/**
 * Paths from which Git executes code: its directories, the `.git` files of worktrees and submodules that point to one,
 * and the hooks, monitors, and included files of its configuration. A process that writes there runs code at the next
 * Git command, including the owner's. Spec: reference/devices.md "D15: closed files".
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { pathsIn, realOf } from "./paths.ts"
import { plainName } from "./secret-names.ts"

const textMax = 256 * 1024

/** Mercurial runs the hooks in `.hg/hgrc` in the same way. */
export const isGitName = (name: string): boolean => [".git", ".hg"].includes(plainName(name))

/**
 * Detects a Git directory by its content: Git accepts any such directory as a repository, whatever its name. With
 * `commondir` the remaining content is elsewhere.
 */
export const isGitFolder = (names: ReadonlyArray<string>): boolean =>
  names.includes("HEAD") && (names.includes("commondir") || (names.includes("objects") && names.includes("refs")))

const textOf = (path: string): string => {
  try {
    return lstatSync(path).size > textMax ? "" : readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** The directory that a `.git` file points to; for a directory, the directory itself. */
const folderOf = (path: string): ReadonlyArray<string> => {
  try {
    if (!lstatSync(path).isFile()) return realOf(path)
  } catch {
    return []
  }
  const [, named] = /^gitdir: (.+)$/m.exec(textOf(path)) ?? []
  return named === undefined ? [] : realOf(resolve(dirname(path), named.trim()))
}

/**
 * For a `.git` entry or a Git directory: itself, the directory that it points to, and the directory that this one
 * shares. Real paths, existing ones only.
 */
export const gitFoldersAt = (path: string): ReadonlyArray<string> => {
  const folders = folderOf(path)
  const shared = folders.flatMap((folder) => {
    const common = textOf(join(folder, "commondir")).trim()
    return common === "" ? [] : realOf(resolve(folder, common))
  })
  // Never a link: mounted over, it would expose its target in the sandbox, even a hidden directory.
  return [...new Set([...(isLink(path) || !existsSync(path) ? [] : [path]), ...folders, ...shared])]
}

const includesMax = 50
/**
 * Settings whose value is a directory from which Git runs or copies programs. For all other settings only files are
 * closed.
 */
const folderSettings: ReadonlySet<string> = new Set(["hookspath", "templatedir"])

interface Setting {
  readonly key: string
  readonly value: string
}

/** A key may follow its section on the same line, and a value may continue on the next line. */
const settingsOf = (text: string): ReadonlyArray<Setting> =>
  text.replaceAll(/\\\r?\n/g, " ").split("\n").flatMap((line) => {
    const [, key, value] = /^\s*(?:\[[^\]]*\]\s*)?([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/u.exec(line) ?? []
    return key === undefined || value === undefined
      ? []
      : [{ key: key.toLowerCase(), value: value.replaceAll(/\\(["\\])/g, "$1") }]
  })

/** `~/` and `$HOME/` are the home directory. */
const pathsOf = (value: string, home: string): ReadonlyArray<string> =>
  pathsIn(value.replace(/^!/, "").replaceAll(/^"|"$/g, "")).map((path) =>
    path.replace(/^(?:~|\$HOME|\$\{HOME\})\//u, `${home}/`)
  )

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/**
 * Files and directories named in configuration files and the files that they include. Relative paths are resolved
 * against each of `bases`.
 */
const namedIn = (files: ReadonlyArray<string>, bases: ReadonlyArray<string>, home: string): ReadonlyArray<string> => {
  const named = new Set<string>()
  const queue = [...files]
  for (let at = 0; at < Math.min(queue.length, includesMax); at++) {
    const file = queue[at]!
    for (const { key, value } of settingsOf(textOf(file))) {
      for (const path of pathsOf(value, home)) {
        for (const found of new Set([...bases, dirname(file)].flatMap((base) => realOf(resolve(base, path))))) {
          const isPlain = isFile(found)
          if ((isPlain || folderSettings.has(key)) && !bases.includes(found)) named.add(found)
          if (isPlain && key === "path" && !queue.includes(found)) queue.push(found)
        }
      }
    }
  }
  return [...named]
}

/**
 * Files and directories named in a repository's configuration, whose content Git runs or reads as configuration. Real
 * paths, existing ones only.
 */
export const executedByGit = (path: string, home = homedir()): ReadonlyArray<string> => {
  const worktree = dirname(path)
  return gitFoldersAt(path).flatMap((folder) =>
    namedIn(["config", "config.worktree"].map((name) => join(folder, name)), [worktree, folder], home)
  )
}

/** The same for the configuration in a home directory. */
export const executedByHome = (home: string): ReadonlyArray<string> =>
  namedIn([join(home, ".gitconfig"), join(home, ".config", "git", "config"), join(home, ".hgrc")].flatMap(realOf), [
    home
  ], home)

/** The Git directories of the repository that contains `directory`; none outside of `roots`. */
export const repositoryOf = (directory: string, roots: ReadonlyArray<string>): ReadonlyArray<string> => {
  for (let at = directory; roots.some((root) => at === root || at.startsWith(`${root}/`)); at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return gitFoldersAt(join(at, ".git"))
    if (isGitFolder(namesIn(at))) return [at]
  }
  return []
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * Whether writing `path`, below `root`, changes code that Git runs: in a `.git`, in a directory that is a repository or
 * would become one, or in a directory that a repository above it names.
 */
export const changesGit = (root: string, path: string): boolean => {
  for (let at = path, step = ""; at.length >= root.length; step = basename(at), at = dirname(at)) {
    if (isGitName(basename(at))) return true
    if (step !== "" && isGitFolder([...namesIn(at), step])) return true
    const git = join(at, ".git")
    if (
      existsSync(git) &&
      [...gitFoldersAt(git), ...executedByGit(git)].some((place) => path === place || path.startsWith(`${place}/`))
    ) return true
    if (dirname(at) === at) break
  }
  return false
}

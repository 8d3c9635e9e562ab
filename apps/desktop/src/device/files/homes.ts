/**
 * Home directories on this machine, and the paths in them that stay closed when a root contains them. Spec:
 * reference/devices.md "D15: closed files".
 */
import { readFileSync } from "node:fs"
import { homedir, userInfo } from "node:os"
import { join } from "node:path"
import { executedByHome } from "./git-places.ts"
import { isWithin, realOf } from "./paths.ts"
import { homeSecrets } from "./secret-names.ts"
import { startFiles } from "./start-files.ts"

export interface SandboxUser {
  readonly home: string
  readonly isRoot: boolean
}

export const currentUser = (): SandboxUser => ({ home: homedir(), isRoot: process.getuid?.() === 0 })

/**
 * Directories that programs need to start. Many system accounts have their home directory here; none belongs to a
 * person.
 */
export const systemFolders = [
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/lib",
  "/lib32",
  "/lib64",
  "/proc",
  "/sbin",
  "/sys",
  "/usr"
]
const peopleFrom = 1_000
const nobody = 65_534

const passwd = (): ReadonlyArray<string> => {
  try {
    return readFileSync("/etc/passwd", "utf8").split("\n").flatMap((line) => {
      const [, , id = "", , , home = ""] = line.split(":")
      const uid = Number(id)
      const isPerson = id !== "" && (uid === 0 || (uid >= peopleFrom && uid !== nobody))
      return home.startsWith("/") && (isPerson || isWithin("/var/lib", home)) ? [home] : []
    })
  } catch {
    return []
  }
}

const ownHome = (): ReadonlyArray<string> => {
  try {
    return [userInfo().homedir]
  } catch {
    return []
  }
}

const asHomes = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(paths.flatMap(realOf))]
    .filter((path) =>
      !["/var", "/var/lib", ...systemFolders].some((folder) => isWithin(path, folder)) &&
      !systemFolders.some((folder) => isWithin(folder, path))
    )

/** Home directories of all users of this machine, as real paths. */
export const homeFolders = ({ home }: SandboxUser): ReadonlyArray<string> => asHomes([home, ...ownHome(), ...passwd()])

/** Home directories of other users. */
export const otherHomes = ({ home }: SandboxUser): ReadonlyArray<string> => {
  const own = asHomes([home, ...ownHome()])
  return asHomes(passwd()).filter((path) => !own.includes(path))
}

/**
 * Maps paths below each home directory, and the targets of links there, to those inside a root. A root that is such a
 * path itself was opened on purpose.
 */
const inRoots = (
  names: ReadonlyArray<string>,
  user: SandboxUser,
  roots: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const own = asHomes([user.home, ...ownHome()])
  const homes = [
    ...new Set([
      ...own,
      ...homeFolders(user).filter((home) => roots.some((root) => isWithin(root, home) || isWithin(home, root)))
    ])
  ]
  const places = homes.flatMap((home) => names.flatMap((name) => [join(home, name), ...realOf(join(home, name))]))
  return [...new Set(places)].filter((place) => roots.some((root) => isWithin(root, place)))
}

/** Both existing and missing ones, by path and by real path. */
export const secretsOfHomes = (user: SandboxUser, roots: ReadonlyArray<string>): ReadonlyArray<string> =>
  inRoots(homeSecrets, user, roots)

/** Includes the files named in the home directory's Git configuration. */
export const startFilesOfHomes = (user: SandboxUser, roots: ReadonlyArray<string>): ReadonlyArray<string> =>
  [
    ...new Set([
      ...inRoots(startFiles, user, roots),
      ...executedByHome(user.home).filter((place) => roots.some((root) => isWithin(root, place)))
    ])
  ]
    .filter((place) => !roots.includes(place))

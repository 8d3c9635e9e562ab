/**
 * Refuses directories as roots in which masking does not work or whose files run as the system. Spec:
 * reference/devices.md "D15: closed files".
 */
import { currentUser, otherHomes, systemFolders } from "./homes.ts"
import { isWithin } from "./paths.ts"
import { systemSecrets } from "./secret-names.ts"

const closedFolders = process.platform === "win32"
  ? [process.env["SystemRoot"] ?? "C:\\Windows"]
  : [...systemFolders, "/run", "/var/run", "/System", "/Library", "/private/etc", ...systemSecrets]

/** The reason why a directory, with links resolved, cannot be a root; none when it can. */
export const rootProblem = (
  root: string,
  others: ReadonlyArray<string> = otherHomes(currentUser())
): string | undefined => {
  const advice = "Open the directory of a project instead"
  const inside = closedFolders.find((folder) => isWithin(folder, root))
  if (inside !== undefined) return `${root} cannot be a root: ${inside} belongs to the system. ${advice}`
  const contained = closedFolders.find((folder) => isWithin(root, folder))
  if (contained !== undefined) {
    return `${root} cannot be a root: it contains ${contained}, which belongs to the system. ${advice}`
  }
  const other = others.find((home) => isWithin(root, home))
  return other === undefined
    ? undefined
    : `${root} cannot be a root: it contains ${other}, the home directory of another user. ${advice}`
}

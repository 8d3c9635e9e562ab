/**
 * Whether a path lies in a root, by its text alone, for POSIX and Windows paths. The device resolves links and makes
 * the final decision.
 */

const drive = /^[A-Za-z]:[\\/]/

const isWindows = (path: string): boolean => drive.test(path) || path.startsWith("\\\\")

const partsOf = (path: string): ReadonlyArray<string> | undefined => {
  const windows = isWindows(path)
  if (!windows && !path.startsWith("/")) return undefined
  const found: Array<string> = []
  for (const part of path.split(windows ? /[\\/]/ : "/")) {
    if (part === "" || part === ".") continue
    if (part === "..") {
      // A path cannot go above the top.
      if (found.length === 0) return undefined
      found.pop()
    } else found.push(windows ? part.toLowerCase() : part)
  }
  return found
}

/** False for a relative path: its base is unknown. */
export const isInside = (path: string, roots: ReadonlyArray<string>): boolean => {
  const parts = partsOf(path)
  return parts !== undefined && roots.some((root) => {
    const over = isWindows(root) === isWindows(path) ? partsOf(root) : undefined
    return over !== undefined && over.length <= parts.length && over.every((part, index) => part === parts[index])
  })
}

/**
 * Whether a path lies in a root, by its text alone: POSIX paths and those of Windows. The device itself resolves links, and has
 * the last word.
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
      // Above the top there is nothing.
      if (found.length === 0) return undefined
      found.pop()
    } else found.push(windows ? part.toLowerCase() : part)
  }
  return found
}

/** False for a relative path: nobody knows to what. */
export const isInside = (path: string, roots: ReadonlyArray<string>): boolean => {
  const parts = partsOf(path)
  return parts !== undefined && roots.some((root) => {
    const over = isWindows(root) === isWindows(path) ? partsOf(root) : undefined
    return over !== undefined && over.length <= parts.length && over.every((part, index) => part === parts[index])
  })
}

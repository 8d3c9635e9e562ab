/** Paths compared by their steps. */
import { isAbsolute, relative, sep } from "node:path"

export const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

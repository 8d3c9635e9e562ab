/** Paths compared by their steps, resolved, and found in words. */
import { lstatSync, realpathSync } from "node:fs"
import { isAbsolute, relative, sep } from "node:path"

export const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** With links resolved; empty if it does not exist or cannot be read. Most are missing: an exception for each would take longer than the rest of a command. */
export const realOf = (path: string): ReadonlyArray<string> => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? [] : [realpathSync.native(path)]
  } catch {
    return []
  }
}

/** What may be a path in a word, or in a command line: the whole, each quoted part, each word, and what follows the letter of an option. */
export const pathsIn = (text: string): ReadonlyArray<string> => {
  const quoted = [...text.matchAll(/'([^']+)'|"([^"]+)"/gu)].map(([, single, double]) => single ?? double ?? "")
  const words = text.split(/[\s"'`;|&()<>={},]+/u)
  const ofOptions = words.flatMap((word) => /^-[A-Za-z](.*[\\/].*)$/u.exec(word)?.[1] ?? [])
  return [...new Set([text, ...quoted, ...words, ...ofOptions])].filter((path) => path !== "")
}

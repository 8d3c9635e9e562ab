/** Compares paths by segments, resolves them, and finds them in text. */
import { lstatSync, realpathSync } from "node:fs"
import { isAbsolute, relative, sep } from "node:path"

export const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/**
 * With links resolved; empty if it does not exist or cannot be read. Does not throw for missing paths: most are
 * missing, and exceptions would take longer than the rest of a command.
 */
export const realOf = (path: string): ReadonlyArray<string> => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? [] : [realpathSync.native(path)]
  } catch {
    return []
  }
}

/**
 * Possible paths in a word or command line: the whole text, each quoted part, each word, and the text after an option
 * letter.
 */
export const pathsIn = (text: string): ReadonlyArray<string> => {
  const quoted = [...text.matchAll(/'([^']+)'|"([^"]+)"/gu)].map(([, single, double]) => single ?? double ?? "")
  const words = text.split(/[\s"'`;|&()<>={},]+/u)
  const ofOptions = words.flatMap((word) => /^-[A-Za-z](.*[\\/].*)$/u.exec(word)?.[1] ?? [])
  return [...new Set([text, ...quoted, ...words, ...ofOptions])].filter((path) => path !== "")
}

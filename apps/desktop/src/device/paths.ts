/** Paths compared by their steps, and found in words. */
import { isAbsolute, relative, sep } from "node:path"

export const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** What may be a path in a word, or in a command line: the whole, each quoted part, each word, and what follows the letter of an option. */
export const pathsIn = (text: string): ReadonlyArray<string> => {
  const quoted = [...text.matchAll(/'([^']+)'|"([^"]+)"/gu)].map(([, single, double]) => single ?? double ?? "")
  const words = text.split(/[\s"'`;|&()<>={},]+/u)
  const ofOptions = words.flatMap((word) => /^-[A-Za-z](.*[\\/].*)$/u.exec(word)?.[1] ?? [])
  return [...new Set([text, ...quoted, ...words, ...ofOptions])].filter((path) => path !== "")
}

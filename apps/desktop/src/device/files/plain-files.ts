/** Reads regular files and never blocks on others, such as pipes. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs"

export const beginsScript = (start: Buffer): boolean => start.subarray(0, 2).toString("latin1") === "#!"

/** The result of `take`. None: it does not exist or is not a regular file. */
export const readPlain = <A>(path: string, take: (descriptor: number, size: number) => A, flags = 0): A | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags)
  } catch {
    return undefined
  }
  try {
    const facts = fstatSync(descriptor)
    return facts.isFile() ? take(descriptor, facts.size) : undefined
  } finally {
    closeSync(descriptor)
  }
}

/** None: it does not exist, is not a regular file, or is larger than `most`. */
export const bytesOf = (path: string, most: number): Buffer | undefined =>
  readPlain(path, (descriptor, size) => size > most ? undefined : readFileSync(descriptor))

export const startOf = (path: string, most: number): Buffer =>
  readPlain(path, (descriptor) => {
    const start = Buffer.alloc(most)
    return start.subarray(0, readSync(descriptor, start, 0, most, 0))
  }) ?? Buffer.alloc(0)

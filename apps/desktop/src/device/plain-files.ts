/** Plain files, read without waiting for what is none, such as a pipe. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs"

export const beginsScript = (start: Buffer): boolean => start.subarray(0, 2).toString("latin1") === "#!"

/** What `take` makes of it. None: it is not there, or no plain file. */
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

/** None: it is not there, no plain file, or larger than `most`. */
export const bytesOf = (path: string, most: number): Buffer | undefined =>
  readPlain(path, (descriptor, size) => size > most ? undefined : readFileSync(descriptor))

export const startOf = (path: string, most: number): Buffer =>
  readPlain(path, (descriptor) => {
    const start = Buffer.alloc(most)
    return start.subarray(0, readSync(descriptor, start, 0, most, 0))
  }) ?? Buffer.alloc(0)

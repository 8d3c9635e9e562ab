/**
 * A small JSON file of the app with one schema and mode 0600, written atomically. A file that cannot be read is renamed
 * and reported, and never overwritten; if renaming fails, it stays and writes are refused.
 */
import { Result, Schema } from "effect"
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { dirname } from "node:path"
import { writePrivate } from "../../device/state.ts"
import { wordsOf } from "./error-words.ts"

/** Far above the size of any file that the app writes. */
const lengthMax = 4 * 1024 * 1024

/** A file that could not be read, with the reason. */
export interface Aside {
  /** Its current path. */
  readonly path: string
  readonly problem: string
  /** Renaming failed: the file is unchanged, and writes are refused. */
  readonly stays: boolean
}

export interface KeptFile<A> {
  /** Never throws. */
  readonly read: () => { readonly value: A | undefined; readonly aside?: Aside }
  /** Throws when writing fails, or when an unreadable file could not be renamed. */
  readonly write: (value: A) => void
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT"

export const keptFile = <A, I>(path: string, schema: Schema.Codec<A, I>): KeptFile<A> => {
  const decode = Schema.decodeUnknownResult(schema)
  const encode = Schema.encodeSync(schema)
  let blocked: string | undefined

  const valueOrProblem = (): { readonly value: A | undefined } | { readonly problem: string } => {
    let text: string
    try {
      text = readFileSync(path, "utf8")
    } catch (error) {
      return isMissing(error) ? { value: undefined } : { problem: wordsOf(error) }
    }
    if (text.length > lengthMax) return { problem: "it is too large" }
    try {
      const decoded = decode(JSON.parse(text))
      if (Result.isSuccess(decoded)) return { value: decoded.success }
      return { problem: decoded.failure.message.split("\n").map((line) => line.trim()).join(" ") }
    } catch {
      return { problem: "it is not JSON" }
    }
  }
  const putAside = (problem: string): Aside => {
    let at = 1
    while (existsSync(`${path}.broken-${at}`)) at++
    try {
      renameSync(path, `${path}.broken-${at}`)
      return { path: `${path}.broken-${at}`, problem, stays: false }
    } catch {
      blocked = problem
      return { path, problem, stays: true }
    }
  }
  return {
    read: () => {
      blocked = undefined
      const read = valueOrProblem()
      return "value" in read ? read : { value: undefined, aside: putAside(read.problem) }
    },
    write: (value) => {
      if (blocked !== undefined) throw new Error(`${path} cannot be read and stays as it is: ${blocked}`)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writePrivate(path, `${JSON.stringify(encode(value), null, 2)}\n`)
    }
  }
}

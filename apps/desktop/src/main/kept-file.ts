/**
 * A small file of the app's own: JSON of one schema, mode 0600, written whole or not at all. One that cannot be read is put aside
 * under another name and told of, never written over; where not even that can be done, it stays, and is not written.
 */
import { Result, Schema } from "effect"
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { dirname } from "node:path"
import { writePrivate } from "../device/state.ts"
import { wordsOf } from "./error-words.ts"

/** A file of ours is far smaller: more is no file of ours. */
const lengthMax = 4 * 1024 * 1024

/** A file that could not be read, and why. */
export interface Aside {
  /** Where it is now. */
  readonly path: string
  readonly problem: string
  /** It is where it was, and nothing can be written. */
  readonly stays: boolean
}

export interface KeptFile<A> {
  /** Never throws. */
  readonly read: () => { readonly value: A | undefined; readonly aside?: Aside }
  /** Throws when the disk takes nothing, or what lies there could neither be read nor be put aside. */
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

/**
 * A small file of the app's own: JSON of one schema, mode 0600, written whole or not at all. One that cannot be read is put aside
 * under another name and told of, never written over.
 */
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { dirname } from "node:path"
import { Result, Schema } from "effect"
import { writePrivate } from "../device/state.ts"

/** A file of ours is far smaller: more is no file of ours. */
const lengthMax = 4 * 1024 * 1024

export interface KeptFile<A> {
  /** `aside`: where a file went that could not be read, and why. */
  readonly read: () => { readonly value: A | undefined; readonly aside?: { readonly path: string; readonly problem: string } }
  /** Throws when the disk takes nothing. */
  readonly write: (value: A) => void
}

export const keptFile = <A, I>(path: string, schema: Schema.Codec<A, I>, now: () => number = Date.now): KeptFile<A> => {
  const decode = Schema.decodeUnknownResult(schema)
  const encode = Schema.encodeSync(schema)
  const problemOrValue = (): { readonly value: A } | { readonly problem: string } => {
    let text: string
    try {
      text = readFileSync(path, "utf8")
    } catch (error) {
      return { problem: (error as Error).message }
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
  const putAside = (): string => {
    for (let at = now();; at++) {
      const aside = `${path}.broken-${at}`
      if (existsSync(aside)) continue
      renameSync(path, aside)
      return aside
    }
  }
  return {
    read: () => {
      if (!existsSync(path)) return { value: undefined }
      const read = problemOrValue()
      if ("value" in read) return read
      return { value: undefined, aside: { path: putAside(), problem: read.problem } }
    },
    write: (value) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writePrivate(path, `${JSON.stringify(encode(value), null, 2)}\n`)
    }
  }
}

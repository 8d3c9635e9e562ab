/** `log`: lists the commands whose output this machine keeps, or prints one of them. Reads while an agent writes. */
import { closeSync, createReadStream, existsSync, fstatSync, openSync, readdirSync, readSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { misconfigured } from "./exits.ts"
import { type Entry, piecePattern } from "./transcripts.ts"

/** Bytes read for the first and the last line of a file. */
const edgeBytes = 16 * 1024

export interface Listed {
  readonly id: string
  /** None: the beginning was deleted. */
  readonly begin: Extract<Entry, { readonly type: "begin" }> | undefined
  /** None: it is running, or the agent ended before it did. */
  readonly end: Extract<Entry, { readonly type: "end" }> | undefined
  readonly bytes: number
}

const parsed = (line: string): Entry | undefined => {
  try {
    return JSON.parse(line)
  } catch {
    // Cut short by a full disk or a crash.
    return undefined
  }
}

const piecesOf = (folder: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  if (!existsSync(folder)) return found
  for (const name of readdirSync(folder).sort()) {
    const id = piecePattern.exec(name)?.[1]
    if (id !== undefined) found.set(id, [...found.get(id) ?? [], name])
  }
  return found
}

const edges = (path: string): { readonly first: string; readonly last: string; readonly bytes: number } => {
  const descriptor = openSync(path, "r")
  try {
    const { size } = fstatSync(descriptor)
    const read = (at: number): string => {
      const bytes = Buffer.alloc(Math.min(edgeBytes, size))
      return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, at)).toString("utf8")
    }
    return {
      first: read(0).split("\n", 1)[0] ?? "",
      last: read(Math.max(0, size - edgeBytes)).trimEnd().split("\n").at(-1) ?? "",
      bytes: size
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Newest first; ids sort by time. */
export const listTranscripts = (folder: string): ReadonlyArray<Listed> =>
  [...piecesOf(folder)].flatMap(([id, names]) => {
    try {
      const looked = names.map((name) => edges(join(folder, name)))
      const begin = parsed(looked[0]!.first)
      const end = parsed(looked.at(-1)!.last)
      return [{
        id,
        begin: begin?.type === "begin" ? begin : undefined,
        end: end?.type === "end" ? end : undefined,
        bytes: looked.reduce((sum, { bytes }) => sum + bytes, 0)
      }]
    } catch {
      // Deleted in the meantime.
      return []
    }
  }).sort((a, b) => a.id < b.id ? 1 : -1)

/** In order; `cut` when the beginning was deleted. */
export async function* readTranscript(folder: string, id: string): AsyncGenerator<Entry | { readonly type: "cut" }> {
  const names = piecesOf(folder).get(id)
  if (names === undefined) throw misconfigured(`Nothing of ${id} is kept here; see: device log`)
  if (piecePattern.exec(names[0]!)?.[2] !== "000000") yield { type: "cut" }
  for (const name of names) {
    for await (const line of createInterface({ input: createReadStream(join(folder, name)), crlfDelay: Infinity })) {
      const entry = parsed(line)
      if (entry !== undefined) yield entry
    }
  }
}

/** Control characters that move a terminal's cursor, change colors, or reverse text. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
export const visible = (text: string): string =>
  text.replace(hidden, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

export interface Printing {
  readonly out: (text: string | Uint8Array) => void
  readonly err: (text: string | Uint8Array) => void
  readonly terminal: boolean
}

const sizeOf = (bytes: number): string =>
  bytes < 1_024
    ? `${bytes} B`
    : bytes < 1_048_576
    ? `${Math.ceil(bytes / 1_024)} KiB`
    : `${Math.ceil(bytes / 1_048_576)} MiB`

const endOf = ({ end }: Listed): string =>
  end === undefined ? "no end" : `${end.outcome}${end.exit_code === undefined ? "" : ` ${end.exit_code}`}`

/** Prints the output of one command on the matching streams, and its facts and result on standard error. */
export const printTranscripts = async (
  folder: string,
  id: string | undefined,
  { err, out, terminal }: Printing
): Promise<void> => {
  const shown = terminal ? visible : (text: string) => text
  if (id === undefined) {
    for (const one of listTranscripts(folder)) {
      out(
        visible(
          [
            one.begin?.at ?? "earlier",
            one.id,
            endOf(one),
            sizeOf(one.bytes),
            one.begin?.tool ?? "",
            one.begin?.what ?? ""
          ].join("  ")
        ) + "\n"
      )
    }
    return
  }
  for await (const entry of readTranscript(folder, id)) {
    switch (entry.type) {
      case "cut":
        err("# its beginning was let go\n")
        break
      case "begin":
        err(
          `# ${entry.at} ${
            visible(
              `${entry.tool}, asked by ${entry.requested_by}${
                entry.directory === undefined ? "" : `, in ${entry.directory}`
              }: ${entry.what}`
            )
          }\n`
        )
        break
      case "output": {
        const bytes = entry.encoding === "base64" ? Buffer.from(entry.data, "base64") : undefined
        ;(entry.stream === "stdout" ? out : err)(
          bytes === undefined ? shown(entry.data) : terminal ? shown(bytes.toString("latin1")) : bytes
        )
        break
      }
      case "end":
        err(
          `# ${entry.at} ${entry.outcome}${entry.exit_code === undefined ? "" : `, exit code ${entry.exit_code}`}${
            entry.error === undefined ? "" : visible(`, ${entry.error.code}: ${entry.error.message}`)
          }\n`
        )
    }
  }
}

/**
 * Command output kept on this machine, complete and masked, including output that the hub did not receive: for 7 days
 * and at most 256 MiB in total, oldest deleted first. Each command has JSON-lines files of limited size, so that the
 * beginning of a flood can be deleted; folder mode 0700, file mode 0600. No failure here, such as a full disk, stops a
 * command. Spec: reference/devices.md "D21: local log".
 */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { Ending } from "./command-ending.ts"
import type { StreamName } from "./results/output.ts"
import { asText } from "./results/text.ts"

const keptDays = 7
const keptBytesMax = 256 * 1024 * 1024
const pieceBytesMax = 4 * 1024 * 1024
/** Disk space of an empty file. */
const blockBytes = 4_096
const sweepMillis = 3_600_000
const whatLengthMax = 2_000

/** The hub's id format; any other string could name another file. */
const idPattern = /^[a-z]{1,16}_[0-9a-z]{1,64}$/
export const piecePattern = /^([a-z]{1,16}_[0-9a-z]{1,64})\.(\d{6})\.jsonl$/

export interface Begun {
  readonly tool: string
  /** A description for a person. */
  readonly what: string
  readonly directory?: string
  readonly requested_by: string
}

export type Entry =
  | ({ readonly at: string; readonly type: "begin" } & Begun)
  | {
    readonly at: string
    readonly type: "output"
    readonly stream: StreamName
    readonly data: string
    readonly encoding?: "base64"
  }
  | ({ readonly at: string; readonly type: "end" } & Pick<Ending, "outcome" | "exit_code" | "error">)

export interface Transcripts {
  readonly begin: (id: string, facts: Begun) => void
  /** Call after `begin`, with whole characters. */
  readonly write: (id: string, stream: StreamName, bytes: Buffer) => void
  readonly end: (id: string, ending: Ending) => void
  readonly close: () => void
}

export interface TranscriptsOptions {
  readonly mask: (text: string) => string
  /** Called once for each command whose further output is lost. */
  readonly onProblem: (id: string, problem: string) => void
  readonly bytesMax?: number
  readonly pieceMax?: number
}

interface Piece {
  readonly name: string
  bytes: number
  descriptor: number | undefined
}

interface Open {
  piece: Piece | undefined
  count: number
  broken: boolean
}

const onDisk = (bytes: number): number => Math.ceil(bytes / blockBytes + 1) * blockBytes

const contentOf = (bytes: Buffer): { readonly data: string; readonly encoding?: "base64" } => {
  const data = asText(bytes)
  return data === undefined ? { data: bytes.toString("base64"), encoding: "base64" } : { data }
}

/** Creates the folder if it is missing; if that fails, nothing is kept. */
export const openTranscripts = (
  folder: string,
  { bytesMax = keptBytesMax, mask, onProblem, pieceMax = pieceBytesMax }: TranscriptsOptions
): Transcripts => {
  const commands = new Map<string, Open>()
  /** Oldest first. */
  let pieces: Array<Piece> = []
  let total = 0
  let swept = -Infinity

  const drop = (piece: Piece): void => {
    if (piece.descriptor !== undefined) closeSync(piece.descriptor)
    piece.descriptor = undefined
    total -= onDisk(piece.bytes)
    pieces = pieces.filter((one) => one !== piece)
    rmSync(join(folder, piece.name), { force: true })
  }
  /** Deletes files that are still being written last. */
  const makeRoom = (): void => {
    while (total > bytesMax && pieces.length > 0) {
      drop(pieces.find(({ descriptor }) => descriptor === undefined) ?? pieces[0]!)
    }
  }
  const sweep = (): void => {
    if (performance.now() - swept < sweepMillis) return
    swept = performance.now()
    const since = Date.now() - keptDays * 86_400_000
    for (const piece of pieces) {
      if (piece.descriptor === undefined && statSync(join(folder, piece.name)).mtimeMs < since) drop(piece)
    }
  }

  const attempt = (id: string, write: () => void): void => {
    try {
      write()
    } catch (error) {
      const command = commands.get(id)
      if (command?.broken === true) return
      if (command !== undefined) command.broken = true
      onProblem(id, (error as Error).message)
    }
  }

  const pieceOf = (id: string, command: Open): Piece => {
    const { piece } = command
    if (piece?.descriptor !== undefined && piece.bytes < pieceMax) return piece
    if (piece?.descriptor !== undefined) closeSync(piece.descriptor)
    if (piece !== undefined) piece.descriptor = undefined
    const name = `${id}.${String(command.count++).padStart(6, "0")}.jsonl`
    const next: Piece = { name, bytes: 0, descriptor: openSync(join(folder, name), "ax", 0o600) }
    pieces.push(next)
    total += onDisk(0)
    command.piece = next
    return next
  }

  const append = (id: string, command: Open, entry: object): void => {
    const line = Buffer.from(`${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`)
    const piece = pieceOf(id, command)
    const written = writeSync(piece.descriptor!, line)
    total += onDisk(piece.bytes + written) - onDisk(piece.bytes)
    piece.bytes += written
    makeRoom()
  }

  const close = (command: Open): void => {
    if (command.piece?.descriptor !== undefined) closeSync(command.piece.descriptor)
    if (command.piece !== undefined) command.piece.descriptor = undefined
  }

  attempt("", () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is no folder`)
    chmodSync(folder, 0o700)
    pieces = readdirSync(folder).filter((name) => piecePattern.test(name))
      .map((name) => ({ name, found: statSync(join(folder, name)) }))
      .sort((a, b) => a.found.mtimeMs - b.found.mtimeMs || (a.name < b.name ? -1 : 1))
      .map(({ found, name }) => ({ name, bytes: found.size, descriptor: undefined }))
    total = pieces.reduce((sum, { bytes }) => sum + onDisk(bytes), 0)
    sweep()
    makeRoom()
  })

  return {
    begin: (id, facts) => {
      if (!idPattern.test(id) || commands.has(id)) return
      const command: Open = { piece: undefined, count: 0, broken: false }
      commands.set(id, command)
      attempt(id, () => {
        sweep()
        append(id, command, { type: "begin", ...facts, what: mask(facts.what).slice(0, whatLengthMax) })
      })
    },
    write: (id, stream, bytes) => {
      const command = commands.get(id)
      if (command === undefined || command.broken || bytes.length === 0) return
      attempt(id, () => append(id, command, { type: "output", stream, ...contentOf(bytes) }))
    },
    end: (id, { error, exit_code, outcome }) => {
      const command = commands.get(id)
      if (command === undefined) return
      attempt(id, () => {
        if (!command.broken) {
          append(id, command, {
            type: "end",
            outcome,
            ...(exit_code == null ? {} : { exit_code }),
            ...(error === undefined ? {} : { error })
          })
        }
        close(command)
      })
      commands.delete(id)
    },
    close: () => {
      for (const [id, command] of commands) attempt(id, () => close(command))
      commands.clear()
    }
  }
}

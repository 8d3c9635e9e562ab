/**
 * A command's output as lines: ordered by their completion, each from one stream, with parsed colors and reported gaps.
 * It processes each chunk once as it arrives; incomplete lines are kept apart and shown last.
 */
import type { OutputChunk } from "@countersign/domain/devices"
import { type AnsiReader, type Look, makeAnsiReader, type Piece } from "./ansi.ts"

export type StreamName = OutputChunk["stream"]

export interface Mark {
  readonly from: number
  readonly to: number
  readonly look: Look
}

export interface TextLine {
  readonly kind: "text"
  readonly stream: StreamName
  /** Tabs are spaces. */
  readonly text: string
  readonly marks: ReadonlyArray<Mark>
  /** The line was too long; the next line of its stream continues it. */
  readonly goesOn: boolean
}

export interface GapLine {
  readonly kind: "gap"
  readonly stream: StreamName
  /** The number of missing bytes. */
  readonly bytes: number
}

export type Line = TextLine | GapLine

/** Longer lines are split, so that each can be rendered quickly. */
export const lineLengthMax = 4_096
const tabStop = 8

interface Half {
  readonly ansi: AnsiReader
  text: string
  marks: Array<Mark>
  /** The stream's position in bytes. */
  at: number
  decoder: TextDecoder
}

const half = (): Half => ({ ansi: makeAnsiReader(), text: "", marks: [], at: 0, decoder: new TextDecoder() })

export interface OutputLog {
  /** Ignores a chunk that it already has. */
  readonly push: (chunk: OutputChunk) => void
  /** The output is complete; `bytes` is the total of both streams. */
  readonly end: (bytes: number) => void
  /** Complete lines; append-only. */
  readonly lines: ReadonlyArray<Line>
  /** Incomplete lines. */
  readonly open: () => ReadonlyArray<TextLine>
  /** The number of the newest chunk; -1 before the first. */
  readonly seq: () => number
  /** Whether this stream has output. */
  readonly has: (stream: StreamName) => boolean
}

const bytesIn = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

const encoder = new TextEncoder()

export const makeOutputLog = (): OutputLog => {
  const lines: Array<Line> = []
  const streams: Readonly<Record<StreamName, Half>> = { stdout: half(), stderr: half() }
  let newest = -1
  let isOver = false

  const close = (stream: StreamName, goesOn: boolean) => {
    const mine = streams[stream]
    lines.push({ kind: "text", stream, text: mine.text, marks: mine.marks, goesOn })
    mine.text = ""
    mine.marks = []
  }

  const add = (stream: StreamName, text: string, look: Look | undefined) => {
    const mine = streams[stream]
    for (let from = 0; from < text.length;) {
      const room = lineLengthMax - mine.text.length
      if (room <= 1) {
        close(stream, true)
        continue
      }
      let to = Math.min(text.length, from + room)
      // Not between the halves of a surrogate pair.
      if (to < text.length && /[\ud800-\udbff]/u.test(text.charAt(to - 1))) to--
      const start = mine.text.length
      mine.text += text.slice(from, to)
      if (look !== undefined) mine.marks.push({ from: start, to: mine.text.length, look })
      from = to
    }
  }

  const addLine = (stream: StreamName, text: string, look: Look | undefined) => {
    if (!text.includes("\t")) return add(stream, text, look)
    for (const [at, part] of text.split("\t").entries()) {
      if (at > 0) add(stream, " ".repeat(tabStop - (streams[stream].text.length % tabStop)), look)
      add(stream, part, look)
    }
  }

  const take = (stream: StreamName, { look, text }: Piece) => {
    // In a terminal a lone carriage return moves to the start of the line; here the text before it stays as its own
    // line.
    const parts = text.split(/\r?\n|(?<=\r)/u)
    const last = parts.pop() ?? ""
    for (const part of parts) {
      addLine(stream, part, look)
      close(stream, false)
    }
    addLine(stream, last, look)
  }

  const gap = (stream: StreamName, bytes: number) => {
    if (streams[stream].text !== "") close(stream, false)
    lines.push({ kind: "gap", stream, bytes })
  }

  return {
    lines,
    seq: () => newest,
    has: (stream) => streams[stream].at > 0,
    open: () =>
      (["stdout", "stderr"] as const).flatMap((stream) => {
        const { marks, text } = streams[stream]
        return text === "" ? [] : [{ kind: "text" as const, stream, text, marks: [...marks], goesOn: false }]
      }),
    push: ({ data, encoding, offset, seq, stream }) => {
      if (seq <= newest || isOver) return
      newest = seq
      const mine = streams[stream]
      const bytes = encoding === "base64" ? bytesIn(data) : undefined
      const length = bytes?.length ?? encoder.encode(data).length
      if (offset > mine.at) gap(stream, offset - mine.at)
      mine.at = offset + length
      const text = bytes === undefined ? data : mine.decoder.decode(bytes)
      for (const piece of mine.ansi.read(text)) take(stream, piece)
    },
    end: (bytes) => {
      if (isOver) return
      isOver = true
      for (const stream of ["stdout", "stderr"] as const) {
        for (const piece of streams[stream].ansi.end()) take(stream, piece)
        if (streams[stream].text !== "") close(stream, false)
      }
      const missing = bytes - streams.stdout.at - streams.stderr.at
      if (missing > 0) gap("stdout", missing)
    }
  }
}

/** The text of lines for the clipboard. */
export const textOf = (lines: ReadonlyArray<Line>, gapText: (bytes: number) => string): string =>
  lines.map((line) => (line.kind === "gap" ? `[${gapText(line.bytes)}]\n` : line.goesOn ? line.text : `${line.text}\n`))
    .join("")

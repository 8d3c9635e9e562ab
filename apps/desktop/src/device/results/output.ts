/**
 * Sends a command's output to the hub in chunks, in order across both streams; chunks end on characters and are resent
 * from the hub's `next_seq`. The first MiB is sent immediately, the rest at most 64 KiB per second, and the last 3 MiB
 * at the end of the command. A chunk that the hub refuses is sent again as base64, then left out. Spec:
 * reference/devices.md "Output".
 */
import { chunkBytesMax, type Output } from "@countersign/domain/device-protocol"
import type { Mask, Masker } from "./masker.ts"
import { type Block, makeOutputQueue, type StreamName } from "./output-queue.ts"
import { asText } from "./text.ts"

export type { StreamName } from "./output-queue.ts"

const flushMillis = 250
const slowFlushMillis = 500
const watchedMillis = 60_000
const eagerBytes = 16 * 1024
/** Between chunks after the head, while the command runs. */
const tailMillis = 1_000
/** Chunks sent and not yet acknowledged. */
const windowMax = 8

export type Chunk = Omit<Output, "lease">

interface Sent {
  readonly block: Block
  chunk: Chunk
}

export interface OutputSender {
  readonly write: (stream: StreamName, bytes: Uint8Array) => void
  /** Call after the last output. Settles when the hub has all kept output, or after `abandon`. */
  readonly end: () => Promise<void>
  /** The hub has every chunk before `nextSeq`. */
  readonly acknowledged: (nextSeq: number) => void
  /** Resends everything from `nextSeq`: after a gap, or on a new connection. */
  readonly resend: (nextSeq?: number) => void
  /** The hub refuses this chunk, by default the oldest one, in its present form. */
  readonly refused: (seq?: number) => void
  /** Stops sending output. */
  readonly abandon: () => void
  /** The last chunk that was sent; -1 before the first. */
  readonly lastSeq: () => number
  /**
   * When the hub last acknowledged output, or the oldest unacknowledged chunk was first sent. None if nothing is
   * unacknowledged.
   */
  readonly unconfirmedSince: () => number | undefined
  /** Bytes dropped because the command printed too much. */
  readonly dropped: () => number
}

/** Number of bytes (0 to 3) at the end that begin an incomplete character. */
const tornEnd = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}

const chunkOf = (seq: number, { bytes, offset, stream }: Block): Chunk => {
  const text = asText(bytes)
  return {
    seq,
    stream,
    offset,
    ...(text === undefined ? { data: bytes.toString("base64"), encoding: "base64" } : { data: text, encoding: "utf8" })
  }
}

/** The same output in the next form that a hub may accept: base64, then a gap in the offsets. None after that. */
const otherForm = ({ block: { bytes, offset, stream }, chunk }: Sent): Chunk | undefined => {
  if (chunk.data === "") return undefined
  return chunk.encoding === "utf8"
    ? { ...chunk, data: bytes.toString("base64"), encoding: "base64" }
    : { seq: chunk.seq, stream, offset: offset + bytes.length, data: "", encoding: "utf8" }
}

/** `keepHere` receives all output, masked and in whole characters, including output that the hub does not receive. */
export const makeOutput = (
  mask: Mask,
  send: (chunk: Chunk) => void,
  keepHere?: (stream: StreamName, bytes: Buffer) => void
): OutputSender => {
  const begun = performance.now()
  const streams: Record<StreamName, { readonly masker: Masker; torn: Buffer }> = {
    stdout: { masker: mask.stream(), torn: Buffer.alloc(0) },
    stderr: { masker: mask.stream(), torn: Buffer.alloc(0) }
  }
  const queue = makeOutputQueue()
  let flying: Array<Sent> = []
  let nextSeq = 0
  /** Chunks before this one are sent one at a time: the hub refused one of them and may refuse the next. */
  let singleUntil = 0
  let progressAt = 0
  let timer: NodeJS.Timeout | undefined
  let lastTail = -Infinity
  let ended = false
  let abandoned = false
  let settle: (() => void) | undefined

  const isDone = () => abandoned || (ended && queue.bytes() === 0 && flying.length === 0)

  const keep = (stream: StreamName, bytes: Buffer): void => {
    if (bytes.length === 0) return
    keepHere?.(stream, bytes)
    if (!abandoned) queue.push(stream, bytes)
  }

  const isSingle = (): boolean => flying[0] !== undefined && flying[0].chunk.seq < singleUntil

  const pump = (): void => {
    if (abandoned) return
    while (!isSingle() && flying.length < windowMax && queue.bytes() > 0) {
      if (!queue.isHead() && !ended) {
        const now = performance.now()
        if (now - lastTail < tailMillis) break
        lastTail = now
      }
      const block = queue.take(chunkBytesMax)
      if (block === undefined) break
      if (flying.length === 0) progressAt = performance.now()
      const chunk = chunkOf(nextSeq++, block)
      flying.push({ block, chunk })
      send(chunk)
    }
    plan()
    if (isDone()) settle?.()
  }

  const plan = (): void => {
    if (timer !== undefined || queue.bytes() === 0 || ended || abandoned) return
    const millis = !queue.isHead()
      ? tailMillis
      : performance.now() - begun < watchedMillis
      ? flushMillis
      : slowFlushMillis
    timer = setTimeout(() => {
      timer = undefined
      pump()
    }, millis)
  }

  const sendAgain = (): void => {
    for (const { chunk } of isSingle() ? flying.slice(0, 1) : flying) send(chunk)
  }

  const abandon = (): void => {
    abandoned = true
    clearTimeout(timer)
    flying = []
    settle?.()
  }

  return {
    write: (stream, bytes) => {
      if (ended) return
      const state = streams[stream]
      const masked = Buffer.concat([state.torn, state.masker.push(bytes)])
      const torn = tornEnd(masked)
      state.torn = masked.subarray(masked.length - torn)
      keep(stream, masked.subarray(0, masked.length - torn))
      if (abandoned) return
      if (queue.isHead() && queue.bytes() >= eagerBytes && performance.now() - begun < watchedMillis) pump()
      else plan()
    },
    end: () =>
      new Promise((resolve) => {
        settle = resolve
        if (!ended) {
          for (const stream of ["stdout", "stderr"] as const) {
            const state = streams[stream]
            keep(stream, Buffer.concat([state.torn, state.masker.end()]))
          }
          ended = true
          clearTimeout(timer)
        }
        pump()
        if (isDone()) resolve()
      }),
    acknowledged: (next) => {
      const before = flying.length
      const wasSingle = isSingle()
      flying = flying.filter(({ chunk }) => chunk.seq >= next)
      if (flying.length < before) {
        progressAt = performance.now()
        if (wasSingle) sendAgain()
      }
      pump()
    },
    resend: (next) => {
      if (next !== undefined) flying = flying.filter(({ chunk }) => chunk.seq >= next)
      sendAgain()
      pump()
    },
    refused: (seq) => {
      const [oldest] = flying
      if (oldest === undefined || (seq !== undefined && seq !== oldest.chunk.seq)) return
      const other = otherForm(oldest)
      if (other === undefined) return abandon()
      oldest.chunk = other
      singleUntil = nextSeq
      send(other)
    },
    abandon,
    lastSeq: () => nextSeq - 1,
    unconfirmedSince: () => flying.length === 0 ? undefined : progressAt,
    dropped: queue.dropped
  }
}

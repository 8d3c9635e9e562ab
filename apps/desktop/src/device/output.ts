/**
 * What a command prints, on its way to the hub: in order over both streams, in chunks on code points, again from where the hub says. The
 * first MiB goes as it comes; after it at most 64 KiB a second, the oldest of the last 3 MiB, whose gaps show in `offset`; memory stays
 * bounded whatever is printed. Spec: contract 8a "output", desktop 4.3 "output".
 */
import { chunkBytesMax, headBytesMax, type Output, tailBytesMax } from "@countersign/domain/device-protocol"
import type { Mask, Masker } from "./masker.ts"

export const flushMillis = 250
const slowFlushMillis = 500
const watchedMillis = 60_000
const eagerBytes = 16 * 1024
/** After the head. */
const tailMillis = 1_000
/** Chunks sent and not yet acknowledged. */
const windowMax = 8

export type StreamName = "stdout" | "stderr"
export type Chunk = Omit<Output, "lease">

interface Block {
  readonly stream: StreamName
  readonly offset: number
  readonly bytes: Buffer
}

export interface OutputSender {
  readonly write: (stream: StreamName, bytes: Uint8Array) => void
  /** No more comes. Settles when the hub has everything that is kept; `abandon` settles it too. */
  readonly end: () => Promise<void>
  /** The hub has all before this. */
  readonly acknowledged: (nextSeq: number) => void
  /** The hub wants everything from here again: a gap, or a new connection. */
  readonly resend: (nextSeq?: number) => void
  /** The hub takes none of it any more. */
  readonly abandon: () => void
  /** The last that was sent; none yet: -1. */
  readonly lastSeq: () => number
}

/** Where a chunk of at most `length` bytes may end, so that no character is torn. */
const characterEnd = (bytes: Buffer, length: number): number => {
  if (length >= bytes.length) return bytes.length
  let at = length
  while (at > length - 4 && at > 0 && (bytes[at]! & 0xc0) === 0x80) at--
  // Not UTF-8: any place will do.
  return at > 0 && (bytes[at]! & 0xc0) !== 0x80 ? at : length
}

/** Bytes at the end that begin a character whose rest has not come: 0 to 3. */
const tornEnd = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const asText = (bytes: Buffer): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** `keepHere` gets all of it, masked and on whole characters, also what the hub does not. */
export const makeOutput = (mask: Mask, send: (chunk: Chunk) => void, keepHere?: (stream: StreamName, bytes: Buffer) => void): OutputSender => {
  const begun = performance.now()
  const streams: Record<StreamName, { readonly masker: Masker; offset: number; torn: Buffer }> = {
    stdout: { masker: mask.stream(), offset: 0, torn: Buffer.alloc(0) },
    stderr: { masker: mask.stream(), offset: 0, torn: Buffer.alloc(0) }
  }
  let waiting: Array<Block> = []
  let waitingBytes = 0
  let headLeft = headBytesMax
  /** Sent, not acknowledged. */
  let flying: Array<Chunk> = []
  let nextSeq = 0
  let timer: NodeJS.Timeout | undefined
  let lastTail = -Infinity
  let ended = false
  let abandoned = false
  let settle: (() => void) | undefined

  const isDone = () => abandoned || (ended && waiting.length === 0 && flying.length === 0)

  const keep = (stream: StreamName, bytes: Buffer): void => {
    if (bytes.length === 0) return
    keepHere?.(stream, bytes)
    if (abandoned) return
    const state = streams[stream]
    const last = waiting.at(-1)
    if (last !== undefined && last.stream === stream && last.offset + last.bytes.length === state.offset && last.bytes.length + bytes.length <= eagerBytes) {
      waiting[waiting.length - 1] = { ...last, bytes: Buffer.concat([last.bytes, bytes]) }
    } else waiting.push({ stream, offset: state.offset, bytes })
    state.offset += bytes.length
    waitingBytes += bytes.length
    let dropped = 0
    // The head is never let go: what is left of it stands before the tail.
    while (waitingBytes > tailBytesMax + headLeft && dropped < waiting.length - 1) waitingBytes -= waiting[dropped++]!.bytes.length
    if (dropped > 0) waiting = waiting.slice(dropped)
  }

  const take = (most: number): Block | undefined => {
    const first = waiting[0]
    if (first === undefined) return undefined
    // Neighbours of one stream go together.
    const parts = [first.bytes]
    let size = first.bytes.length
    let count = 1
    for (; size < most && count < waiting.length; count++) {
      const next = waiting[count]!
      if (next.stream !== first.stream || next.offset !== first.offset + size) break
      parts.push(next.bytes)
      size += next.bytes.length
    }
    const whole = parts.length === 1 ? first.bytes : Buffer.concat(parts)
    const length = characterEnd(whole, Math.min(whole.length, most))
    waiting.splice(0, count)
    if (length < whole.length) waiting.unshift({ stream: first.stream, offset: first.offset + length, bytes: whole.subarray(length) })
    waitingBytes -= length
    return { stream: first.stream, offset: first.offset, bytes: whole.subarray(0, length) }
  }

  const pump = (all: boolean): void => {
    if (abandoned) return
    while (flying.length < windowMax && waiting.length > 0) {
      if (headLeft <= 0 && !all) {
        const now = performance.now()
        if (now - lastTail < tailMillis) break
        lastTail = now
      }
      const block = take(headLeft > 0 && !all ? Math.min(chunkBytesMax, Math.max(headLeft, 4)) : chunkBytesMax)
      if (block === undefined) break
      headLeft -= Math.min(headLeft, block.bytes.length)
      const text = asText(block.bytes)
      const chunk: Chunk = {
        seq: nextSeq++, stream: block.stream, offset: block.offset,
        ...(text === undefined ? { data: block.bytes.toString("base64"), encoding: "base64" } : { data: text, encoding: "utf8" })
      }
      flying.push(chunk)
      send(chunk)
    }
    plan()
    if (isDone()) settle?.()
  }

  const plan = (): void => {
    if (timer !== undefined || waiting.length === 0 || ended || abandoned) return
    const millis = headLeft <= 0 ? tailMillis : performance.now() - begun < watchedMillis ? flushMillis : slowFlushMillis
    timer = setTimeout(() => {
      timer = undefined
      pump(false)
    }, millis)
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
      if (headLeft > 0 && waitingBytes >= eagerBytes && performance.now() - begun < watchedMillis) pump(false)
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
        pump(true)
        if (isDone()) resolve()
      }),
    acknowledged: (next) => {
      flying = flying.filter(({ seq }) => seq >= next)
      pump(ended)
    },
    resend: (next) => {
      if (next !== undefined) flying = flying.filter(({ seq }) => seq >= next)
      for (const chunk of flying) send(chunk)
      pump(ended)
    },
    abandon: () => {
      abandoned = true
      clearTimeout(timer)
      waiting = []
      flying = []
      settle?.()
    },
    lastSeq: () => nextSeq - 1
  }
}

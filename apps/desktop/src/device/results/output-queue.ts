/**
 * Output queued for the hub, bounded in memory: the first MiB in full, and the last 3 MiB of the rest. Dropped output
 * appears as a gap in the offsets. Spec: reference/devices.md "Output".
 */
import { headBytesMax, tailBytesMax } from "@countersign/domain/device-protocol"

export type StreamName = "stdout" | "stderr"

export interface Block {
  readonly stream: StreamName
  /** In bytes of its stream, including dropped ones. */
  readonly offset: number
  readonly bytes: Buffer
}

/** Blocks of one stream are joined up to this size. */
const blockBytes = 16 * 1024
/**
 * In a queue with more blocks than this, alternating streams are joined too: their order is then exact only within a
 * few blocks.
 */
const blocksMax = 8_192

/** The longest end of at most `length` bytes that splits no character. */
const characterEnd = (bytes: Buffer, length: number): number => {
  if (length >= bytes.length) return bytes.length
  let at = length
  while (at > length - 4 && at > 0 && (bytes[at]! & 0xc0) === 0x80) at--
  // Not UTF-8: any cut is valid.
  return at > 0 && (bytes[at]! & 0xc0) !== 0x80 ? at : length
}

const isNext = (before: Block, { offset, stream }: Block): boolean =>
  before.stream === stream && before.offset + before.bytes.length === offset

/** First in, first out. */
class Blocks {
  #blocks: Array<Block> = []
  #first = 0
  bytes = 0

  get length(): number {
    return this.#blocks.length - this.#first
  }

  push(block: Block): void {
    this.bytes += block.bytes.length
    const last = this.#blocks.length - 1
    for (let at = last; at >= this.#first && at >= last - (this.length > blocksMax ? 1 : 0); at--) {
      const before = this.#blocks[at]!
      if (!isNext(before, block) || before.bytes.length + block.bytes.length > blockBytes) continue
      this.#blocks[at] = { ...before, bytes: Buffer.concat([before.bytes, block.bytes]) }
      return
    }
    this.#blocks.push(block)
  }

  /** Drops the oldest block if at least `kept` bytes remain. Returns its size, or 0 if it stays. */
  dropOver(kept: number): number {
    const size = this.#blocks[this.#first]?.bytes.length ?? 0
    if (size === 0 || this.bytes - size < kept) return 0
    this.bytes -= size
    this.#forget(1)
    return size
  }

  /** The oldest output, at most `most` bytes of one stream, ending on a character. */
  take(most: number): Block | undefined {
    const first = this.#blocks[this.#first]
    if (first === undefined) return undefined
    const parts = [first.bytes]
    let size = first.bytes.length
    let count = 1
    for (; size < most && count < this.length; count++) {
      const next = this.#blocks[this.#first + count]!
      if (next.stream !== first.stream || next.offset !== first.offset + size) break
      parts.push(next.bytes)
      size += next.bytes.length
    }
    const whole = parts.length === 1 ? first.bytes : Buffer.concat(parts)
    const length = characterEnd(whole, Math.min(whole.length, most))
    if (length < whole.length) {
      this.#forget(count - 1)
      this.#blocks[this.#first] = { stream: first.stream, offset: first.offset + length, bytes: whole.subarray(length) }
    } else this.#forget(count)
    this.bytes -= length
    return { stream: first.stream, offset: first.offset, bytes: whole.subarray(0, length) }
  }

  /** Releases taken blocks at once; compacts the array from time to time. */
  #forget(count: number): void {
    for (const end = this.#first + count; this.#first < end;) this.#blocks[this.#first++] = released
    if (this.#first < 1_024 || this.#first * 2 < this.#blocks.length) return
    this.#blocks = this.#blocks.slice(this.#first)
    this.#first = 0
  }
}

const released: Block = { stream: "stdout", offset: 0, bytes: Buffer.alloc(0) }

export interface OutputQueue {
  readonly push: (stream: StreamName, bytes: Buffer) => void
  /** The next output to send, the head first; at most `most` bytes. */
  readonly take: (most: number) => Block | undefined
  readonly bytes: () => number
  /** The next `take` returns output of the first MiB. */
  readonly isHead: () => boolean
  /** Bytes dropped between the head and the tail. */
  readonly dropped: () => number
}

export const makeOutputQueue = (): OutputQueue => {
  const head = new Blocks()
  const tail = new Blocks()
  const offsets: Record<StreamName, number> = { stdout: 0, stderr: 0 }
  let headRoom = headBytesMax
  let dropped = 0
  const pushTo = (blocks: Blocks, stream: StreamName, bytes: Buffer): void => {
    if (bytes.length === 0) return
    blocks.push({ stream, offset: offsets[stream], bytes })
    offsets[stream] += bytes.length
  }
  return {
    push: (stream, bytes) => {
      // A character that begins in the head belongs to it.
      const length = headRoom <= 0
        ? 0
        : headRoom >= bytes.length
        ? bytes.length
        : characterEnd(bytes, Math.min(bytes.length, headRoom + 3))
      headRoom -= length
      pushTo(head, stream, bytes.subarray(0, length))
      // Cut to blocks, so that at most one block more than necessary is dropped.
      for (let at = length; at < bytes.length;) {
        const end = at + characterEnd(bytes.subarray(at), blockBytes)
        pushTo(tail, stream, bytes.subarray(at, end))
        at = end
      }
      for (let size = tail.dropOver(tailBytesMax); size > 0; size = tail.dropOver(tailBytesMax)) dropped += size
    },
    take: (most) => head.length > 0 ? head.take(most) : tail.take(most),
    bytes: () => head.bytes + tail.bytes,
    isHead: () => head.length > 0 || headRoom > 0,
    dropped: () => dropped
  }
}

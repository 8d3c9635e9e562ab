/** The beginning and the end of a stream, so that a flood of output needs no memory. Pure. */

export interface HeadAndTail {
  readonly push: (bytes: Uint8Array) => void
  readonly isEmpty: () => boolean
  /** Bytes dropped between the beginning and the end. */
  readonly omitted: () => number
  /** The kept bytes: one part if none were omitted, otherwise two with `gap` between them. */
  readonly text: (decode: (bytes: Uint8Array) => string, gap: string) => string
}

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(a.length + b.length)
  whole.set(a)
  whole.set(b, a.length)
  return whole
}

export const makeHeadAndTail = (headBytesMax: number, tailBytesMax: number): HeadAndTail => {
  let head: Uint8Array = new Uint8Array()
  let tail: Uint8Array = new Uint8Array()
  let omitted = 0
  return {
    push: (bytes) => {
      const room = Math.max(0, headBytesMax - head.length)
      if (room > 0) head = joined(head, bytes.subarray(0, room))
      const rest = joined(tail, bytes.subarray(room))
      tail = rest.slice(Math.max(0, rest.length - tailBytesMax))
      omitted += rest.length - tail.length
    },
    isEmpty: () => head.length === 0,
    omitted: () => omitted,
    text: (decode, gap) => omitted === 0 ? decode(joined(head, tail)) : `${decode(head)}${gap}${decode(tail)}`
  }
}

/**
 * SHA-256 in pieces (FIPS 180-4): the browser's own digest needs the whole file in memory, and exists on secure pages
 * only.
 */

const primes = (count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let each = 2; found.length < count; each++) {
    if (found.every((prime) => each % prime !== 0)) found.push(each)
  }
  return found
}
/** The first 32 bits of the fraction. */
const fraction = (value: number): number => ((value - Math.floor(value)) * 2 ** 32) | 0

const rounds = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)))
const blockBytes = 64

export interface Sha256 {
  readonly add: (bytes: Uint8Array) => void
  /** In lower-case hexadecimal digits. Nothing may be added afterwards. */
  readonly end: () => string
}

export const sha256 = (): Sha256 => {
  const state = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)))
  const words = new Int32Array(64)
  const rest = new Uint8Array(blockBytes)
  let held = 0
  let length = 0

  const block = (bytes: Uint8Array, at: number) => {
    for (let i = 0; i < 16; i++) {
      const from = at + i * 4
      words[i] = bytes[from]! << 24 | bytes[from + 1]! << 16 | bytes[from + 2]! << 8 | bytes[from + 3]!
    }
    for (let i = 16; i < 64; i++) {
      const low = words[i - 15]!
      const high = words[i - 2]!
      const s0 = (low >>> 7 | low << 25) ^ (low >>> 18 | low << 14) ^ low >>> 3
      const s1 = (high >>> 17 | high << 15) ^ (high >>> 19 | high << 13) ^ high >>> 10
      words[i] = words[i - 16]! + s0 + words[i - 7]! + s1 | 0
    }
    let a = state[0]!
    let b = state[1]!
    let c = state[2]!
    let d = state[3]!
    let e = state[4]!
    let f = state[5]!
    let g = state[6]!
    let h = state[7]!
    for (let i = 0; i < 64; i++) {
      const s1 = (e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)
      const first = h + s1 + (e & f ^ ~e & g) + rounds[i]! + words[i]! | 0
      const s0 = (a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)
      const second = s0 + (a & b ^ a & c ^ b & c) | 0
      h = g
      g = f
      f = e
      e = d + first | 0
      d = c
      c = b
      b = a
      a = first + second | 0
    }
    state[0] = state[0]! + a | 0
    state[1] = state[1]! + b | 0
    state[2] = state[2]! + c | 0
    state[3] = state[3]! + d | 0
    state[4] = state[4]! + e | 0
    state[5] = state[5]! + f | 0
    state[6] = state[6]! + g | 0
    state[7] = state[7]! + h | 0
  }

  const add = (bytes: Uint8Array) => {
    length += bytes.length
    let at = 0
    if (held > 0) {
      at = Math.min(blockBytes - held, bytes.length)
      rest.set(bytes.subarray(0, at), held)
      held += at
      if (held < blockBytes) return
      block(rest, 0)
      held = 0
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) block(bytes, at)
    rest.set(bytes.subarray(at))
    held = bytes.length - at
  }

  return {
    add,
    end: () => {
      const bits = length * 8
      const tail = new Uint8Array((held < 56 ? 56 : 120) - held + 8)
      tail[0] = 0x80
      const view = new DataView(tail.buffer)
      view.setUint32(tail.length - 8, Math.floor(bits / 2 ** 32))
      view.setUint32(tail.length - 4, bits >>> 0)
      add(tail)
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
    }
  }
}

const pieceBytes = 4 * 1024 * 1024

/** The SHA-256 of a file, read in pieces. `onProgress` gets the bytes read so far. */
export const fileSha256 = async (
  file: Blob,
  signal: AbortSignal,
  onProgress: (bytes: number) => void
): Promise<string> => {
  const hash = sha256()
  for (let at = 0; at < file.size; at += pieceBytes) {
    const piece = new Uint8Array(await file.slice(at, at + pieceBytes).arrayBuffer())
    signal.throwIfAborted()
    hash.add(piece)
    onProgress(Math.min(file.size, at + pieceBytes))
  }
  return hash.end()
}

/// <reference lib="es2025.float16" />
/**
 * Vectors as they are stored: a code of one bit for each number, which finds candidates, and the numbers themselves as
 * halves, which rank them. Measured on a million vectors: 200 to 500 candidates by code have a recall of 1.
 */

/** The code as the text of a `bit varying`: 1 for each number above 0. */
export const codeOf = (vector: Float32Array): string => {
  let code = ""
  for (const value of vector) code += value > 0 ? "1" : "0"
  return code
}

/** The code as bytes, the first number in the highest bit, as `varbit_send` sends it after four bytes of length. */
export const codeBytesOf = (vector: Float32Array): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(Math.ceil(vector.length / 8))
  for (let index = 0; index < vector.length; index++) {
    if (vector[index]! > 0) bytes[index >> 3]! |= 0x80 >> (index & 7)
  }
  return bytes
}

/** Their direction on average, of length 1. At least one vector, all of the same length. */
export const meanOf = (vectors: ReadonlyArray<Float32Array>): Float32Array<ArrayBuffer> => {
  const mean = new Float32Array(vectors[0]!.length)
  for (const vector of vectors) for (let index = 0; index < mean.length; index++) mean[index]! += vector[index]!
  const length = Math.hypot(...mean)
  return length === 0 ? mean : mean.map((value) => value / length)
}

/** Two bytes for each number, the low byte first. */
export const encodeHalves = (vector: Float32Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new Float16Array(vector).buffer)

export const decodeHalves = (bytes: Uint8Array): Float32Array<ArrayBuffer> =>
  new Float32Array(new Float16Array(Uint8Array.from(bytes).buffer))

/** The cosine of a vector and stored ones, one at a time, without a copy of each. */
export const cosineWith = (vector: Float32Array): (halves: Uint8Array) => number => {
  const read = new Float16Array(vector.length)
  const bytes = new Uint8Array(read.buffer)
  const decoded = new Float32Array(vector.length)
  return (halves) => {
    if (halves.length !== bytes.length) return 0
    bytes.set(halves)
    decoded.set(read)
    return cosine(vector, decoded)
  }
}

/** From -1 to 1; 0 when a vector has no direction or the lengths differ. */
export const cosine = (left: Float32Array, right: Float32Array): number => {
  if (left.length !== right.length) return 0
  let dot = 0
  let leftSquares = 0
  let rightSquares = 0
  for (let index = 0; index < left.length; index++) {
    const a = left[index]!
    const b = right[index]!
    dot += a * b
    leftSquares += a * a
    rightSquares += b * b
  }
  const scale = Math.sqrt(leftSquares * rightSquares)
  return scale === 0 ? 0 : dot / scale
}

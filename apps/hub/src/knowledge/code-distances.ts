/**
 * The number of bits in which codes differ from the code of a query. WebAssembly has an instruction that counts the bits of 64 at
 * once, which JavaScript has not: a scan takes a tenth of the time.
 */
import { webAssembly } from "../platform/web-assembly.ts"

/** Words of 32 bits that are counted in one step: codes are padded with zeros to a multiple. */
export const wordsOfStep = 4
const stepBytes = wordsOfStep * 4

/** Instructions and types, as WebAssembly encodes them. */
const [loop, end, branchIf, noResult] = [0x03, 0x0b, 0x0d, 0x40] as const
const [get, set, int64Load, int64Store16] = [0x20, 0x21, 0x29, 0x3d] as const
const [int32, int32Add, int32Less] = [0x41, 0x6a, 0x49] as const
const [int64, int64Add, int64Xor, int64CountBits] = [0x42, 0x7c, 0x85, 0x7b] as const
const [typeInt32, typeInt64, typeFunction] = [0x7f, 0x7e, 0x60] as const
/** The parameters of the function, then its local variables. */
const [code, codesEnd, codeBytes, distance, query, sum] = [0, 1, 2, 3, 4, 5] as const

const load = (address: number, offset: number) => [get, address, int64Load, 3, offset]
const differing = (offset: number) => [...load(query, offset), ...load(code, offset), int64Xor, int64CountBits]
const advance = (address: number, bytes: number) => [get, address, int32, bytes, int32Add, set, address]
const repeatBelow = (address: number, limit: number) => [get, address, get, limit, int32Less, branchIf, 0, end]

/**
 * For at least one code. The code of the query is at address 0; `code` moves over all codes, and each distance is stored as 16 bits
 * at `distance`.
 */
const instructions = [
  [loop, noResult, int64, 0, set, sum, int32, 0, set, query],
  [loop, noResult, get, sum, ...differing(0), int64Add, ...differing(8), int64Add, set, sum],
  [...advance(code, stepBytes), ...advance(query, stepBytes), ...repeatBelow(query, codeBytes)],
  [get, distance, get, sum, int64Store16, 1, 0, ...advance(distance, 2), ...repeatBelow(code, codesEnd)]
].flat()

const pages = 8
const memoryBytes = pages * 65_536
const section = (id: number, ...content: ReadonlyArray<number>) => [id, content.length, ...content]
const name = (text: string) => [text.length, ...Buffer.from(text)]
const body = [2, 1, typeInt32, 1, typeInt64, ...instructions, end]
const binary = [
  [0, ...Buffer.from("asm"), 1, 0, 0, 0],
  section(1, 1, typeFunction, 4, typeInt32, typeInt32, typeInt32, typeInt32, 0),
  section(3, 1, 0),
  section(5, 1, 0, pages),
  section(7, 2, ...name("memory"), 2, 0, ...name("run"), 0, 0),
  section(10, 1, body.length, ...body)
].flat()
const { memory, run } = new webAssembly.Instance(new webAssembly.Module(Uint8Array.from(binary)), {}).exports as {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly run: (code: number, codesEnd: number, codeBytes: number, distance: number) => void
}
const memoryWords = new Uint32Array(memory.buffer)

/** So many codes of this length are compared at once. */
export const codesAtOnce = (perCode: number): number => Math.floor((memoryBytes / 4 - perCode) / (perCode + 1))

/** Of at least one code and at most `codesAtOnce`. The next call overwrites the result. */
export const distancesOf = (codes: Uint32Array, query: Uint32Array): Uint16Array => {
  const distancesAt = (query.length + codes.length) * 4
  memoryWords.set(query)
  memoryWords.set(codes, query.length)
  run(query.length * 4, distancesAt, query.length * 4, distancesAt)
  return new Uint16Array(memory.buffer, distancesAt, codes.length / query.length)
}

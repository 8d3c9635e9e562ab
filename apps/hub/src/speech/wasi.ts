/**
 * The part of WASI that the speech engine needs: arguments, a clock that is always zero, and one output file in memory. No
 * disk, no network, no randomness: the same text is always the same audio. `node:wasi` is not used because it prints a
 * warning.
 */
import { type WasmModule, webAssembly } from "../platform/web-assembly.ts"

const success = 0
const badDescriptor = 8
const notFound = 44
/** The one directory that the program may open files in. */
const directory = 3
const outputFile = 4

class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

/** Bytes that grow as they are written. */
class MemoryFile {
  #bytes = new Uint8Array(1 << 20)
  #size = 0
  position = 0

  write(chunk: Uint8Array): void {
    const end = this.position + chunk.length
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, this.#bytes.length * 2))
      larger.set(this.#bytes.subarray(0, this.#size))
      this.#bytes = larger
    }
    this.#bytes.set(chunk, this.position)
    this.position = end
    this.#size = Math.max(this.#size, end)
  }

  seek(offset: number, whence: number): number {
    this.position = whence === 0 ? offset : whence === 1 ? this.position + offset : this.#size + offset
    return this.position
  }

  get content(): Uint8Array {
    return this.#bytes.slice(0, this.#size)
  }
}

/** Runs a program with arguments; the content of the file that it wrote, or `undefined` if it failed. */
export const runProgram = (module: WasmModule, args: ReadonlyArray<string>): Uint8Array | undefined => {
  const encoder = new TextEncoder()
  const encoded = args.map((arg) => encoder.encode(`${arg}\0`))
  const file = new MemoryFile()
  let memory: { readonly buffer: ArrayBuffer } | undefined
  const view = () => new DataView(memory!.buffer)
  const bytes = (at: number, length: number) => new Uint8Array(memory!.buffer, at, length)
  const host = {
    args_sizes_get: (count: number, size: number) => {
      view().setUint32(count, encoded.length, true)
      view().setUint32(size, encoded.reduce((sum, arg) => sum + arg.length, 0), true)
      return success
    },
    args_get: (pointers: number, buffer: number) => {
      let at = buffer
      for (const [index, arg] of encoded.entries()) {
        view().setUint32(pointers + index * 4, at, true)
        bytes(at, arg.length).set(arg)
        at += arg.length
      }
      return success
    },
    clock_time_get: (_id: number, _precision: bigint, result: number) => {
      view().setBigUint64(result, 0n, true)
      return success
    },
    fd_close: () => success,
    fd_fdstat_get: (descriptor: number, result: number) => {
      if (descriptor > outputFile) return badDescriptor
      bytes(result, 24).fill(0)
      view().setUint8(result, descriptor === directory ? 3 : descriptor === outputFile ? 4 : 2)
      view().setBigUint64(result + 8, 0xffff_ffff_ffff_ffffn, true)
      view().setBigUint64(result + 16, 0xffff_ffff_ffff_ffffn, true)
      return success
    },
    fd_fdstat_set_flags: () => success,
    fd_prestat_get: (descriptor: number, result: number) => {
      if (descriptor !== directory) return badDescriptor
      view().setUint32(result, 0, true)
      view().setUint32(result + 4, 1, true)
      return success
    },
    fd_prestat_dir_name: (descriptor: number, path: number, length: number) => {
      if (descriptor !== directory || length < 1) return badDescriptor
      bytes(path, 1)[0] = 0x2f
      return success
    },
    fd_read: (_descriptor: number, _list: number, _count: number, result: number) => {
      view().setUint32(result, 0, true)
      return success
    },
    fd_seek: (descriptor: number, offset: bigint, whence: number, result: number) => {
      if (descriptor !== outputFile) return badDescriptor
      view().setBigUint64(result, BigInt(file.seek(Number(offset), whence)), true)
      return success
    },
    fd_write: (descriptor: number, list: number, count: number, result: number) => {
      let written = 0
      for (let index = 0; index < count; index++) {
        const at = view().getUint32(list + index * 8, true)
        const length = view().getUint32(list + index * 8 + 4, true)
        if (descriptor === outputFile) file.write(bytes(at, length))
        written += length
      }
      view().setUint32(result, written, true)
      return success
    },
    path_open: (
      base: number,
      _dirFlags: number,
      _path: number,
      _length: number,
      openFlags: number,
      _rights: bigint,
      _inheriting: bigint,
      _fdFlags: number,
      result: number
    ) => {
      // Only the output, which it creates.
      if (base !== directory || (openFlags & 1) === 0) return notFound
      view().setUint32(result, outputFile, true)
      return success
    },
    proc_exit: (code: number) => {
      throw new Exit(code)
    }
  }
  const instance = new webAssembly.Instance(module, { wasi_snapshot_preview1: host })
  memory = instance.exports["memory"] as { readonly buffer: ArrayBuffer }
  try {
    ;(instance.exports["_start"] as () => void)()
  } catch (error) {
    if (!(error instanceof Exit) || error.code !== 0) return undefined
  }
  const { content } = file
  return content.length === 0 ? undefined : content
}

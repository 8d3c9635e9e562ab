/** Receives bytes into a file: flat memory, a digest while they arrive, a limit, and a time limit on silence. */
import { Effect, Schema, type Scope } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { lstat, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { streamedBytes } from "../platform/memory.ts"
import { type FileOpener, SpoolFiles } from "./patience.ts"
import { type Spooled, StoreFailure } from "./store.ts"

/** Of the names of received files. */
const spooledPrefix = "countersign-upload-"

/** A sender that is silent for this long is cut off. */
export const silenceMillisMax = 60_000

/** `too_large`: more than the limit. `incomplete`: the sender stopped. */
export class SpoolRefused extends Schema.TaggedError<SpoolRefused>()("SpoolRefused", {
  reason: Schema.Literals(["too_large", "incomplete"])
}) {}

const isFull = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT", "EFBIG"].includes((error as NodeJS.ErrnoException).code ?? "")

const receive = async (
  source: Readable,
  path: string,
  { bytesMax, silenceMillis }: SpoolOptions,
  { open }: FileOpener,
  signal: AbortSignal
): Promise<Spooled> => {
  const hash = createHash("sha256")
  const streamed = streamedBytes()
  let bytes = 0
  // Without an error, which nothing would catch before the first read.
  const stop = () => void source.destroy()
  const silence = setTimeout(stop, silenceMillis)
  signal.addEventListener("abort", stop)
  const file = await open(path, "wx", 0o600)
  try {
    // The rest of a refused body is drained by the edge, so the stream survives a refusal.
    const chunks = source.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]()
    for (;;) {
      const next = await chunks.next().catch(() => {
        throw new SpoolRefused({ reason: "incomplete" })
      })
      if (next.done === true) break
      const chunk = next.value as Buffer
      silence.refresh()
      bytes += chunk.byteLength
      if (bytes > bytesMax) throw new SpoolRefused({ reason: "too_large" })
      hash.update(chunk)
      streamed(chunk.byteLength)
      for (let at = 0; at < chunk.byteLength;) at += (await file.write(chunk, at)).bytesWritten
    }
    clearTimeout(silence)
    await file.sync()
    return { path, bytes, sha256: hash.digest("hex") }
  } finally {
    clearTimeout(silence)
    signal.removeEventListener("abort", stop)
    await file.close()
  }
}

export interface SpoolOptions {
  readonly bytesMax: number
  readonly silenceMillis: number
}

export const spool = (
  source: Readable,
  folder: string,
  options: SpoolOptions
): Effect.Effect<Spooled, SpoolRefused | StoreFailure, Scope.Scope> =>
  Effect.gen(function*() {
    const files = yield* SpoolFiles
    const path = join(folder, `${spooledPrefix}${randomUUID()}`)
    let receiving: Promise<unknown> | undefined
    // An interrupted receive may still create the file.
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        await receiving?.catch(() => {})
        await rm(path, { force: true })
      })
    )
    return yield* Effect.tryPromise({
      try: (signal) => {
        const received = receive(source, path, options, files, signal)
        receiving = received
        return received
      },
      catch: (error) =>
        error instanceof SpoolRefused
          ? error
          : new StoreFailure({ reason: isFull(error) ? "full" : "unreachable", detail: String(error) })
    })
  })

/** Removes received files that did not change since a moment: the hub that received them is dead. */
export const removeLeftFiles = async (folder: string, unchangedSince: Date): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(spooledPrefix)) continue
    const path = join(folder, name)
    const found = await lstat(path).catch(() => undefined)
    if (found !== undefined && found.mtimeMs < unchangedSince.getTime()) await rm(path, { force: true })
  }
}

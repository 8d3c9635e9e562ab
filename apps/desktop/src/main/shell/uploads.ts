/**
 * Uploads of files from windows: main reserves the object and sends the bytes, which the page hands over in pieces. A
 * piece is taken when the one before it was sent, so that a file of any size needs the memory of two pieces.
 */
import type { Output } from "@countersign/hub-client/contract"
import { HubError } from "@countersign/hub-client/error"

/** Per window. */
const openMax = 8

type Target = Output<"storage.presignUpload">

export interface UploadPorts {
  readonly reserve: () => Promise<Target>
  readonly send: (target: Target, body: ReadableStream<Uint8Array>, signal: AbortSignal) => Promise<void>
}

export interface Uploads {
  /** Resolves when the object is reserved. */
  readonly open: (window: number, stream: string, ports: UploadPorts) => Promise<Target>
  /** Resolves when another piece can be taken. */
  readonly send: (window: number, stream: string, bytes: Uint8Array) => Promise<void>
  /** Resolves when the store has all bytes. */
  readonly end: (window: number, stream: string) => Promise<void>
  readonly close: (window: number, stream: string) => void
  /** The window's page is gone. */
  readonly drop: (window: number) => void
  readonly closeAll: () => void
}

interface Open {
  readonly controller: AbortController
  readonly writer: WritableStreamDefaultWriter<Uint8Array>
  /** The answer to the upload. */
  readonly sent: Promise<void>
}

export const makeUploads = (): Uploads => {
  const all = new Map<string, Open | AbortController>()
  const keyOf = (window: number, stream: string) => `${window} ${stream}`
  const abort = (each: Open | AbortController) => (each instanceof AbortController ? each : each.controller).abort()

  const find = (window: number, stream: string): Open => {
    const found = all.get(keyOf(window, stream))
    if (found !== undefined && !(found instanceof AbortController)) return found
    throw new HubError({ status: 0, code: "no_upload", message: "This upload is not open." })
  }

  return {
    open: async (window, stream, { reserve, send }) => {
      const key = keyOf(window, stream)
      if (all.has(key) || [...all.keys()].filter((each) => each.startsWith(`${window} `)).length >= openMax) {
        throw new HubError({ status: 0, code: "too_many", message: "Too many files are sent at once." })
      }
      const controller = new AbortController()
      all.set(key, controller)
      try {
        const target = await reserve()
        controller.signal.throwIfAborted()
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
        const sent = send(target, readable, controller.signal)
        const writer = writable.getWriter()
        // A refusal ends the pieces; `send` and `end` then report it.
        sent.catch((error: unknown) => writer.abort(error)).catch(() => {})
        writer.closed.catch(() => {})
        all.set(key, { controller, writer, sent })
        return target
      } catch (error) {
        all.delete(key)
        throw error
      }
    },
    send: async (window, stream, bytes) => {
      const { sent, writer } = find(window, stream)
      // An answer before the last byte is a refusal, and the reason why the pieces end.
      await writer.write(bytes).catch(() => sent)
    },
    end: async (window, stream) => {
      const { sent, writer } = find(window, stream)
      try {
        await writer.close().catch(() => {})
        await sent
      } finally {
        all.delete(keyOf(window, stream))
      }
    },
    close: (window, stream) => {
      const key = keyOf(window, stream)
      const found = all.get(key)
      all.delete(key)
      if (found !== undefined) abort(found)
    },
    drop: (window) => {
      for (const [key, each] of all) {
        if (!key.startsWith(`${window} `)) continue
        all.delete(key)
        abort(each)
      }
    },
    closeAll: () => {
      for (const each of all.values()) abort(each)
      all.clear()
    }
  }
}

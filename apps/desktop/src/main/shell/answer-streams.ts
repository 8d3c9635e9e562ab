/**
 * Forwards streamed endpoint answers, such as a command's output, to the window that requested them: the hub's text in
 * numbered pieces. Unlike the event stream, each has a separate connection, and a window may have several.
 */
import { HubError } from "@countersign/hub-client/error"
import { pushes } from "../../bridge/channels.ts"
import type { EventsPiece } from "../../bridge/contract.ts"
import { factsOf } from "../platform/answers.ts"
import type { WindowsShape } from "../windows/windows.ts"

/** Per window. */
const openMax = 16

export interface AnswerStreams {
  /** Resolves when the hub has begun to answer; the pieces follow. Rejects like `begin`. */
  readonly open: (
    window: number,
    stream: string,
    begin: (signal: AbortSignal) => Promise<ReadableStream<string>>
  ) => Promise<void>
  readonly close: (window: number, stream: string) => void
  /** The window's page is gone: closes its streams and sends nothing more. */
  readonly drop: (window: number) => void
  readonly closeAll: () => void
}

export const makeAnswerStreams = ({ send }: Pick<WindowsShape, "send">): AnswerStreams => {
  const open = new Map<string, AbortController>()
  const keyOf = (window: number, stream: string) => `${window} ${stream}`

  const forget = (key: string, controller: AbortController): void => {
    if (open.get(key) === controller) open.delete(key)
  }

  const pass = async (window: number, stream: string, body: ReadableStream<string>, controller: AbortController) => {
    let seq = 0
    const push = (
      piece:
        | { readonly kind: "text"; readonly text: string }
        | Pick<EventsPiece & { readonly kind: "end" }, "kind" | "error">
    ) => send(window, pushes.events, { stream, seq: seq++, ...piece } satisfies EventsPiece)
    try {
      for await (const text of body) {
        if (controller.signal.aborted || !push({ kind: "text", text })) return controller.abort()
      }
      push({ kind: "end", error: null })
    } catch (error) {
      if (!controller.signal.aborted) push({ kind: "end", error: factsOf(error) })
    } finally {
      forget(keyOf(window, stream), controller)
    }
  }

  return {
    open: async (window, stream, begin) => {
      const key = keyOf(window, stream)
      const own = [...open.keys()].filter((each) => each.startsWith(`${window} `))
      if (open.has(key) || own.length >= openMax) {
        throw new HubError({ status: 0, code: "too_many", message: "Too much is followed at once." })
      }
      const controller = new AbortController()
      open.set(key, controller)
      try {
        void pass(window, stream, await begin(controller.signal), controller)
      } catch (error) {
        forget(key, controller)
        throw error
      }
    },
    close: (window, stream) => open.get(keyOf(window, stream))?.abort(),
    drop: (window) => {
      for (const [key, controller] of open) {
        if (!key.startsWith(`${window} `)) continue
        // Removed before the abort, so that the window's next page starts without streams.
        open.delete(key)
        controller.abort()
      }
    },
    closeAll: () => {
      for (const controller of open.values()) controller.abort()
    }
  }
}

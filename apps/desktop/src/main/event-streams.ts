/**
 * The console's stream of events, from the profile's one connection to the window that asked: text as the hub sent it, in numbered pieces.
 * It ends with every break, so that the console reads its lists again; a window has one.
 */
import { HubError } from "@countersign/ui/hub/error"
import type { HubErrorFacts } from "@countersign/ui/hub/error"
import { pushes } from "../bridge/channels.ts"
import type { EventsPiece } from "../bridge/contract.ts"
import { factsOf, noHub } from "./answers.ts"
import type { Heard } from "./hub/connection.ts"
import type { ConnectionDeskShape } from "./hub/connections.ts"
import type { WindowsShape } from "./windows.ts"

/** Of a sign of life that carries nothing: often enough for the console, which gives up after 45 s. */
const aliveMillis = 5_000

export interface EventStreams {
  /** Resolves when the stream is open, rejects with a `HubError` when there is none now. */
  readonly open: (window: number, profile: string, stream: string) => Promise<void>
  readonly close: (window: number, stream: string) => void
  /** Its page is gone: nobody is told. */
  readonly drop: (window: number) => void
  readonly closeAll: () => void
}

interface Open {
  readonly stream: string
  readonly end: (error: HubErrorFacts | null) => void
  readonly drop: () => void
}

const lines = (name: string, text: string): string => text.split("\n").map((line) => `${name}: ${line}\n`).join("")
const written = ({ data, event, id }: { readonly id: string; readonly event: string; readonly data: string }): string =>
  `${id === "" ? "" : lines("id", id)}${lines("event", event)}${lines("data", data)}\n`

export const makeEventStreams = (desk: ConnectionDeskShape, windows: WindowsShape): EventStreams => {
  const streams = new Map<number, Open>()

  const open = (window: number, profile: string, stream: string): Promise<void> =>
    new Promise((resolve, reject) => {
      streams.get(window)?.end(null)
      const connection = desk.find(profile)
      if (connection === undefined) return reject(noHub())
      const { phase } = connection.state()
      if (phase === "signed_out") {
        return reject(new HubError({ status: 401, code: "signed_out", message: "Nobody is signed in to this hub." }))
      }
      if (phase === "stopped") {
        return reject(new HubError({ status: 0, code: "stopped", message: "This hub profile is stopped." }))
      }
      let seq = 0
      let isOpen = false
      let aliveAt = 0
      let off: (() => void) | undefined
      const mine: Open = {
        stream,
        end: (error) => {
          leave()
          if (isOpen) push({ kind: "end", error })
          else reject(new HubError(error ?? { status: 0, code: "closed", message: "Another stream took its place." }))
        },
        drop: () => {
          leave()
          reject(new HubError({ status: 0, code: "closed", message: "The page is gone." }))
        }
      }
      const leave = () => {
        if (streams.get(window) === mine) streams.delete(window)
        off?.()
        off = () => {}
      }
      const push = (
        piece: { readonly kind: "text"; readonly text: string } | {
          readonly kind: "end"
          readonly error: HubErrorFacts | null
        }
      ) => {
        const told: EventsPiece = { stream, seq: seq++, ...piece }
        if (!windows.send(window, pushes.events, told) && piece.kind === "text") mine.end(null)
      }
      const hear = (heard: Heard) => {
        if (streams.get(window) !== mine) return
        switch (heard.kind) {
          case "open":
            if (isOpen) return mine.end(null)
            isOpen = true
            return resolve()
          case "message":
            if (isOpen) push({ kind: "text", text: written(heard.message) })
            return
          case "alive":
            if (!isOpen || Date.now() - aliveAt < aliveMillis) return
            aliveAt = Date.now()
            return push({ kind: "text", text: ":\n\n" })
          case "lost": {
            const status = heard.cause === "signed_out" ? 401 : 0
            return mine.end(
              factsOf(new HubError({ status, code: heard.cause, message: `The hub was lost (${heard.cause}).` }))
            )
          }
        }
      }
      streams.set(window, mine)
      off = desk.listen(profile, hear)
      if (!isOpen) connection.retryNow()
    })

  return {
    open,
    close: (window, stream) => {
      const found = streams.get(window)
      if (found?.stream === stream) found.end(null)
    },
    drop: (window) => streams.get(window)?.drop(),
    closeAll: () => {
      for (const each of streams.values()) each.end(null)
    }
  }
}

/**
 * Forwards the hub's event stream from the profile's single connection to the console's window: the hub's text in
 * numbered pieces. The stream ends at every interruption, so that the console reads its lists again; a window has one
 * stream.
 */
import { HubError } from "@countersign/hub-client/error"
import type { HubErrorFacts } from "@countersign/hub-client/error"
import { pushes } from "../../bridge/channels.ts"
import type { EventsPiece } from "../../bridge/contract.ts"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import type { StreamUpdate } from "../hub/connection.ts"
import type { ConnectionDeskShape } from "../hub/connections.ts"
import { factsOf, noHub } from "../platform/answers.ts"
import type { WindowsShape } from "../windows/windows.ts"

/** Interval of empty keep-alive pieces; the console gives up after 45 s without a piece. */
const keepAliveMillis = 5_000

export interface EventStreams {
  /** Resolves when the stream is open; rejects with a `HubError` when the hub has no stream now. */
  readonly open: (window: number, asked: { readonly profile: ProfileId; readonly stream: string }) => Promise<void>
  readonly close: (window: number, stream: string) => void
  /** The window's page is gone: ends its stream without an `end` piece. */
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

  const open: EventStreams["open"] = (window, { profile, stream }) =>
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
        const numbered: EventsPiece = { stream, seq: seq++, ...piece }
        if (!windows.send(window, pushes.events, numbered) && piece.kind === "text") mine.end(null)
      }
      const onUpdate = (update: StreamUpdate) => {
        if (streams.get(window) !== mine) return
        switch (update.kind) {
          case "open":
            if (isOpen) return mine.end(null)
            isOpen = true
            return resolve()
          case "message":
            if (isOpen) push({ kind: "text", text: written(update.message) })
            return
          case "alive":
            if (!isOpen || Date.now() - aliveAt < keepAliveMillis) return
            aliveAt = Date.now()
            return push({ kind: "text", text: ":\n\n" })
          case "lost": {
            const status = update.cause === "signed_out" ? 401 : 0
            return mine.end(
              factsOf(new HubError({ status, code: update.cause, message: `The hub was lost (${update.cause}).` }))
            )
          }
        }
      }
      streams.set(window, mine)
      off = desk.listen(profile, onUpdate)
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

/** One WebSocket to the hub, from its upgrade to its end. Spec: contract 8a "WS". */
import { type DeviceFrame, frameBytesMax } from "@countersign/domain/device-protocol"
import { globalAgent as httpAgent } from "node:http"
import { globalAgent as httpsAgent } from "node:https"
import { WebSocket } from "ws"
import type { HubFrame } from "./agent.ts"

const openMillis = 15_000
const refusalBytesMax = 64 * 1024

/** How a connection ended, or why there was none. */
export type SocketEnd =
  | { readonly kind: "closed"; readonly code: number; readonly reason: string }
  | { readonly kind: "refused"; readonly status: number; readonly code: string | undefined; readonly retryAfterSeconds: number | undefined }
  | { readonly kind: "unreachable"; readonly why: string }

export interface SocketOptions {
  readonly hub: string
  readonly device: string
  readonly key: string
  /** The hello is sent here. */
  readonly onOpen: (send: (frame: DeviceFrame) => void) => void
  readonly onFrame: (frame: HubFrame) => void
  /** The hub answered a ping. */
  readonly onPong: () => void
  readonly signal: AbortSignal
}

export interface OpenSocket {
  readonly ended: Promise<SocketEnd>
  /** Asks for a sign of life; without one since the last time the connection is given up. */
  readonly ping: () => void
}

export const openSocket = ({ device, hub, key, onFrame, onOpen, onPong, signal }: SocketOptions): OpenSocket => {
  const secure = hub.startsWith("https:")
  const socket = new WebSocket(`${hub.replace(/^http/, "ws")}/api/v1/devices/${device}/connect`, {
    headers: { authorization: `Bearer ${key}` }, handshakeTimeout: openMillis, maxPayload: frameBytesMax, perMessageDeflate: false, followRedirects: false,
    // The agents of Node know the proxy and the authorities that the owner set.
    agent: secure ? httpsAgent : httpAgent
  })
  let heard = true
  const ended = new Promise<SocketEnd>((resolve) => {
    const leave = () => socket.readyState === WebSocket.CONNECTING ? socket.terminate() : socket.close(1000)
    signal.addEventListener("abort", leave, { once: true })
    const end = (how: SocketEnd) => {
      signal.removeEventListener("abort", leave)
      resolve(how)
    }
    socket.on("open", () => onOpen((frame) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
    }))
    socket.on("message", (data) => {
      heard = true
      const frame = parsed(String(data))
      if (frame !== undefined) onFrame(frame)
    })
    socket.on("pong", () => {
      heard = true
      onPong()
    })
    socket.on("unexpected-response", (_request, response) => {
      let text = ""
      const done = () => {
        const body = parsed(text)
        const after = Number(response.headers["retry-after"])
        end({ kind: "refused", status: response.statusCode ?? 0, code: body?.error?.code, retryAfterSeconds: Number.isFinite(after) ? after : undefined })
      }
      response.on("data", (bytes: Buffer) => { if (text.length < refusalBytesMax) text += bytes.toString("utf8") })
      response.on("end", done)
      response.on("error", done)
    })
    socket.on("error", (error: NodeJS.ErrnoException) => end({ kind: "unreachable", why: error.code ?? error.message }))
    socket.on("close", (code, reason) => end({ kind: "closed", code, reason: String(reason) }))
    if (signal.aborted) leave()
  })
  return {
    ended,
    ping: () => {
      if (socket.readyState !== WebSocket.OPEN) return
      if (!heard) return socket.terminate()
      heard = false
      socket.ping()
    }
  }
}

const parsed = (text: string): HubFrame => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

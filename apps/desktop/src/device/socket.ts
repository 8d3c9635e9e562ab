/** One WebSocket to the hub, from its upgrade to its end. Spec: contract 8a "WS". */
import { type DeviceFrame, frameBytesMax, heartbeatSeconds, protocolVersion } from "@countersign/domain/device-protocol"
import { globalAgent as httpAgent } from "node:http"
import { globalAgent as httpsAgent } from "node:https"
import { WebSocket } from "ws"
import { type LinkEnd, type OpenLink, parsedFrame, type Welcomed } from "./link.ts"

const openMillis = 15_000
/** An upgrade that a proxy answers in the hub's place is followed by nothing. */
const welcomeMillis = 15_000
const refusalBytesMax = 64 * 1024

export const openSocket: OpenLink = ({ device, hub, key, onAlive, onBeat, onFrame, onWelcome, report, signal, tools }) => {
  const secure = hub.startsWith("https:")
  const socket = new WebSocket(`${hub.replace(/^http/, "ws")}/api/v1/devices/${device}/connect`, {
    headers: { authorization: `Bearer ${key}` }, handshakeTimeout: openMillis, maxPayload: frameBytesMax, perMessageDeflate: false, followRedirects: false,
    // The agents of Node know the proxy and the authorities that the owner set.
    agent: secure ? httpsAgent : httpAgent
  })
  let heard = true
  let timer: NodeJS.Timeout | undefined
  const send = (frame: DeviceFrame): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
  }
  /** Also asks for a sign of life; without one since the last time the connection is given up. */
  const beat = (): void => {
    if (socket.readyState !== WebSocket.OPEN) return
    if (!heard) return socket.terminate()
    send({ type: "heartbeat", ...report() })
    heard = false
    socket.ping()
    onBeat()
  }
  const welcome = (frame: Welcomed): void => {
    clearTimeout(timer)
    timer = setInterval(beat, (frame.interval_seconds ?? heartbeatSeconds) * 1_000)
    onWelcome(frame, send)
  }
  const ended = new Promise<LinkEnd>((resolve) => {
    const leave = () => socket.readyState === WebSocket.CONNECTING ? socket.terminate() : socket.close(1000)
    signal.addEventListener("abort", leave, { once: true })
    const end = (how: LinkEnd) => {
      clearInterval(timer)
      signal.removeEventListener("abort", leave)
      resolve(how)
    }
    socket.on("open", () => {
      timer = setTimeout(() => {
        end({ kind: "unreachable", why: "no welcome" })
        socket.terminate()
      }, welcomeMillis)
      send({ type: "hello", min_protocol: protocolVersion, max_protocol: protocolVersion, tools, ...report() })
    })
    socket.on("message", (data) => {
      heard = true
      const frame = parsedFrame(String(data))
      if (frame?.type === "welcome") welcome(frame)
      else if (frame !== undefined) onFrame(frame)
    })
    socket.on("pong", () => {
      heard = true
      onAlive()
    })
    socket.on("unexpected-response", (_request, response) => {
      let text = ""
      const done = () => {
        const after = Number(response.headers["retry-after"] ?? Number.NaN)
        end({
          kind: "refused", status: response.statusCode ?? 0, code: parsedFrame(text)?.error?.code, retryAfterSeconds: Number.isFinite(after) ? after : undefined
        })
        socket.terminate()
      }
      response.on("data", (bytes: Buffer) => { if (text.length < refusalBytesMax) text += bytes.toString("utf8") })
      response.on("end", done)
      response.on("error", done)
    })
    socket.on("error", (error: NodeJS.ErrnoException) => end({ kind: "unreachable", why: error.code ?? error.message }))
    socket.on("close", (code, reason) => end({ kind: "closed", code, reason: String(reason) }))
    if (signal.aborted) leave()
  })
  return { ended, beat, retire: () => socket.close(1000) }
}

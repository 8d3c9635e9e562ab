/** One WebSocket to the hub, from its upgrade to its end. Spec: reference/devices.md "WebSocket". */
import { parseFrame } from "@countersign/domain/device-frames"
import { type DeviceFrame, frameBytesMax, protocolVersion } from "@countersign/domain/device-protocol"
import { globalAgent as httpAgent } from "node:http"
import { globalAgent as httpsAgent } from "node:https"
import { WebSocket } from "ws"
import { codeOf, parsedJson } from "./hub-api.ts"
import { intervalMillis, type LinkEnd, malformedCounter, type OpenLink, type Welcomed } from "./link.ts"

const openMillis = 15_000
/** No welcome follows an upgrade that a proxy answered instead of the hub. */
const welcomeMillis = 15_000
const refusalBytesMax = 64 * 1024

export const openSocket: OpenLink = (
  { device, hub, key, onAlive, onBeat, onFrame, onMalformed, onWelcome, report, signal, tools }
) => {
  const secure = hub.startsWith("https:")
  const socket = new WebSocket(`${hub.replace(/^http/, "ws")}/api/v1/devices/${device}/connect`, {
    headers: { authorization: `Bearer ${key}` },
    handshakeTimeout: openMillis,
    maxPayload: frameBytesMax,
    perMessageDeflate: false,
    followRedirects: false,
    // Node's global agents use the owner's proxy and certificate authorities.
    agent: secure ? httpsAgent : httpAgent
  })
  let isAlive = true
  let welcomed = false
  let timer: NodeJS.Timeout | undefined
  const send = (frame: DeviceFrame): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
  }
  /** Sends a heartbeat and a ping; closes the connection if nothing arrived since the last one. */
  const beat = (): void => {
    if (socket.readyState !== WebSocket.OPEN) return
    if (!isAlive) return socket.terminate()
    send({ type: "heartbeat", ...report() })
    isAlive = false
    socket.ping()
    onBeat()
  }
  const welcome = (frame: Welcomed): void => {
    welcomed = true
    clearTimeout(timer)
    timer = setInterval(beat, intervalMillis(frame.interval_seconds))
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
    const isTooMany = malformedCounter(onMalformed)
    const malformed = (problem: string) => {
      if (!isTooMany(problem)) return
      end({ kind: "unreachable", why: "malformed frames" })
      socket.terminate()
    }
    const receive = (text: string) => {
      const read = parseFrame(text)
      if ("problem" in read) return malformed(read.problem)
      // Frames of a later protocol version.
      if ("unknown" in read) return
      const { frame } = read
      if (frame.type === "welcome") return welcomed ? malformed("a second welcome") : welcome(frame)
      if (!welcomed && frame.type !== "error") return malformed(`${frame.type} before the welcome`)
      onFrame(frame)
    }
    socket.on("message", (data) => {
      isAlive = true
      try {
        receive(String(data))
      } catch (error) {
        malformed(`a frame could not be handled: ${error instanceof Error ? error.message : String(error)}`)
      }
    })
    socket.on("pong", () => {
      isAlive = true
      onAlive()
    })
    socket.on("unexpected-response", (_request, response) => {
      let text = ""
      const done = () => {
        clearTimeout(late)
        const after = Number(response.headers["retry-after"] ?? Number.NaN)
        end({
          kind: "refused",
          status: response.statusCode ?? 0,
          code: codeOf(parsedJson(text)),
          retryAfterSeconds: Number.isFinite(after) ? after : undefined
        })
        response.destroy()
        socket.terminate()
      }
      // Cuts an answer that never ends.
      const late = setTimeout(done, openMillis)
      response.on("data", (bytes: Buffer) => {
        text += bytes.toString("utf8")
        if (text.length > refusalBytesMax) done()
      })
      response.on("end", done)
      response.on("error", done)
    })
    socket.on("error", (error: NodeJS.ErrnoException) => end({ kind: "unreachable", why: error.code ?? error.message }))
    socket.on("close", (code, reason) => end({ kind: "closed", code, reason: String(reason) }))
    if (signal.aborted) leave()
  })
  return { ended, beat, retire: () => socket.close(1000) }
}

/**
 * How long the body of a request may take. Node's own limit is the same for every request and would cut a slow upload
 * of a large object; uploads have a limit on silence instead.
 */
import type { IncomingMessage, Server } from "node:http"
import type { Socket } from "node:net"
import { exchangeOf } from "./idle-connections.ts"
import { checkSockets, type SocketCheckOptions } from "./socket-checks.ts"

const requestMillisMax = 300_000
const uploadSilenceMillisMax = 60_000
/** As long as an upload can be confirmed. */
const uploadMillisMax = 24 * 3_600_000

const isUpload = ({ method, url = "" }: IncomingMessage): boolean =>
  method === "PUT" && url.startsWith("/api/v1/storage/blobs/") ||
  method === "POST" && /^\/api\/v1\/storage\/objects(?:\?|$)/.test(url)

interface Progress {
  readonly bytes: number
  readonly at: number
}

/** Answers 408 to a request whose body does not arrive in time. Its server needs `requestTimeout: 0`. */
export const limitRequestTime = <S extends Server>(
  server: S,
  options: SocketCheckOptions = {}
): S => {
  const { now = () => performance.now() } = options
  const progress = new WeakMap<Socket, Progress>()
  const isLate = (socket: Socket): boolean => {
    const exchange = exchangeOf(socket)
    if (exchange === undefined || exchange.request.complete || exchange.request.destroyed) return false
    const age = now() - exchange.at
    if (!isUpload(exchange.request)) return age >= requestMillisMax
    const last = progress.get(socket)
    if (last?.bytes !== socket.bytesRead) progress.set(socket, { bytes: socket.bytesRead, at: now() })
    return age >= uploadMillisMax ||
      last?.bytes === socket.bytesRead && now() - Math.max(last.at, exchange.at) >= uploadSilenceMillisMax
  }
  const refuse = (socket: Socket) => {
    const error = Object.assign(new Error("The request did not arrive in time."), { code: "ERR_HTTP_REQUEST_TIMEOUT" })
    server.emit("clientError", error, socket)
  }
  checkSockets(server, (socket) => void (isLate(socket) && refuse(socket)), options)
  return server
}

/**
 * Closes the connections that keep a closing server open. Node closes connections that are idle when the server begins
 * to close. It keeps a connection that becomes idle later, one that never sent a request (browsers open such
 * connections in advance), a response that its reader does not read, a body that does not arrive, and a WebSocket whose
 * peer does not answer the close.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Server as TlsServer } from "node:tls"

/** How long a closing server waits before it closes connections without a request in progress. */
const graceMillisDefault = 3_000
const sweepMillis = 100

export interface ClosingOptions {
  readonly graceMillis?: number
  /** Milliseconds left for requests in progress; at 0 every connection is closed. */
  readonly millisLeft?: () => number
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** By `performance.now()`. */
  readonly at: number
}
const exchanges = new WeakMap<Socket, Exchange>()

/**
 * Records the newest request of a connection: for a handler that takes requests before the server's other listeners.
 */
export const noteRequest = (request: IncomingMessage, response: ServerResponse): void =>
  void exchanges.set(request.socket, { request, response, at: performance.now() })

/** The newest request of a connection. */
export const exchangeOf = (socket: Socket): Exchange | undefined => exchanges.get(socket)

/** Its request has arrived completely, and its response has not begun: a handler works on it. */
const isWorking = (socket: Socket): boolean => {
  const exchange = exchanges.get(socket)
  return exchange !== undefined && exchange.request.complete && !exchange.response.headersSent &&
    !exchange.response.closed
}

export const endIdleConnections = <S extends Server>(
  server: S,
  { graceMillis = graceMillisDefault, millisLeft = () => Infinity }: ClosingOptions = {}
): S => {
  const silent = new Set<Socket>()
  const open = new Set<Socket>()
  const opened = (socket: Socket) => {
    silent.add(socket)
    open.add(socket)
    socket.once("close", () => {
      silent.delete(socket)
      open.delete(socket)
    })
  }
  // Over TLS a connection appears twice; requests belong to the second socket. The first is idle until the handshake is
  // done.
  const encrypted = server instanceof TlsServer
  server.on("connection", (socket: Socket) => {
    if (!encrypted) return opened(socket)
    silent.add(socket)
    socket.once("close", () => silent.delete(socket))
  })
  server.on("secureConnection", opened)
  server.on("request", (request, response) => {
    silent.delete(request.socket)
    noteRequest(request, response)
    response.once("close", () => {
      // Its connection becomes idle after this turn of the event loop.
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    })
  })
  const close = server.close.bind(server)
  server.close = (done) => {
    const quietUntil = performance.now() + graceMillis
    const sweep = setInterval(() => {
      const isOver = millisLeft() <= 0
      if (!isOver && performance.now() < quietUntil) return
      for (const socket of open) if (isOver || !isWorking(socket)) socket.destroy()
    }, sweepMillis)
    close((error) => {
      clearInterval(sweep)
      done?.(error)
    })
    // A connection that has begun to send a request is served.
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy()
    return server
  }
  return server
}

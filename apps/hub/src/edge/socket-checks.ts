/** Repeated checks of a server's open connections, for limits that Node does not have. */
import type { Server } from "node:http"
import type { Socket } from "node:net"

const checkMillis = 15_000

export interface SocketCheckOptions {
  /** The time, as of `performance.now()`. */
  readonly now?: () => number
  /** Repeats the check for the life of the server. */
  readonly repeat?: (check: () => void) => void
}

const repeatUntilClosed = (server: Server) => (check: () => void): void => {
  const timer = setInterval(check, checkMillis).unref()
  server.once("close", () => clearInterval(timer))
}

/** Checks each open socket of the server, again and again. */
export const checkSockets = (
  server: Server,
  check: (socket: Socket) => void,
  { repeat = repeatUntilClosed(server) }: SocketCheckOptions = {}
): void => {
  const open = new Set<Socket>()
  const track = (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  }
  server.on("connection", track)
  server.on("secureConnection", track)
  repeat(() => {
    for (const socket of open) check(socket)
  })
}

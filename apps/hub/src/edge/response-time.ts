/**
 * Ends a connection whose client does not read the answer: an event stream would otherwise count as read, and hold its
 * place, for as long as the client leaves it open. A slow client is left alone. Spec: reference/conventions.md "Open
 * calls".
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { exchangeOf } from "./idle-connections.ts"

const silenceMillisMax = 60_000
const checkMillis = 15_000

interface Progress {
  /** How much has left the process, in a form that changes with each byte. */
  readonly mark: string
  readonly at: number
}

/** Node counts a chunk as written once all of it is; only the handle has the size of the part that is left of a large one. */
const markOf = (socket: Socket): string => {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }
  return `${socket.bytesWritten - socket.writableLength}/${handle?.writeQueueSize ?? 0}`
}

export interface ResponseTimeOptions {
  /** The time, as of `performance.now()`. */
  readonly now?: () => number
  /** Repeats the check for the life of the server. */
  readonly repeat?: (check: () => void) => void
}

const repeatUntilClosed = (server: Server) => (check: () => void): void => {
  const timer = setInterval(check, checkMillis).unref()
  server.once("close", () => clearInterval(timer))
}

/** Closes connections on which part of an answer has been pending for a minute, and nothing was taken of it. */
export const limitResponseTime = <S extends Server>(
  server: S,
  { now = () => performance.now(), repeat = repeatUntilClosed(server) }: ResponseTimeOptions = {}
): S => {
  const open = new Set<Socket>()
  const progress = new WeakMap<Socket, Progress>()
  const track = (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  }
  server.on("connection", track)
  server.on("secureConnection", track)
  const isStuck = (socket: Socket): boolean => {
    const response = exchangeOf(socket)?.response
    if (response === undefined || response.closed || socket.writableLength === 0) {
      progress.delete(socket)
      return false
    }
    const mark = markOf(socket)
    const last = progress.get(socket)
    if (last?.mark === mark) return now() - last.at >= silenceMillisMax
    progress.set(socket, { mark, at: now() })
    return false
  }
  repeat(() => {
    for (const socket of open) if (isStuck(socket)) socket.destroy()
  })
  return server
}

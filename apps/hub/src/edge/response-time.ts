/**
 * Ends a connection whose client does not read the answer: an event stream would otherwise count as read, and hold its
 * place, for as long as the client leaves it open. A slow client is left alone. Spec: reference/conventions.md "Open
 * calls".
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { exchangeOf } from "./idle-connections.ts"
import { checkSockets, type SocketCheckOptions } from "./socket-checks.ts"

const silenceMillisMax = 60_000

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

/** Closes connections on which part of an answer has been pending for a minute, and nothing was taken of it. */
export const limitResponseTime = <S extends Server>(
  server: S,
  options: SocketCheckOptions = {}
): S => {
  const { now = () => performance.now() } = options
  const progress = new WeakMap<Socket, Progress>()
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
  checkSockets(server, (socket) => void (isStuck(socket) && socket.destroy()), options)
  return server
}

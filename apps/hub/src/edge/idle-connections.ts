/**
 * Connections that hold up the end of a server that closes. Node ends those that are idle when it begins to close, but neither one that
 * answered last after that, for as long as it is kept alive, nor one that never asked anything: browsers open such ahead of need.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

export const endIdleConnections = <S extends Server>(server: S): S => {
  const silent = new Set<Socket>()
  const opened = (socket: Socket) => {
    silent.add(socket)
    socket.once("close", () => silent.delete(socket))
  }
  // Over TLS both are told, the second when hands were shaken.
  server.on("connection", opened)
  server.on("secureConnection", opened)
  server.on("request", (request, response) => {
    silent.delete(request.socket)
    response.once("close", () => {
      // Its connection is idle after this round.
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    })
  })
  const close = server.close.bind(server)
  server.close = (done) => {
    close(done)
    // What has begun to ask is heard.
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy()
    return server
  }
  return server
}

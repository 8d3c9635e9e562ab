/**
 * Connections that become idle while the server closes. Node ends those that are idle when it begins to close; one that answered last after
 * that would hold up the end for as long as it is kept alive.
 */
import type { Server } from "node:http"

export const endIdleConnections = <S extends Server>(server: S): S => {
  server.on("request", (_request, response) => {
    response.once("close", () => {
      // Its connection is idle after this round.
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    })
  })
  return server
}

/**
 * Connections without a request must not hold up a closing server. Without this code each of these would wait for
 * Node's own time, a minute.
 */
import { endIdleConnections } from "@countersign/hub/edge/idle-connections"
import { once } from "node:events"
import { Agent, createServer, request, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { type AddressInfo, connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { afterEach, assert, describe, it } from "vitest"
import { certificate, key } from "../../support/tls.ts"

const opened: Array<Socket> = []
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy()
})

const listening = async <S extends Server>(server: S): Promise<{ readonly server: S; readonly port: number }> => {
  await once(endIdleConnections(server).listen(0, "127.0.0.1"), "listening")
  return { server, port: (server.address() as AddressInfo).port }
}
/** As soon as the server has it. */
const accepted = async (server: Server, event: string, socket: Socket): Promise<Socket> => {
  opened.push(socket.on("error", () => {}))
  await once(server, event)
  return socket
}
const closed = (server: Server) => new Promise<void>((resolve) => void server.close(() => resolve()))
/** Resolves when each of them has closed, however long ago. */
const gone = (socket: Socket) => socket.closed ? Promise.resolve() : once(socket.resume(), "close")

describe("a closing server", () => {
  it("ends connections that never sent a request", async () => {
    const { port, server } = await listening(createServer((_, response) => void response.end("ok")))
    const silent = [
      await accepted(server, "connection", connect(port, "127.0.0.1")),
      await accepted(server, "connection", connect(port, "127.0.0.1"))
    ]
    await closed(server)
    await Promise.all(silent.map(gone))
  })

  it("ends them over TLS as well, before and after the handshake", async () => {
    const { port, server } = await listening(
      createTlsServer({ key, cert: certificate }, (_, response) => void response.end("ok"))
    )
    const raw = await accepted(server, "connection", connect(port, "127.0.0.1"))
    const shaken = await accepted(
      server,
      "secureConnection",
      connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
    )
    await closed(server)
    await Promise.all([raw, shaken].map(gone))
  })

  it("answers earlier requests, and ends a connection that is kept alive after its answer", async () => {
    let answer = () => {}
    const { port, server } = await listening(createServer((_, response) => {
      answer = () => void response.end("late")
    }))
    const agent = new Agent({ keepAlive: true })
    const asked = request({ port, host: "127.0.0.1", agent }).end()
    await once(server, "request")
    const ended = closed(server)
    answer()
    const [response] = await once(asked, "response")
    assert.strictEqual((await response.toArray()).join(""), "late")
    await ended
    agent.destroy()
  })

  it("serves requests that had begun to arrive", async () => {
    const { port, server } = await listening(createServer((_, response) => void response.end("answer")))
    const sides = once(server, "connection")
    const socket = connect(port, "127.0.0.1")
    opened.push(socket)
    const [inside] = await sides as [Socket]
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n")
    while (inside.bytesRead === 0) await new Promise((resolve) => setImmediate(resolve))
    const ended = closed(server)
    socket.write("\r\n")
    const [bytes] = await once(socket, "data")
    assert.include(String(bytes), "answer")
    await ended
  })
})

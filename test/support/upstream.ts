/** Providers for tests: real servers on loopback, closed with the test's scope. */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net"

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Upstream {
  readonly origin: string
  readonly port: number
  /** Every request that arrived whole, in order. */
  readonly received: Array<Received>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** An HTTP server on 127.0.0.1 that reads and records each request whole, then calls `answer`. */
export const httpUpstream = (
  answer: (request: Received, response: ServerResponse) => void,
  host = "127.0.0.1"
): Effect.Effect<Upstream, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Received> = []
      const server = createServer((request, response) => {
        bodyOf(request).then((body) => {
          const whole = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body }
          received.push(whole)
          answer(whole, response)
        }, () => response.destroy())
      })
      server.listen(0, host)
      await once(server, "listening")
      const { port } = server.address() as AddressInfo
      return {
        server,
        upstream: { origin: `http://${host.includes(":") ? `[${host}]` : host}:${port}`, port, received }
      }
    }),
    ({ server }) =>
      Effect.promise(() =>
        new Promise<void>((done) => {
          server.close(() => done())
          server.closeAllConnections()
        })
      )
  ).pipe(Effect.map(({ upstream }) => upstream))

const floodChunk = Buffer.alloc(64 * 1024, 97)

/** Writes this many bytes as fast as they are read, and ends the answer; `Infinity` never ends it. */
export const flood = (response: ServerResponse, bytes: number): void => {
  if (response.destroyed) return
  if (bytes <= 0) return void response.end()
  if (response.write(floodChunk)) flood(response, bytes - floodChunk.length)
  else response.once("drain", () => flood(response, bytes - floodChunk.length))
}

/** A TCP server on 127.0.0.1 that passes every connection to `serve`. */
export const tcpUpstream = (
  serve: (socket: Socket) => void
): Effect.Effect<{ readonly port: number; readonly connections: () => number }, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      let connections = 0
      const server = createTcpServer((socket) => {
        connections++
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
        serve(socket)
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, sockets, port: (server.address() as AddressInfo).port, connections: () => connections }
    }),
    ({ server, sockets }) =>
      Effect.promise(() =>
        new Promise<void>((done) => {
          for (const socket of sockets) socket.destroy()
          server.close(() => done())
        })
      )
  ).pipe(Effect.map(({ connections, port }) => ({ port, connections })))

/** A port without a listener. */
export const closedPort: Effect.Effect<number> = Effect.promise(async () => {
  const server = createTcpServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
})

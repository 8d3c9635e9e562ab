/** A proxy between a device and its hub that passes HTTP and handles upgrades as `upgrades` selects. */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
  type ServerResponse
} from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"

/** `strip`: the hub gets it as a plain GET. `swallow`: it is never answered. */
export type Upgrades = "pass" | "refuse" | "strip" | "swallow"

export interface UpgradeProxy {
  readonly url: string
  upgrades: Upgrades
  /** Also cuts requests that are not upgrades. */
  down: boolean
  /** Closes every upgraded connection; returns their number. */
  readonly cut: () => number
  /** Methods and paths in order of arrival, upgrades included. */
  readonly seen: ReadonlyArray<string>
}

const hopHeaders = new Set([
  "connection",
  "upgrade",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-extensions"
])

const plain = (headers: IncomingMessage["headers"]): IncomingMessage["headers"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.has(name)))

export const upgradeProxy = (hub: string): Effect.Effect<UpgradeProxy, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { hostname, port } = new URL(hub)
      const seen: Array<string> = []
      const open = new Set<Duplex>()
      const upgraded = new Set<Duplex>()
      const proxy = { upgrades: "pass" as Upgrades, down: false, seen }
      const target = ({ method, url }: IncomingMessage): RequestOptions =>
        ({ hostname, port, method, path: url, agent: false }) as RequestOptions
      const server = createServer((request: IncomingMessage, response: ServerResponse) => {
        seen.push(`${request.method} ${request.url}`)
        if (proxy.down) return void request.socket.destroy()
        const forwarded = httpRequest({ ...target(request), headers: request.headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
        })
        forwarded.on("error", () => response.destroy())
        response.on("close", () => forwarded.destroy())
        request.pipe(forwarded)
      })
      server.on("connection", (socket) => {
        open.add(socket)
        socket.on("close", () => open.delete(socket))
        socket.on("error", () => {})
      })
      server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        seen.push(`UPGRADE ${request.url}`)
        if (proxy.down) return void socket.destroy()
        switch (proxy.upgrades) {
          case "swallow":
            return
          case "refuse":
            return void socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
          case "strip": {
            const forwarded = httpRequest({ ...target(request), headers: plain(request.headers) }, (answer) => {
              socket.end(`HTTP/1.1 ${answer.statusCode} Answered\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
              answer.resume()
            })
            forwarded.on("error", () => socket.destroy())
            return void forwarded.end()
          }
          case "pass": {
            const forwarded = httpRequest({ ...target(request), headers: request.headers })
            const end = () => {
              socket.destroy()
              forwarded.destroy()
            }
            forwarded.on("upgrade", (answer, far, first) => {
              const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`).join(
                ""
              )
              socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n`)
              socket.write(first)
              far.write(head)
              far.pipe(socket)
              socket.pipe(far)
              upgraded.add(socket)
              for (const [one, other] of [[socket, far], [far, socket]] as const) {
                one.on("error", () => other.destroy())
                one.on("close", () => {
                  upgraded.delete(socket)
                  other.destroy()
                })
              }
            })
            forwarded.on("response", (answer) => {
              socket.end(`HTTP/1.1 ${answer.statusCode} Answered\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
              answer.resume()
            })
            forwarded.on("error", end)
            return void forwarded.end()
          }
        }
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const cut = (): number => {
        const count = upgraded.size
        for (const socket of upgraded) socket.destroy()
        return count
      }
      return {
        server,
        open,
        proxy: Object.assign(proxy, {
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          cut
        }) as UpgradeProxy
      }
    }),
    ({ open, server }) =>
      Effect.promise(() =>
        new Promise<void>((done) => {
          for (const socket of open) socket.destroy()
          server.close(() => done())
        })
      )
  ).pipe(Effect.map(({ proxy }) => proxy))

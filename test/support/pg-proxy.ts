/**
 * Stands between a hub and its PostgreSQL: loses replies, cuts connections, or switches backends between transactions as a
 * pooler does.
 */
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { once } from "node:events"
import type { DatabaseTarget } from "@countersign/hub/platform/db"
import { Effect, type Scope } from "effect"

type Named = DatabaseTarget & { readonly database: string }

const dial = (target: Named): Socket =>
  "url" in target
    ? connect(0)
    : "path" in target && target.path !== undefined
      ? connect(target.path)
      : connect((target as { port: number }).port, (target as { host: string }).host)

const serve = (accept: (client: Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const clients = new Set<Socket>()
      const server = createServer((client) => {
        clients.add(client)
        client.on("error", () => {})
        client.on("close", () => clients.delete(client))
        accept(client)
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, clients }
    }),
    ({ clients, server }) =>
      Effect.promise(
        () =>
          new Promise<void>((done) => {
            for (const client of clients) client.destroy()
            server.close(() => done())
          })
      )
  ).pipe(Effect.map(({ server }) => (server.address() as AddressInfo).port))

const through = (target: Named, port: number): Named => ({ ...target, path: undefined, host: "127.0.0.1", port }) as never

/** What becomes of bytes on a connection, by the name that its client gave itself. */
export type Mischief = (application: string, from: "client" | "server") => "pass" | "cut"

export interface CuttingProxy {
  readonly target: Named
  /** A reply that is cut was sent after its commit. */
  mischief: Mischief
  cuts: number
}

export const cuttingProxy = (target: Named): Effect.Effect<CuttingProxy, never, Scope.Scope> => {
  const proxy = { target, mischief: (): "pass" | "cut" => "pass", cuts: 0 } as { target: Named; mischief: Mischief; cuts: number }
  return Effect.map(
    serve((client) => {
      const server = dial(target)
      let application: string | undefined
      const end = () => {
        client.destroy()
        server.destroy()
      }
      const relay = (from: "client" | "server", source: Socket, sink: Socket) => {
        source.on("data", (bytes) => {
          application ??= /application_name\0([^\0]*)/.exec(bytes.toString("latin1"))?.[1] ?? ""
          if (proxy.mischief(application, from) === "pass") return sink.write(bytes)
          proxy.cuts++
          end()
        })
        source.on("error", end)
        source.on("close", end)
      }
      relay("client", client, server)
      relay("server", server, client)
    }),
    (port) => Object.assign(proxy, { target: through(target, port) })
  )
}

/** Gives every transaction of a connection the other one of two backends. */
export const transactionPooler = (target: Named): Effect.Effect<Named, never, Scope.Scope> =>
  Effect.map(
    serve((client) => {
      const backends = [dial(target), dial(target)] as const
      let active = 0
      let greeted = false
      const ready = [false, false]
      backends.forEach((backend, at) => {
        let pending = Buffer.alloc(0)
        backend.on("error", () => client.destroy())
        backend.on("close", () => client.destroy())
        backend.on("data", (bytes: Buffer) => {
          pending = Buffer.concat([pending, bytes])
          // Messages: a letter, a length, a body; Z says ready, with I between transactions.
          while (pending.length >= 5 && pending.length >= 1 + pending.readInt32BE(1)) {
            const length = 1 + pending.readInt32BE(1)
            const message = pending.subarray(0, length)
            pending = pending.subarray(length)
            const idle = message[0] === 0x5a && message[5] === 0x49
            // What the second says to the greeting is swallowed.
            if (at === 0 || ready[1]) client.write(message)
            if (idle) {
              if (ready[at]) active = 1 - active
              ready[at] = true
            }
          }
        })
      })
      client.on("close", () => backends.forEach((backend) => backend.destroy()))
      client.on("data", (bytes) => {
        if (!greeted) {
          greeted = true
          for (const backend of backends) backend.write(bytes)
        } else if (ready[1]) backends[active]!.write(bytes)
        else {
          // The other backend is not there yet.
          client.pause()
          const wait = setInterval(() => {
            if (!ready[1]) return
            clearInterval(wait)
            backends[active]!.write(bytes)
            client.resume()
          }, 1)
        }
      })
    }),
    (port) => through(target, port)
  )

/**
 * A proxy between a hub and its PostgreSQL that delays, cuts, drops, or holds bytes, or switches backends between
 * transactions as a pooler does.
 */
import type { DatabaseTarget } from "@countersign/hub/platform/db"
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

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

const through = (target: Named, port: number): Named =>
  ({ ...target, path: undefined, host: "127.0.0.1", port }) as never

/**
 * The handling of bytes on a connection. `cut`: both sides are closed and the bytes are lost. `lose`: the connection
 * stays open and delivers nothing more. `half_close`: the bytes are lost and the sender's direction ends.
 */
export type Fault = "pass" | "cut" | "lose" | "half_close" | { readonly delayMillis: number }
/** Chooses the fault by the client's application name. A reply that is cut was sent after its commit. */
export type FaultRule = (application: string, from: "client" | "server", bytes: Buffer) => Fault

export interface FaultProxy {
  readonly target: Named
  mischief: FaultRule
  /** Number of chunks that did not pass unchanged. */
  faults: number
  /** From now on the database does not respond: bytes are held, and new connections are accepted without an answer. */
  readonly stop: () => void
  /** Delivers the held bytes, also those of clients that have hung up. */
  readonly resume: () => void
  /** Silently drops the bytes of all open connections. New ones pass. */
  readonly loseAll: () => void
}

export const faultProxy = (target: Named): Effect.Effect<FaultProxy, never, Scope.Scope> => {
  let isStill = false
  let kept: Array<() => void> = []
  const losses = new Set<() => void>()
  const proxy = {
    target,
    mischief: (): Fault => "pass",
    faults: 0,
    stop: () => void (isStill = true),
    resume: () => {
      isStill = false
      for (const deliver of kept.splice(0)) deliver()
    },
    loseAll: () => {
      for (const lose of losses) lose()
    }
  } as { -readonly [K in keyof FaultProxy]: FaultProxy[K] }
  /** Preserves order: bytes that arrive while others are held are held too. */
  const whenMoving = (deliver: () => void) => void (isStill ? kept.push(deliver) : deliver())
  return Effect.map(
    serve((client) => {
      const server = dial(target)
      let application: string | undefined
      let isLost = false
      const lose = () => void (isLost = true)
      losses.add(lose)
      const cut = () => {
        losses.delete(lose)
        client.destroy()
        server.destroy()
      }
      const relay = (from: "client" | "server", source: Socket, sink: Socket) => {
        source.on("data", (bytes: Buffer) => {
          application ??= /application_name\0([^\0]*)/.exec(bytes.toString("latin1"))?.[1] ?? ""
          const fault = proxy.mischief(application, from, bytes)
          if (fault !== "pass") proxy.faults++
          if (fault === "cut") return cut()
          if (fault === "lose") lose()
          if (fault === "half_close") return void sink.end()
          if (isLost) return
          if (typeof fault !== "object") return whenMoving(() => void (isLost || sink.write(bytes)))
          source.pause()
          setTimeout(() => {
            source.resume()
            whenMoving(() => void (isLost || sink.write(bytes)))
          }, fault.delayMillis)
        })
        source.on("error", () => {})
        source.on("close", () =>
          isLost ? undefined : whenMoving(() => {
            losses.delete(lose)
            // Held bytes are delivered first.
            sink.end()
          }))
      }
      relay("client", client, server)
      relay("server", server, client)
    }),
    (port) => Object.assign(proxy, { target: through(target, port) })
  )
}

/** Alternates the transactions of a connection between two backends. */
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
          // Messages: a letter, a length, a body; Z means ready, with I between transactions.
          while (pending.length >= 5 && pending.length >= 1 + pending.readInt32BE(1)) {
            const length = 1 + pending.readInt32BE(1)
            const message = pending.subarray(0, length)
            pending = pending.subarray(length)
            const idle = message[0] === 0x5a && message[5] === 0x49
            // The second backend's reply to the startup is discarded.
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
          // The other backend is not connected yet.
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

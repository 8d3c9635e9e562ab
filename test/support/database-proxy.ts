/** A proxy before PostgreSQL: the messages of both sides pass through a test. */
import type { DatabaseTarget } from "@countersign/hub/platform/db"
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface ProxiedConnection {
  readonly client: Socket
  readonly backend: Socket
  /** Ends both sides. */
  readonly cut: () => void
}

const dial = (target: DatabaseTarget): Socket =>
  "path" in target && target.path !== undefined
    ? connect(target.path)
    : connect((target as { port: number }).port, (target as { host: string }).host)

/** Returns a `DATABASE_URL`. `serve` listens to both sides and passes messages on; `ended` is called once. */
export const databaseProxy = (
  target: DatabaseTarget & { readonly database: string },
  serve: (connection: ProxiedConnection) => { readonly ended?: () => void }
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      const backend = dial(target)
      const cut = () => {
        client.destroy()
        backend.destroy()
      }
      const { ended } = serve({ client, backend, cut })
      let isEnded = false
      for (const socket of [client, backend]) {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => {
          sockets.delete(socket)
          cut()
          if (!isEnded) ended?.()
          isEnded = true
        })
      }
    })
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
      }),
      () =>
        Effect.promise(() =>
          new Promise<void>((done) => {
            for (const socket of sockets) socket.destroy()
            server.close(() => done())
          })
        )
    )
    const { port } = server.address() as AddressInfo
    const { username } = target as { readonly username: string }
    return `postgres://${username}:${process.env["TEST_PG_PASSWORD"] ?? ""}@127.0.0.1:${port}/${target.database}`
  })

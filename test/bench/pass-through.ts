/**
 * A proxy that only forwards, as the floor of what a hub can add: a `node:http` server with a kept connection to its
 * upstream. With a `database`, it commits one row before it forwards a call. Argument: `PassThroughOptions` as JSON;
 * prints `pass-through on PORT`.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect, Redacted } from "effect"
import { Agent, createServer, request as send } from "node:http"
import type { AddressInfo } from "node:net"

export interface PassThroughOptions {
  /** The upstream's port on loopback. */
  readonly upstream: number
  /** A PostgreSQL URL, of a database with the table `commits`. */
  readonly database?: string
}

const { database, upstream } = JSON.parse(process.argv[2] ?? "{}") as PassThroughOptions
const agent = new Agent({ keepAlive: true })

const main = Effect.gen(function*() {
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const sql = database === undefined
    ? undefined
    : yield* Effect.flatMap(
      singleConnection({ url: Redacted.make(database) }, "pass-through"),
      ({ reserve }) => reserve
    )
  const commit = async (): Promise<void> => {
    if (sql !== undefined) await run(sql.execute("insert into commits (body) values ($1)", ["hello"], undefined))
  }
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      await commit()
      const { headers, method, url } = request
      const fields = { ...headers, host: `127.0.0.1:${upstream}` }
      send({ host: "127.0.0.1", port: upstream, method, path: url, agent, headers: fields }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      }).on("error", () => response.destroy()).end(Buffer.concat(chunks))
    })
  })
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`pass-through on ${(server.address() as AddressInfo).port}\n`)
  })
  return yield* Effect.never
}).pipe(Effect.scoped)

const fiber = Effect.runFork(main)
process.on("SIGTERM", () => fiber.interruptUnsafe())
fiber.addObserver(() => process.exit(0))

/**
 * A process that owns the embedded server as a hub does, for tests that kill one: `hub-process.ts <its options as
 * JSON>`. Prints `{"event":"serving",…}`, answers each line of standard input that starts with `select` with its rows,
 * and drains on SIGTERM: it continues to answer until the line `exit`.
 */
import { type EmbeddedOptions, startEmbedded } from "@countersign/hub/platform/postgres/embedded"
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Logger } from "effect"
import { Reactivity } from "effect/reactivity"
import { createInterface } from "node:readline"

const options = JSON.parse(process.argv[2] ?? "") as EmbeddedOptions
const say = (message: object) => console.log(JSON.stringify(message))

const program = Effect.gen(function*() {
  const postgres = yield* startEmbedded(options)
  const sql = yield* PgClient.make({ ...postgres.connection, maxConnections: 2 })
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const done = yield* Deferred.make<void>()
  let signals = 0
  process.on("SIGTERM", () => {
    signals++
    if (signals === 1) run(Effect.andThen(postgres.announceDraining, Effect.sync(() => say({ event: "draining" }))))
  })
  createInterface({ input: process.stdin }).on("line", (line) => {
    if (line === "exit") run(Deferred.succeed(done, undefined))
    if (line.startsWith("select")) {
      run(Effect.match(sql.unsafe(line), {
        onFailure: (error) => say({ event: "failed", message: error.message }),
        onSuccess: (rows) => say({ event: "rows", rows, signals })
      }))
    }
  })
  say({ event: "serving", connection: postgres.connection, postgres: yield* postgres.pid })
  yield* Deferred.await(done)
})

const main = program.pipe(
  Effect.scoped,
  Effect.provide([Reactivity.layer, Logger.layer([])]),
  Effect.catchTag(
    "EmbeddedPostgresError",
    ({ detail, reason }) => Effect.sync(() => say({ event: "refused", reason, detail }))
  )
)
// not runMain, whose handler would interrupt the program at the first signal: here the drain decides when this process
// ends
setInterval(() => {}, 2 ** 30)
Effect.runPromise(main).then(() => process.exit(0), (error) => {
  console.error(error)
  process.exit(1)
})

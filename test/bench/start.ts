/** Starts the program on existing data: the time until it reports that it is ready, and its memory while idle. */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { spawnCommand } from "../support/hub-program.ts"
import { apiOf, expectStatus } from "../support/hub.ts"
import { below, type Figure, info } from "./figures.ts"
import { residentBytes } from "./machine.ts"
import { median } from "./rounds.ts"
import { load, makeWorkspace, owner, sayLoad, Stage } from "./stage.ts"

/** Time without requests. */
const idleSeconds = 5
const requestsBefore = 5_000

export const start: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds } = yield* Stage
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "cs-bench-start-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  )
  /** Starts the program, runs `use`, and stops it gracefully; returns the milliseconds until it was ready. */
  const run = <A>(use: (hub: { readonly port: number; readonly pid: number }) => Effect.Effect<A>) =>
    Effect.gen(function*() {
      const began = performance.now()
      const program = yield* spawnCommand(["start"], {
        HUB_DATA_DIR: dataDir,
        HUB_PORT: "0",
        HUB_OWNER_EMAIL: owner.email,
        HUB_OWNER_PASSWORD: owner.password,
        HUB_RATE_LIMIT_AGENT: "off",
        HUB_LOG_LEVEL: "warn"
      })
      const [, port = ""] = yield* program.line(/Countersign is ready on [^\s"]+:(\d+)/)
      expectStatus(yield* apiOf(`http://127.0.0.1:${port}`)("GET", "/health"), 200)
      const ready = performance.now() - began
      const used = yield* use({ port: Number(port), pid: program.pid })
      yield* program.kill("SIGTERM")
      yield* program.ended
      return { ready, used }
    }).pipe(Effect.scoped)

  const first = yield* run(({ port }) =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ api: apiOf(`http://127.0.0.1:${port}`) })
      return yield* load({ ...sayLoad(workspace, [port], { callers: 64, seconds: 30 }), requestsMax: requestsBefore })
    })
  )
  const again: Array<{ readonly ready: number; readonly used: number }> = []
  for (let round = 0; round < rounds; round++) {
    again.push(
      yield* run(({ pid }) =>
        Effect.as(Effect.sleep(`${idleSeconds} seconds`), 0).pipe(Effect.map(() => residentBytes(pid) / 2 ** 20))
      )
    )
  }
  return [
    below("start on existing data to ready, seconds", 2, median(again.map(({ ready }) => ready)) / 1000, 2, " s"),
    below("hub process at rest", 250, median(again.map(({ used }) => used)), 0, " MB"),
    info("start on an empty directory", `${(first.ready / 1000).toFixed(2)} s`)
  ]
}).pipe(Effect.scoped)

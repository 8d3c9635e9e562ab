/**
 * The built main process of the desktop app, in a separate Node with a stub instead of Electron: the time from its
 * start until the window's first model is available, its heap at rest, and the time from a decision elsewhere until the
 * tray's model has it, in commits of a single row. Electron's own cost is not included.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { ensureBuilt, out } from "../support/built-main.ts"
import { spawnProgram } from "../support/hub-program.ts"
import { expectStatus } from "../support/hub.ts"
import { below, type Figure, info } from "./figures.ts"
import { median, quantile, sorted, timed } from "./rounds.ts"
import { bearer, database, makeWorkspace, owner, sayHello, Stage, startHub } from "./stage.ts"

/** Decisions per round. */
const decisions = 20

const startMain = Effect.fnUntraced(function*(hub: string) {
  const began = performance.now()
  const program = yield* spawnProgram([
    process.execPath,
    "--expose-gc",
    join(import.meta.dirname, "desktop-main.ts"),
    JSON.stringify({ hub, ...owner })
  ])
  const [, loaded = "", asked = ""] = yield* program.line(/^model after (\S+) ms of loading, (\S+) ms in all/)
  return { ...program, loaded: Number(loaded), asked: Number(asked), whole: performance.now() - began }
})

const scriptBytes = (folder: string): number =>
  readdirSync(folder).filter((name) => name.endsWith(".js")).reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length,
    0
  )

export const desktop: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds, seconds } = yield* Stage
  yield* Effect.sync(ensureBuilt)
  const target = yield* database
  const hub = yield* startHub(target)
  const workspace = yield* makeWorkspace(hub)
  const { cookie, org } = workspace
  expectStatus(yield* hub.api("PATCH", `/workspaces/${org}`, { cookie, body: { approval_threshold_cents: 0 } }), 200)
  const sql = yield* singleConnection(target, "bench")
  yield* sql.unsafe("create table commits (id bigint generated always as identity primary key, body text not null)")
  const commit = quantile(
    yield* timed(sql`insert into commits (body) values ('hello')`, { millis: seconds * 500 }),
    0.5
  )

  const address = `http://127.0.0.1:${hub.port}`
  const starts: Array<number> = []
  for (let at = 0; at < rounds; at++) {
    starts.push(yield* Effect.scoped(Effect.map(startMain(address), ({ asked }) => asked)))
  }
  const main = yield* startMain(address)
  yield* main.line(/^follows/)
  const [, heap = ""] = yield* main.line(/^heap at rest (\S+) MB/)

  const seen: Array<number> = []
  const afterCommit: Array<number> = []
  for (let at = 0; at < rounds * decisions; at++) {
    const asked = expectStatus(
      yield* hub.api("POST", "/service-requests", { headers: bearer(workspace), body: sayHello }),
      200
    )
    yield* main.line(new RegExp(`^change ${2 * at + 1}: 1 at`, "u"))
    const { body } = expectStatus(yield* hub.api("GET", `/approvals/${asked.body.approval_id}`, { cookie }), 200)
    // A person reads before deciding: the hub's stream pauses 10 ms after each batch of events.
    yield* Effect.sleep("50 millis")
    const decidedAt = performance.timeOrigin + performance.now()
    expectStatus(
      yield* hub.api("POST", `/approvals/${body.id}/approve`, {
        cookie,
        body: { payload_digest: body.payload_digest }
      }),
      200
    )
    const [, shownAt = ""] = yield* main.line(new RegExp(`^change ${2 * at + 2}: 0 at (\\S+)`, "u"))
    seen.push(Number(shownAt) - decidedAt)
    const [row] = yield* sql<
      { millis: number }
    >`select extract(epoch from decided_at)::float8 * 1000 millis from approvals where id = ${body.id}`
    afterCommit.push(Number(shownAt) - row!.millis)
  }
  const all = sorted(seen)
  const afterCommits = sorted(afterCommit)
  return [
    below("main from its start to the window's first model", 400, median(starts), 0, " ms"),
    below("main's own heap at rest, with one hub followed", 60, Number(heap), 1, " MB"),
    below("a decision elsewhere until the tray's model has it, in single commits", 3, median(all) / commit, 1),
    info(
      "the same",
      `p50 ${median(all).toFixed(1)} ms, p95 ${quantile(all, 0.95).toFixed(1)} ms; one commit ${commit.toFixed(2)} ms`
    ),
    info(
      "from the decision's own time in the database, before it is committed",
      `p50 ${median(afterCommits).toFixed(1)} ms (${(median(afterCommits) / commit).toFixed(1)} commits), p95 ${
        quantile(afterCommits, 0.95).toFixed(1)
      } ms`
    ),
    info(
      "the renderer's scripts, all routes, gzip",
      `${(scriptBytes(join(out, "renderer", "assets")) / 1_000).toFixed(0)} kB`
    )
  ]
}).pipe(Effect.scoped)

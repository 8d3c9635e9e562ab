/**
 * `npm run bench [-- name…] [--rounds 3] [--seconds 5] [--callers 256] [--rows 200000|full] [--out directory]`:
 * measures the project's performance targets on this machine, with a separate PostgreSQL. Without names it runs all
 * benches.
 */
import { Cause, Effect, Exit, References } from "effect"
import { mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { agentTree } from "./agent-tree.ts"
import { channel } from "./channel.ts"
import { chat } from "./chat.ts"
import { desktop } from "./desktop.ts"
import { deviceFlood } from "./device-flood.ts"
import { deviceRoundTrip } from "./device-round-trip.ts"
import { devices2000 } from "./devices-2000.ts"
import { dispatchHttp } from "./dispatch-http.ts"
import { events } from "./events.ts"
import { families } from "./families.ts"
import { type Figure, table } from "./figures.ts"
import { firstRun } from "./first-run.ts"
import { growth } from "./growth.ts"
import { knowledgeIngest } from "./knowledge-ingest.ts"
import { knowledgeQuality } from "./knowledge-quality.ts"
import { knowledgeSearch } from "./knowledge-search.ts"
import { describeMachine } from "./machine.ts"
import { memory } from "./memory.ts"
import { moneyCore } from "./money-core.ts"
import { packaged } from "./package.ts"
import { peers } from "./peers.ts"
import { scrolling } from "./scroll.ts"
import { search } from "./search.ts"
import { singleCaller } from "./single-caller.ts"
import { Stage } from "./stage.ts"
import { start } from "./start.ts"
import { storage } from "./storage.ts"
import { twoConsoles } from "./two-consoles.ts"
import { twoHubs } from "./two-hubs.ts"
import { webhooks } from "./webhooks.ts"
import { workflows } from "./workflows.ts"

const benches = {
  "money-core": moneyCore,
  "dispatch-http": dispatchHttp,
  "two-hubs": twoHubs,
  "single-caller": singleCaller,
  events,
  "two-consoles": twoConsoles,
  scroll: scrolling,
  start,
  package: packaged,
  "first-run": firstRun,
  growth,
  families,
  "agent-tree": agentTree,
  workflows,
  search,
  chat,
  "knowledge-quality": knowledgeQuality,
  "knowledge-search": knowledgeSearch,
  "device-round-trip": deviceRoundTrip,
  "device-flood": deviceFlood,
  "devices-2000": devices2000,
  desktop,
  memory,
  "knowledge-ingest": knowledgeIngest,
  storage,
  webhooks,
  channel,
  peers
}
type Name = keyof typeof benches

const rowsFull = 10_000_000
const rowsDefault = 200_000

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    callers: { type: "string", default: "256" },
    rows: { type: "string", default: String(rowsDefault) },
    out: { type: "string", default: join(tmpdir(), "countersign-bench") }
  }
})

const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}
const whole = (name: "rounds" | "seconds" | "callers" | "rows", text: string): number =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : refuse(`--${name} must be a whole number above 0`)
const names = positionals.length === 0
  ? Object.keys(benches) as ReadonlyArray<Name>
  : positionals.map((name) =>
    Object.hasOwn(benches, name)
      ? name as Name
      : refuse(`There is no bench "${name}". There are: ${Object.keys(benches).join(", ")}`)
  )

const options = {
  rounds: whole("rounds", values.rounds),
  seconds: whole("seconds", values.seconds),
  callers: whole("callers", values.callers),
  rows: values.rows === "full" ? rowsFull : whole("rows", values.rows),
  out: values.out
}
mkdirSync(options.out, { recursive: true })

const main = Effect.gen(function*() {
  process.stdout.write(
    `${describeMachine()}\n${new Date().toISOString().slice(0, 10)}, npm run bench -- ${
      process.argv.slice(2).join(" ")
    }\n`
  )
  const figures: Array<Figure> = []
  for (const name of names) {
    const began = performance.now()
    const found = yield* benches[name]
    figures.push(...found)
    process.stdout.write(`\n${name}, ${((performance.now() - began) / 1000).toFixed(0)} s\n${table(found)}\n`)
  }
  if (names.length > 1) process.stdout.write(`\n${table(figures)}\n`)
}).pipe(
  Effect.provide(Stage.layer(options)),
  Effect.provideService(References.MinimumLogLevel, "Warn")
)

const fiber = Effect.runFork(main)
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => fiber.interruptUnsafe())
fiber.addObserver((exit) => {
  if (Exit.isFailure(exit)) process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
  process.exit(Exit.isSuccess(exit) ? 0 : 1)
})

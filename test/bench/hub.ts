/**
 * A hub in a separate process for benches: the real composition over the database of `DATABASE_URL`. Besides the
 * program's own settings: `BENCH_ONE_BY_ONE=1` runs every begin and settle in a separate transaction, on eight
 * connections, as the comparison for the tick. `BENCH_NO_SHORT_PATH=1` sends a single entry as a batch of one. SIGUSR2
 * starts a CPU profile; a second one ends it and writes it to `BENCH_PROFILE`. SIGHUP collects garbage and prints how
 * much memory is used afterwards.
 */
import { FirstOwner } from "@countersign/hub/auth/first-owner"
import { configFromEnv, Settings } from "@countersign/hub/config"
import { tickLimits } from "@countersign/hub/dispatch/money-core/queue"
import { TickCut } from "@countersign/hub/dispatch/money-core/service"
import { HubLive, ServicesLive } from "@countersign/hub/hub"
import { databaseLayer } from "@countersign/hub/platform/database"
import { loggingLayer } from "@countersign/hub/platform/logging"
import { releaseStartMemory } from "@countersign/hub/platform/memory"
import { beginServing } from "@countersign/hub/platform/readiness"
import { Cause, Effect, Exit, Layer, Option, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { writeFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const config = configFromEnv()
const limits = process.env["BENCH_ONE_BY_ONE"] === "1"
  ? Layer.succeed(TickCut, { entriesMax: 1, lanesMax: 9, lanesOfOrgMax: 8 })
  : process.env["BENCH_NO_SHORT_PATH"] === "1"
  ? Layer.succeed(TickCut, { ...tickLimits, isShort: false })
  : Layer.empty

const profileFile = process.env["BENCH_PROFILE"]
let profiling: Session | undefined
const toggleProfile = async () => {
  if (profileFile === undefined) return
  if (profiling === undefined) {
    profiling = new Session()
    profiling.connect()
    await profiling.post("Profiler.enable")
    await profiling.post("Profiler.setSamplingInterval", { interval: 500 })
    await profiling.post("Profiler.start")
    process.stdout.write("profiling\n")
  } else {
    const { profile } = await profiling.post("Profiler.stop")
    profiling.disconnect()
    profiling = undefined
    writeFileSync(profileFile, JSON.stringify(profile))
    process.stdout.write("profiled\n")
  }
}
if (process.platform !== "win32") process.on("SIGUSR2", () => void toggleProfile())

let memoryReports = 0
const reportMemory = () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  // Objects with finalizers are freed by the second collection.
  collect()
  collect()
  const { external, heapUsed } = process.memoryUsage()
  process.stdout.write(`memory ${++memoryReports}: ${heapUsed + external}\n`)
}
if (process.platform !== "win32") process.on("SIGHUP", reportMemory)

const main = Effect.gen(function*() {
  const owners = yield* FirstOwner
  if (Option.isSome(config.owner)) {
    yield* owners.ensureOwner(config.owner.value.email, Redacted.value(config.owner.value.password))
  }
  yield* beginServing
  const { address } = yield* HttpServer.HttpServer
  releaseStartMemory()
  process.stdout.write(`hub on ${address._tag === "UnixPathAddress" ? 0 : address.port}\n`)
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provide(HubLive.pipe(Layer.provideMerge(ServicesLive), Layer.provideMerge(databaseLayer))),
  Effect.provide(limits),
  Effect.provide(loggingLayer(config)),
  Effect.provide(Settings.layerOf(config))
)

const fiber = Effect.runFork(main)
process.on("SIGTERM", () => fiber.interruptUnsafe())
fiber.addObserver((exit) => {
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
    process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
    process.exit(1)
  }
  process.exit(0)
})

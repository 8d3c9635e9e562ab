/** `hub start`: runs the hub until a signal stops it; then drains. */
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { announce, announceFailure, outputOfEnv } from "./announcements.ts"
import { configFromEnv, type HubConfig, SettingError, Settings } from "./config.ts"
import { withFreePort } from "./edge/free-port.ts"
import { ensurePortIsFree } from "./edge/taken-port.ts"
import { exitSetting, failureOf } from "./failure.ts"
import { databaseLayer } from "./platform/database.ts"
import { loggingLayer } from "./platform/logging.ts"
import { unknownSettings } from "./setting-names.ts"

/** Runs to the end of the process. Repetitions of a signal, from a terminal and from npm, count as one. */
export const start = (): void => {
  let config: HubConfig
  try {
    config = configFromEnv()
  } catch (error) {
    const reason = error instanceof SettingError ? error.message : String(error)
    announceFailure(outputOfEnv(), `Countersign cannot start: ${reason}`)
    process.exit(exitSetting)
  }
  let onSignal: (() => void) | undefined
  const serve = (config: HubConfig) =>
    Effect.gen(function*() {
      // The embedded server starts while the other modules load. Another server is connected to afterwards: on a slow
      // machine loading blocks the process for longer than a connection may take.
      const [{ serving }, database] = yield* Effect.all([
        Effect.promise(() => import("./serving.ts")),
        Layer.build(databaseLayer)
      ], { concurrency: Option.isSome(config.databaseUrl) ? 1 : "unbounded" })
      yield* Effect.provideContext(
        serving((drain) => {
          onSignal = drain
        }),
        database
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(loggingLayer(config)),
      Effect.provide(Settings.layerOf(config))
    )
  for (const warning of unknownSettings(process.env)) announce(config, warning, {}, "warn")
  if (config.paused) {
    announce(config, "This hub is a paused copy: it calls nobody, and starts no work by itself.", {}, "warn")
  }
  const hub = Effect.tryPromise({ try: () => withFreePort(config), catch: (error) => error }).pipe(
    Effect.tap((chosen) => Effect.provide(ensurePortIsFree(chosen), loggingLayer(chosen))),
    Effect.flatMap(serve)
  )
  const fiber = Effect.runFork(hub as Effect.Effect<void, unknown>)
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    announce(config, "Draining: no new requests; requests in progress will finish first.")
    // A signal during the start ends it.
    if (onSignal === undefined) fiber.interruptUnsafe()
    else onSignal()
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit) || (stopping && Cause.hasInterruptsOnly(exit.cause))) return process.exit(0)
    const { code, line } = failureOf(exit.cause)
    announceFailure(config, `Countersign must stop: ${line}`)
    process.exit(code)
  })
}

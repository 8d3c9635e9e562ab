/** Output of commands: the result on standard output, everything else on standard error. */
import { Effect, Layer, Logger, References } from "effect"

/** Completes when the system has accepted it. */
export const print = (text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    process.stdout.write(`${text}\n`, () => resume(Effect.void))
  })

export const warningsOnStandardError = Layer.mergeAll(
  Logger.layer([Logger.withConsoleError(Logger.formatSimple)]),
  Layer.succeed(References.MinimumLogLevel, "Warn"),
  Layer.succeed(References.TracerEnabled, false)
)

/**
 * A hub's logs: pretty on a terminal, otherwise one JSON object per line; with request and trace ids. Also OTLP when an
 * endpoint is set.
 */
import { Cause, Context, Layer, Logger, Option, References, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import type { HubConfig } from "../config.ts"
import { passingText } from "./db.ts"

const levels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** One line of the format `json`. */
export const jsonLine = (
  at: Date,
  level: string,
  message: string,
  fields: Readonly<Record<string, unknown>> = {}
): string => `${JSON.stringify({ at: at.toISOString(), level, message, ...fields })}\n`

/** A database that is unavailable needs no stack. */
const causeText = (cause: Cause.Cause<unknown>): string => passingText(Cause.squash(cause)) ?? Cause.pretty(cause)

const repeatMillis = 60_000
const messagesMax = 1_000

/**
 * Prints a warning or an error once a minute, however often it repeats, with the number of repetitions since. Messages
 * that name different objects are all printed, unless the database is unavailable.
 */
export const collapsing = (logger: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> => {
  const seen = new Map<string, { readonly until: number; repeated: number }>()
  return Logger.make((options) => {
    const [first] = Array.isArray(options.message) ? options.message as ReadonlyArray<unknown> : [options.message]
    if (typeof first !== "string" || (options.logLevel !== "Warn" && options.logLevel !== "Error")) {
      return logger.log(options)
    }
    const now = options.date.getTime()
    // While the database is unavailable, the same happens to every workspace.
    const isOutage = passingText(Cause.squash(options.cause)) !== undefined
    const key = `${options.logLevel} ${isOutage ? first.replace(/_[0-9a-z]{26}\b/g, "_…") : first}`
    const last = seen.get(key)
    if (last !== undefined && now < last.until) return void last.repeated++
    seen.delete(key)
    if (seen.size >= messagesMax) seen.delete(seen.keys().next().value!)
    seen.set(key, { until: now + repeatMillis, repeated: 0 })
    logger.log(
      last === undefined || last.repeated === 0
        ? options
        : { ...options, message: [first, `(${last.repeated} more in the last minute)`, ...rest(options.message)] }
    )
  })
}

const rest = (message: unknown): ReadonlyArray<unknown> => Array.isArray(message) ? message.slice(1) : []

const jsonLogger = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const span = Context.getOption(fiber.context, Tracer.ParentSpan)
  const parts = Array.isArray(message) ? message as ReadonlyArray<unknown> : [message]
  process.stdout.write(jsonLine(
    date,
    logLevel.toLowerCase(),
    parts.map((part) =>
      typeof part === "string"
        ? part
        : Cause.isCause(part)
        ? causeText(part)
        : passingText(part) ?? JSON.stringify(part)
    ).join(" "),
    {
      ...fiber.getRef(References.CurrentLogAnnotations),
      ...(Option.isSome(span) && span.value.traceId !== "noop"
        ? { trace_id: span.value.traceId, span_id: span.value.spanId }
        : {}),
      ...(cause.reasons.length > 0 ? { cause: causeText(cause) } : {})
    }
  ))
})

export const loggingLayer = (config: HubConfig) => {
  const logger = Logger.layer([collapsing(config.logFormat === "json" ? jsonLogger : Logger.consolePretty())])
  const level = Layer.succeed(References.MinimumLogLevel, levels[config.logLevel])
  const base = Layer.merge(logger, level)
  // Without an exporter no span is made: on the hottest path spans cost more than everything else in `edge/`.
  if (Option.isNone(config.otlpEndpoint)) return Layer.merge(base, Layer.succeed(References.TracerEnabled, false))
  return Otlp.layerJson({
    baseUrl: config.otlpEndpoint.value,
    resource: { serviceName: "countersign-hub" },
    loggerMergeWithExisting: true
  }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(base)
  )
}

/**
 * A hub's logs: pretty on a terminal, otherwise one JSON object per line; with request and trace ids. Also OTLP when an
 * endpoint is set.
 */
import { Cause, Context, Layer, Logger, Option, References, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import type { HubConfig } from "../config.ts"

const levels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** One line of the format `json`. */
export const jsonLine = (
  at: Date,
  level: string,
  message: string,
  fields: Readonly<Record<string, unknown>> = {}
): string => `${JSON.stringify({ at: at.toISOString(), level, message, ...fields })}\n`

const jsonLogger = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const span = Context.getOption(fiber.context, Tracer.ParentSpan)
  const parts = Array.isArray(message) ? message as ReadonlyArray<unknown> : [message]
  process.stdout.write(jsonLine(
    date,
    logLevel.toLowerCase(),
    parts.map((part) =>
      typeof part === "string" ? part : Cause.isCause(part) ? Cause.pretty(part) : JSON.stringify(part)
    ).join(" "),
    {
      ...fiber.getRef(References.CurrentLogAnnotations),
      ...(Option.isSome(span) && span.value.traceId !== "noop"
        ? { trace_id: span.value.traceId, span_id: span.value.spanId }
        : {}),
      ...(cause.reasons.length > 0 ? { cause: Cause.pretty(cause) } : {})
    }
  ))
})

export const loggingLayer = (config: HubConfig) => {
  const logger = Logger.layer([config.logFormat === "json" ? jsonLogger : Logger.consolePretty()])
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

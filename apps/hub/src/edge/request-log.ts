/**
 * One log line for each request. Failures and slow requests are at level `info`, all others at `debug`. Spec:
 * reference/operation.md "Logs".
 */
import { Context, Effect, Layer, LogLevel, References } from "effect"

/** A request that took longer is logged at level `info`, unless it stays open by design. */
const slowMillis = 1_000

/** What the handlers of one request add to its line. */
export interface RequestNotes {
  /** The path with the names of its parameters: `/api/v1/agents/:id`. */
  route?: string
  serviceRequestId?: string
  /** The status of a service request, otherwise the error's code. */
  outcome?: string
  /** An event stream, a socket, or a poll with `?wait=`: its time shows nothing. */
  staysOpen?: boolean
}

/** Absent outside of requests. */
export class CurrentNotes extends Context.Reference<RequestNotes | undefined>("@countersign/hub/edge/CurrentNotes", {
  defaultValue: () => undefined
}) {}

/** Adds facts to the line of the current request. */
export const note = (facts: RequestNotes): Effect.Effect<void> =>
  Effect.map(CurrentNotes, (notes) => {
    if (notes !== undefined) Object.assign(notes, facts)
  })

export interface AnsweredRequest {
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  readonly notes: RequestNotes
}

const isNotable = ({ milliseconds, notes, status }: AnsweredRequest): boolean =>
  status >= 400 || notes.outcome === "failed" || (milliseconds >= slowMillis && notes.staysOpen !== true)

export class RequestLog extends Context.Service<RequestLog, {
  readonly record: (request: AnsweredRequest) => void
}>()("@countersign/hub/edge/RequestLog") {
  static readonly layer = Layer.effect(
    RequestLog,
    Effect.gen(function*() {
      const context = yield* Effect.context<never>()
      const run = Effect.runForkWith(context)
      const minimum = Context.get(context, References.MinimumLogLevel)
      return RequestLog.of({
        record: (request) => {
          const { method, milliseconds, notes, requestId, route, status } = request
          const level = isNotable(request) ? "Info" : "Debug"
          if (LogLevel.isLessThan(level, minimum)) return
          run(Effect.annotateLogs(Effect.logWithLevel(level)(`${method} ${route} ${status}`), {
            request_id: requestId,
            ...(notes.serviceRequestId === undefined ? {} : { service_request_id: notes.serviceRequestId }),
            method,
            route,
            status,
            outcome: notes.outcome ?? "ok",
            milliseconds: Math.round(milliseconds)
          }))
        }
      })
    })
  )
}

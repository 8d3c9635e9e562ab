import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { invalidField } from "@countersign/domain/errors"
import { isRunEnded, type RepeatInput, StartedRun } from "@countersign/domain/workflow-runs"
import { Effect, Schema, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Liveness } from "../auth/liveness.ts"
import { eventStreamAnswer, eventText, followEvents } from "../platform/event-stream.ts"
import { idempotencyKeyOf, sentHeaders } from "../platform/idempotency-key.ts"
import { Idempotency } from "../platform/idempotency.ts"
import { Signals } from "../platform/signals.ts"

import { RunCallbacks } from "./callbacks.ts"
import { WorkflowRuns } from "./service.ts"

const StartedId = Schema.Struct({ run_id: Schema.String })

const encodeStarted = Schema.encodeUnknownSync(StartedRun)

export const WorkflowRunsHttp = HttpApiBuilder.group(
  HubApi,
  "workflow_runs",
  Effect.fn(function*(handlers) {
    const runs = yield* WorkflowRuns
    const callbacks = yield* RunCallbacks
    const idempotency = yield* Idempotency
    const liveness = yield* Liveness
    const signals = yield* Signals
    const repeat = (id: string, label: string | undefined, input: RepeatInput | null) =>
      CurrentUser.use((user) => runs.repeat(user, id, label, input ?? {}))
    return handlers
      .handle(
        "start",
        Effect.fnUntraced(function*({ params, payload }) {
          const principal = yield* CurrentPrincipal
          const input = payload ?? {}
          const request = yield* HttpServerRequest.HttpServerRequest
          const { wait_seconds = 0, ...started } = input
          const key = yield* idempotencyKeyOf(sentHeaders(request))
          const made = principal.kind === "agent"
            ? yield* runs.dispatch(principal, params.id, input, key)
            : key === undefined
            // Without a key, the start is committed together with others.
            ? { run: yield* runs.start(principal, params.id, input), replayed: false }
            : yield* Effect.map(
              idempotency.once(
                { principal, input: started, answer: StartedId, status: 202 },
                Effect.map(runs.start(principal, params.id, input), (run_id) => ({ run_id }))
              ),
              (answer) => ({
                run: (JSON.parse(new TextDecoder().decode((answer.body as { readonly body: Uint8Array }).body)) as {
                  readonly run_id: string
                }).run_id,
                replayed: answer.headers["idempotent-replayed"] === "true"
              })
            )
          const run = yield* runs.get(principal, made.run, wait_seconds)
          return HttpServerResponse.jsonUnsafe(encodeStarted({ run }), {
            status: 202,
            headers: {
              location: `/api/v1/workflow-runs/${made.run}`,
              ...(made.replayed ? { "idempotent-replayed": "true" } : {})
            }
          })
        })
      )
      .handle(
        "estimate",
        ({ params, payload }) => CurrentPrincipal.use((principal) => runs.estimate(principal, params.id, payload ?? {}))
      )
      .handle(
        "listOfWorkflow",
        ({ params, query }) =>
          CurrentPrincipal.use((principal) => runs.list(principal, { ...query, workflow_id: params.id }))
      )
      .handle("list", ({ query }) => CurrentPrincipal.use((principal) => runs.list(principal, query)))
      .handle("get", ({ params }) => CurrentPrincipal.use((principal) => runs.get(principal, params.runId)))
      .handle(
        "events",
        Effect.fnUntraced(function*({ params: { runId }, query }) {
          const principal = yield* CurrentPrincipal
          const request = yield* HttpServerRequest.HttpServerRequest
          const last = request.headers["last-event-id"]
          if (last !== undefined && last !== "" && !/^\d{1,9}$/u.test(last)) {
            return yield* Effect.fail(invalidField("last-event-id", "expected the id of an event of this run"))
          }
          yield* runs.get(principal, runId)
          const from = last === undefined || last === "" ? query.last_event_id ?? -1 : Number(last)
          return eventStreamAnswer(
            followEvents(signals, runId, from, (after) =>
              Effect.map(runs.changes(principal, runId, after), (run) => ({
                texts: run === undefined ? [] : [eventText(run.revision, "run.updated", run)],
                position: run?.revision ?? after,
                done: run !== undefined && isRunEnded(run.status)
              }))).pipe(Stream.interruptWhen(liveness.ended(principal)), Stream.encodeText)
          )
        })
      )
      .handle("cancel", ({ params }) => CurrentUser.use((user) => runs.cancel(user, params.runId)))
      .handle("rerunFailed", ({ params, payload }) => repeat(params.runId, undefined, payload))
      .handle("retryStep", ({ params, payload }) => repeat(params.runId, params.label, payload))
      .handle("callbackPage", () => Effect.succeed(callbacks.page))
      .handleRaw(
        "callback",
        Effect.fnUntraced(function*({ params }) {
          yield* callbacks.receive(params.step_id, params.token, yield* HttpServerRequest.HttpServerRequest)
          return { received: true as const }
        })
      )
  })
)

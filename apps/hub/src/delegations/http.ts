import { HubApi } from "@countersign/domain/api"
import { CurrentAgent, CurrentPrincipal } from "@countersign/domain/auth"
import { DelegatedTask } from "@countersign/domain/delegated-tasks"
import { Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Liveness } from "../auth/liveness.ts"
import { eventStreamAnswer } from "../platform/event-stream.ts"
import { Idempotency } from "../platform/idempotency.ts"
import { Signals } from "../platform/signals.ts"
import { followTask } from "./follow.ts"
import { DelegatedTasks } from "./service.ts"

export const DelegatedTasksHttp = HttpApiBuilder.group(
  HubApi,
  "delegated_tasks",
  Effect.fn(function*(handlers) {
    const tasks = yield* DelegatedTasks
    const idempotency = yield* Idempotency
    const liveness = yield* Liveness
    const signals = yield* Signals
    return handlers.handleAll({
      list: ({ params, query }) => CurrentPrincipal.use((principal) => tasks.list(principal, params.id, query)),
      listAll: ({ query }) => CurrentPrincipal.use((principal) => tasks.listAll(principal, query)),
      create: Effect.fnUntraced(function*({ params, payload }) {
        const principal = yield* CurrentPrincipal
        return yield* idempotency.once(
          {
            principal,
            input: payload,
            answer: DelegatedTask,
            status: 201,
            location: ({ id }) => `/api/v1/delegated-tasks/${id}`
          },
          tasks.create(principal, params.id, payload)
        )
      }),
      update: ({ params, payload }) =>
        CurrentAgent.use((agent) => tasks.update(agent, params.id, params.taskId, payload)),
      reattach: ({ params, payload }) =>
        CurrentAgent.use((agent) => tasks.reattach(agent, params.id, params.taskId, payload?.after)),
      get: ({ params }) => CurrentPrincipal.use((principal) => tasks.get(principal, params.taskId)),
      events: Effect.fnUntraced(function*({ params: { taskId }, query }) {
        const principal = yield* CurrentPrincipal
        const request = yield* HttpServerRequest.HttpServerRequest
        const last = request.headers["last-event-id"] ?? query.last_event_id
        const from = yield* tasks.position(principal, taskId, last === "" ? undefined : last)
        return eventStreamAnswer(
          followTask(signals, principal.org_id, from, (after) => tasks.events(principal, taskId, after)).pipe(
            Stream.interruptWhen(liveness.ended(principal)),
            Stream.encodeText
          )
        )
      })
    })
  })
)

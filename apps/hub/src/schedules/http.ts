import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { ScheduleRun } from "@countersign/domain/scheduled-tasks"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Firings } from "../firings/service.ts"
import { Idempotency } from "../platform/idempotency.ts"
import { ScheduledTasks } from "./service.ts"

export const ScheduledTasksHttp = HttpApiBuilder.group(
  HubApi,
  "scheduled_tasks",
  Effect.fn(function*(handlers) {
    const tasks = yield* ScheduledTasks
    const idempotency = yield* Idempotency
    const firings = yield* Firings
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => tasks.list(user, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => tasks.create(user, payload)).pipe(
          Effect.map((task) => created(`/scheduled-tasks/${task.id}`, task))
        ),
      get: ({ params }) => CurrentUser.use((user) => tasks.get(user, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => tasks.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => tasks.remove(user, params.id)),
      listRuns: ({ params, query }) => CurrentUser.use((user) => tasks.listRuns(user, params.id, query)),
      run: ({ params }) =>
        CurrentUser.use((principal) => {
          let stored: string | undefined
          const run = Effect.tap(tasks.run(principal, params.id), ({ id }) => Effect.sync(() => void (stored = id)))
          // The caller may read the request at once.
          return idempotency.once({ principal, input: {}, status: 202, answer: ScheduleRun }, run).pipe(
            Effect.tap(() => stored === undefined ? Effect.void : firings.begun(stored))
          )
        }),
      setStatus: ({ params, payload }) => CurrentUser.use((user) => tasks.setStatus(user, params.id, payload.status))
    })
  })
)

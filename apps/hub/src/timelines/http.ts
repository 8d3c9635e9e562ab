import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Traces } from "./service.ts"

export const TracesHttp = HttpApiBuilder.group(
  HubApi,
  "traces",
  Effect.fn(function*(handlers) {
    const traces = yield* Traces
    return handlers.handleAll({
      get: Effect.fnUntraced(function*({ params }) {
        return yield* traces.get(yield* CurrentUser, params.id)
      })
    })
  })
)

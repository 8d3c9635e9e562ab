import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Timelines } from "./service.ts"

export const TimelinesHttp = HttpApiBuilder.group(
  HubApi,
  "traces",
  Effect.fn(function*(handlers) {
    const timelines = yield* Timelines
    return handlers.handleAll({
      get: Effect.fnUntraced(function*({ params }) {
        return yield* timelines.get(yield* CurrentUser, params.id)
      })
    })
  })
)

import { HubApi } from "@countersign/domain/api"
import { CurrentAgent, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { SpawnedAgent } from "@countersign/domain/families"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { noStore } from "../edge/no-store.ts"
import { Idempotency } from "../platform/idempotency.ts"
import { Families } from "./service.ts"

export const FamiliesHttp = HttpApiBuilder.group(
  HubApi,
  "families",
  Effect.fn(function*(handlers) {
    const families = yield* Families
    const idempotency = yield* Idempotency
    return handlers.handleAll({
      spawn: Effect.fnUntraced(function*({ payload }) {
        const principal = yield* CurrentAgent
        yield* noStore
        return yield* idempotency.once(
          {
            principal,
            input: payload,
            answer: SpawnedAgent,
            status: 201,
            location: ({ id }) => `/api/v1/agents/${id}`,
            stored: ({ api_key: _, ...agent }) => ({ ...agent, api_key_shown: true as const })
          },
          families.spawn(principal, payload)
        )
      }),
      estimate: ({ payload }) => CurrentAgent.use((agent) => families.estimate(agent, payload)),
      clone: ({ params, payload }) =>
        Effect.andThen(noStore, CurrentUser.use((user) => families.clone(user, params.id, payload ?? {}))).pipe(
          Effect.map((agent) => created(`/agents/${agent.id}`, agent))
        )
    })
  })
)

import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Memories } from "./service.ts"

export const MemoriesHttp = HttpApiBuilder.group(
  HubApi,
  "memories",
  Effect.fn(function*(handlers) {
    const memories = yield* Memories
    return handlers.handleAll({
      list: ({ params, query }) => CurrentPrincipal.use((principal) => memories.list(principal, params.id, query)),
      create: ({ params, payload }) =>
        CurrentPrincipal.use((principal) => memories.create(principal, params.id, payload)).pipe(
          Effect.map((memory) => created(`/agents/${memory.agent_id}/memories/${memory.id}`, memory))
        ),
      get: ({ params }) => CurrentPrincipal.use((principal) => memories.get(principal, params.id, params.memoryId)),
      graph: ({ params }) => CurrentPrincipal.use((principal) => memories.graph(principal, params.id)),
      update: ({ params, payload }) =>
        CurrentPrincipal.use((principal) => memories.update(principal, params.id, params.memoryId, payload)),
      remove: ({ params }) =>
        CurrentPrincipal.use((principal) => memories.remove(principal, params.id, params.memoryId))
    })
  })
)

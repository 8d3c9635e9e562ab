import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { noStore } from "../edge/no-store.ts"
import { csvFile } from "../platform/download.ts"
import { csvColumns, exported } from "./export.ts"
import { Agents } from "./service.ts"

export const AgentsHttp = HttpApiBuilder.group(
  HubApi,
  "agents",
  Effect.fn(function*(handlers) {
    const agents = yield* Agents
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => agents.list(user, query)),
      export: ({ query: { workspace: _, ...query } }) =>
        CurrentUser.use((user) =>
          Effect.succeed(csvFile(`agents-${user.org_id}`, csvColumns, exported(agents, user, query)))
        ),
      create: ({ payload }) =>
        Effect.andThen(noStore, CurrentUser.use((user) => agents.create(user, payload))).pipe(
          Effect.map((agent) => created(`/agents/${agent.id}`, agent))
        ),
      fleetHealth: ({ query }) => CurrentUser.use((user) => agents.fleetHealth(user, query)),
      get: ({ params }) => CurrentPrincipal.use((principal) => agents.get(principal, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => agents.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => agents.remove(user, params.id)),
      transfer: ({ params, payload }) => CurrentUser.use((user) => agents.transfer(user, params.id, payload)),
      rotateKey: ({ params, payload }) =>
        Effect.andThen(noStore, CurrentUser.use((user) => agents.rotateKey(user, params.id, payload ?? {})))
    })
  })
)

import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { McpServices } from "./mcp-services.ts"

export const McpToolsHttp = HttpApiBuilder.group(
  HubApi,
  "mcp_tools",
  Effect.fn(function*(handlers) {
    const services = yield* McpServices
    return handlers.handleAll({
      list: ({ params }) => CurrentUser.use((user) => services.tools(user, params.name)),
      accept: ({ params, payload }) => CurrentUser.use((user) => services.decide(user, params.name, payload, "accept")),
      refuse: ({ params, payload }) => CurrentUser.use((user) => services.decide(user, params.name, payload, "refuse")),
      refresh: ({ params }) => CurrentUser.use((user) => services.refresh(user, params.name))
    })
  })
)

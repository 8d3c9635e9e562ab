import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { importInput, makeOneOfFew } from "./import-body.ts"
import { McpServices } from "./mcp-services.ts"
import { Catalog } from "./service.ts"

export const CatalogHttp = HttpApiBuilder.group(
  HubApi,
  "services",
  Effect.fn(function*(handlers) {
    const catalog = yield* Catalog
    const servers = yield* McpServices
    const oneOfFew = yield* makeOneOfFew
    return handlers.handleRaw(
      "import",
      Effect.fnUntraced(function*() {
        const user = yield* CurrentUser
        const made = yield* catalog.import(user, yield* importInput("import"))
        return created(`/services/${made.service.name}`, made)
      }, oneOfFew)
    ).handleRaw(
      "previewImport",
      Effect.fnUntraced(function*() {
        return yield* catalog.previewImport(yield* importInput("preview"))
      }, oneOfFew)
    ).handleAll({
      list: ({ query }) => CurrentPrincipal.use((principal) => catalog.list(principal, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) =>
          payload.kind === "mcp" ? servers.create(user, payload) : catalog.create(user, payload)
        ).pipe(
          Effect.map((service) => created(`/services/${service.name}`, service))
        ),
      get: ({ params }) => CurrentPrincipal.use((principal) => catalog.get(principal, params.name)),
      update: ({ params, payload }) => CurrentUser.use((user) => catalog.update(user, params.name, payload)),
      remove: ({ params }) => CurrentUser.use((user) => catalog.remove(user, params.name))
    })
  })
)

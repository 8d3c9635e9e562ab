import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Catalog } from "./service.ts"

export const CatalogHttp = HttpApiBuilder.group(HubApi, "services", Effect.fn(function*(handlers) {
  const catalog = yield* Catalog
  return handlers.handleAll({
    list: ({ query }) => CurrentPrincipal.use((principal) => catalog.list(principal, query)),
    create: ({ payload }) =>
      CurrentUser.use((user) => catalog.create(user, payload)).pipe(
        Effect.map((service) => created(`/services/${service.name}`, service))
      ),
    import: ({ payload }) =>
      CurrentUser.use((user) => catalog.import(user, payload)).pipe(
        Effect.map((service) => created(`/services/${service.name}`, service))
      ),
    previewImport: ({ payload }) => catalog.previewImport(payload),
    get: ({ params }) => CurrentPrincipal.use((principal) => catalog.get(principal, params.name)),
    update: ({ params, payload }) => CurrentUser.use((user) => catalog.update(user, params.name, payload)),
    remove: ({ params }) => CurrentUser.use((user) => catalog.remove(user, params.name))
  })
}))

import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { filterModels, type Model, type ModelFilter } from "@countersign/domain/models"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { createHash } from "node:crypto"
import { matches } from "../edge/etag.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { type CatalogVersion, ModelCatalog } from "./catalog.ts"
import { ModelFavorites } from "./service.ts"

/** `data` as JSON text with its tag. The whole list is written once for each version. */
const whole = new WeakMap<CatalogVersion, { readonly text: string; readonly etag: string }>()

const textOf = (models: ReadonlyArray<Model>) => {
  const text = JSON.stringify(models)
  return { text, etag: `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"` }
}

const listed = (version: CatalogVersion, filter: ModelFilter) => {
  if (Object.keys(filter).length > 0) return textOf(filterModels(version.models, filter))
  const known = whole.get(version) ?? textOf(version.models)
  whole.set(version, known)
  return known
}

export const ModelsHttp = HttpApiBuilder.group(
  HubApi,
  "models",
  Effect.fn(function*(handlers) {
    const catalog = yield* ModelCatalog
    const favorites = yield* ModelFavorites
    const audit = yield* AuditLog

    const list = Effect.fnUntraced(function*({ query }: { readonly query: ModelFilter }) {
      const { org_id } = yield* CurrentPrincipal
      const request = yield* HttpServerRequest.HttpServerRequest
      const version = yield* catalog.current
      const { etag, text } = listed(version, query)
      const headers = { etag, "cache-control": "private, no-cache", vary: "authorization, cookie" }
      if (matches(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
      const as_of = yield* audit.asOf(org_id)
      return HttpServerResponse.text(
        `{"data":${text},"next_cursor":null,"as_of":${JSON.stringify(as_of)},"source":${
          JSON.stringify(version.source)
        }}`,
        { contentType: "application/json", headers }
      )
    })

    return handlers.handleAll({
      list,
      listOpenRouter: list,
      favorites: () => CurrentUser.use((user) => favorites.list(user)),
      favorite: ({ params }) => CurrentUser.use((user) => favorites.get(user, params.modelId)),
      addFavorite: ({ payload }) =>
        CurrentUser.use((user) => favorites.add(user, payload.model_id)).pipe(
          Effect.map((favorite) => created(`/models/favorites/${encodeURIComponent(favorite.model_id)}`, favorite))
        ),
      removeFavorite: ({ params }) => CurrentUser.use((user) => favorites.remove(user, params.modelId))
    })
  })
)

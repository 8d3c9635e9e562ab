/** Favorite models of a person in a workspace. Spec: reference/models.md "Favorites". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import { type Favorite, favoritesMax } from "@countersign/domain/models"
import { Context, Effect, Layer, Option } from "effect"
import { MembersRepository } from "../members/repository.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { ModelCatalog } from "./catalog.ts"
import { type FavoriteRow, FavoritesRepository } from "./repository.ts"

const shown = ({ created_at, id, model_id }: FavoriteRow): Favorite => ({
  id,
  model_id,
  created_at: created_at.toISOString()
})

export class ModelFavorites extends Context.Service<ModelFavorites, {
  readonly list: (
    user: UserPrincipal
  ) => Effect.Effect<{ readonly data: ReadonlyArray<Favorite>; readonly next_cursor: null; readonly as_of: string }>
  readonly get: (user: UserPrincipal, model: string) => Effect.Effect<Favorite, ApiError>
  /** One that exists is returned. 400 for a model that is not in the catalog, 409 `limit_reached`. */
  readonly add: (user: UserPrincipal, model: string) => Effect.Effect<Favorite, ApiError>
  readonly remove: (user: UserPrincipal, model: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/models/ModelFavorites") {
  static readonly layer = Layer.effect(
    ModelFavorites,
    Effect.gen(function*() {
      const catalog = yield* ModelCatalog
      const repository = yield* FavoritesRepository
      const members = yield* MembersRepository
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const add = Effect.fn("ModelFavorites.add")(function*(user: UserPrincipal, model: string) {
        yield* members.stays(user.org_id, user.user_id)
        const at = yield* heads.lock(user.org_id)
        const found = yield* repository.find(user.org_id, user.user_id, model)
        if (Option.isSome(found)) return shown(found.value)
        const all = yield* repository.list(user.org_id, user.user_id)
        if (all.length >= favoritesMax) {
          return yield* Effect.fail(
            conflict(
              "limit_reached",
              `A person can have ${favoritesMax} favorite models in a workspace; remove one first.`,
              {
                max: favoritesMax
              }
            )
          )
        }
        const row = yield* repository.insert(user.org_id, user.user_id, model, at)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "model_favorite.added",
          subject: { type: "model_favorite", id: row.id },
          data: { model_id: model }
        })
        return shown(row)
      }, db.transaction)

      const remove = Effect.fn("ModelFavorites.remove")(function*(user: UserPrincipal, model: string) {
        yield* members.stays(user.org_id, user.user_id)
        yield* heads.lock(user.org_id)
        const found = yield* repository.find(user.org_id, user.user_id, model)
        if (Option.isNone(found)) return yield* Effect.fail(notFound("favorite"))
        yield* repository.remove(user.org_id, user.user_id, model)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "model_favorite.removed",
          subject: { type: "model_favorite", id: found.value.id },
          data: { model_id: model }
        })
      }, db.transaction)

      return ModelFavorites.of({
        list: Effect.fn("ModelFavorites.list")(function*(user) {
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.list(user.org_id, user.user_id)
          return { data: rows.map(shown), next_cursor: null, as_of }
        }),
        get: Effect.fn("ModelFavorites.get")(function*(user, model) {
          const found = yield* repository.find(user.org_id, user.user_id, model)
          return Option.isNone(found) ? yield* Effect.fail(notFound("favorite")) : shown(found.value)
        }),
        add: (user, model) =>
          Effect.flatMap(
            catalog.current,
            ({ models }): Effect.Effect<Favorite, ApiError> =>
              models.some(({ id }) => id === model)
                ? add(user, model)
                : Effect.fail(
                  invalidField("model_id", "The catalog has no model with this id. GET /models lists them.")
                )
          ),
        remove
      })
    })
  )
}

/** Favorite models of people. */
import { type FavoriteId, newId, type OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface FavoriteRow {
  readonly id: FavoriteId
  readonly model_id: string
  readonly created_at: Date
}

export class FavoritesRepository extends Context.Service<FavoritesRepository, {
  /** Newest first. */
  readonly list: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<FavoriteRow>>
  readonly find: (org: OrgId, user: string, model: string) => Effect.Effect<Option.Option<FavoriteRow>>
  /** Call it under the workspace's lock. */
  readonly insert: (org: OrgId, user: string, model: string, at: Date) => Effect.Effect<FavoriteRow>
  /** False: it was no favorite. */
  readonly remove: (org: OrgId, user: string, model: string) => Effect.Effect<boolean>
}>()("@countersign/hub/models/FavoritesRepository") {
  static readonly layer = Layer.effect(
    FavoritesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return FavoritesRepository.of({
        list: (org, user) =>
          sql<FavoriteRow>`select id, model_id, created_at from model_favorites
          where org_id = ${org} and user_id = ${user} order by created_at desc, id desc`.pipe(Effect.orDie),
        find: (org, user, model) =>
          sql<FavoriteRow>`select id, model_id, created_at from model_favorites
          where org_id = ${org} and user_id = ${user} and model_id = ${model}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        insert: (org, user, model, at) => {
          const id = newId("fav")
          return sql`insert into model_favorites (id, org_id, user_id, model_id, created_at)
          values (${id}, ${org}, ${user}, ${model}, ${at})`.pipe(
            Effect.as({ id, model_id: model, created_at: at }),
            Effect.orDie
          )
        },
        remove: (org, user, model) =>
          sql`delete from model_favorites where org_id = ${org} and user_id = ${user} and model_id = ${model}
          returning id`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie)
      })
    })
  )
}

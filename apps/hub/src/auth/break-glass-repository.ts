/** Owners with a password and a second factor. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { withoutPassword } from "./repository.ts"

export class BreakGlassRepository extends Context.Service<BreakGlassRepository, {
  /** One change of such owners at a time, over all hubs, until the transaction ends. */
  readonly lock: Effect.Effect<void>
  readonly any: Effect.Effect<boolean>
  readonly includes: (user: string) => Effect.Effect<boolean>
}>()("@countersign/hub/auth/BreakGlassRepository") {
  static readonly layer = Layer.effect(
    BreakGlassRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const owners = sql`select 1 from memberships m join users u on u.id = m.user_id
        where m.role = 'owner' and u.password_hash <> ${withoutPassword}
          and exists (select 1 from factors f where f.user_id = u.id)`
      const isSome = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0
      return BreakGlassRepository.of({
        lock: Effect.orDie(Effect.asVoid(sql`select pg_advisory_xact_lock(hashtextextended('break glass', 0))`)),
        any: Effect.orDie(Effect.map(sql`${owners} limit 1`, isSome)),
        includes: (user) => Effect.orDie(Effect.map(sql`${owners} and u.id = ${user} limit 1`, isSome))
      })
    })
  )
}

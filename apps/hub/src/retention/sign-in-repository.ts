/** Rows of sign-ins that were begun and never finished. They hold sealed secrets, and belong to no workspace. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Rows that one statement deletes. */
const sweptRows = 1_000

/** Tables of rows with `expires_at`, and their keys. */
const tables = [
  ["oidc_flows", "hash"],
  ["oidc_links", "hash"],
  ["oidc_logouts", "ctid"],
  ["sign_in_challenges", "hash"],
  ["passkey_challenges", "hash"],
  ["totp_enrollments", "id"],
  ["device_sign_ins", "user_code"]
] as const

export class SignInRetentionRepository extends Context.Service<SignInRetentionRepository, {
  /** Deletes rows that expired over an hour ago, so that late answers still name the reason; returns their number. */
  readonly sweep: Effect.Effect<number>
}>()("@countersign/hub/retention/SignInRetentionRepository") {
  static readonly layer = Layer.effect(
    SignInRetentionRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return SignInRetentionRepository.of({
        sweep: Effect.gen(function*() {
          let swept = 0
          for (const [table, key] of tables) {
            const rows = yield* sql`delete from ${sql(table)} where ${sql(key)} in (
              select ${sql(key)} from ${sql(table)} where expires_at < clock_timestamp() - interval '1 hour'
              order by expires_at limit ${sweptRows} for update skip locked) returning 1`
            swept += rows.length
          }
          return swept
        }).pipe(Effect.orDie)
      })
    })
  )
}

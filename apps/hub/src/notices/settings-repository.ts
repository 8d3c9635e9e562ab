/** The notification settings of people. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { PlaceChanges } from "./rules.ts"

export interface StoredSettings {
  readonly places: PlaceChanges
  readonly digestMinutes: number
  readonly quiet: { readonly from: string; readonly to: string } | undefined
}

interface Row {
  readonly places: string
  readonly digest_minutes: number
  readonly quiet_from: string | null
  readonly quiet_to: string | null
}

export class NotificationSettingsRepository extends Context.Service<NotificationSettingsRepository, {
  /** Undefined: the person has the defaults. */
  readonly find: (org: OrgId, user: string) => Effect.Effect<StoredSettings | undefined>
  readonly put: (org: OrgId, user: string, settings: StoredSettings, at: Date) => Effect.Effect<void>
}>()("@countersign/hub/notices/NotificationSettingsRepository") {
  static readonly layer = Layer.effect(
    NotificationSettingsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return NotificationSettingsRepository.of({
        find: (org, user) =>
          sql<Row>`select places, digest_minutes, quiet_from, quiet_to from notification_settings
          where org_id = ${org} and user_id = ${user}`.pipe(
            Effect.map(([row]) =>
              row === undefined ? undefined : {
                places: JSON.parse(row.places) as PlaceChanges,
                digestMinutes: row.digest_minutes,
                quiet: row.quiet_from === null || row.quiet_to === null
                  ? undefined
                  : { from: row.quiet_from, to: row.quiet_to }
              }
            ),
            Effect.orDie
          ),
        put: (org, user, { digestMinutes, places, quiet }, at) =>
          sql`insert into notification_settings (org_id, user_id, places, digest_minutes, quiet_from, quiet_to, updated_at)
          values (${org}, ${user}, ${JSON.stringify(places)}, ${digestMinutes}, ${quiet?.from ?? null},
            ${quiet?.to ?? null}, ${at})
          on conflict (org_id, user_id) do update set places = excluded.places, digest_minutes = excluded.digest_minutes,
            quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to, updated_at = excluded.updated_at`.pipe(
            Effect.asVoid,
            Effect.orDie
          )
      })
    })
  )
}

/** Tokens of disconnected apps, until their provider has revoked them. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Sealed tokens and the attempts to revoke them. */
export interface RevocationRow {
  readonly app_id: string
  readonly org_id: OrgId
  readonly provider: string
  readonly params: string
  readonly access_token: Uint8Array
  readonly refresh_token: Uint8Array | null
  readonly note: string | null
  readonly attempt: number
}

export class AppRevocationsRepository extends Context.Service<AppRevocationsRepository, {
  /** Keeps the tokens of a connected app. Call it in the transaction that deletes them, before that. */
  readonly keep: (
    org: OrgId,
    app: string,
    queued: { readonly delaySeconds: number; readonly note: string | null }
  ) => Effect.Effect<void>
  readonly find: (org: OrgId, app: string) => Effect.Effect<RevocationRow | undefined>
  /** Takes due rows of all workspaces. Each is due again after the pause of its attempt, if nobody removes it. */
  readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<RevocationRow>>
  readonly remove: (org: OrgId, app: string) => Effect.Effect<void>
}>()("@countersign/hub/apps/AppRevocationsRepository") {
  static readonly layer = Layer.effect(
    AppRevocationsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "r.app_id, r.org_id, r.provider, r.params, r.access_token, r.refresh_token, r.note, r.attempt"
      )
      return AppRevocationsRepository.of({
        keep: (org, app, { delaySeconds, note }) =>
          sql`insert into app_revocations (app_id, org_id, provider, params, access_token, refresh_token, note, due_at)
          select id, org_id, provider, params, access_token, refresh_token, ${note},
            hub_time_or_last() + ${delaySeconds}::int * interval '1 second'
          from apps where org_id = ${org} and id = ${app} and status = 'connected'
          on conflict (app_id) do update set access_token = excluded.access_token,
            refresh_token = excluded.refresh_token, params = excluded.params, note = excluded.note, attempt = 0,
            due_at = excluded.due_at`.pipe(Effect.asVoid, Effect.orDie),
        find: (org, app) =>
          sql<RevocationRow>`select ${columns} from app_revocations r
          where r.org_id = ${org} and r.app_id = ${app}`.pipe(Effect.map(([row]) => row), Effect.orDie),
        claim: (limit) =>
          sql<RevocationRow>`update app_revocations r set attempt = r.attempt + 1, due_at = hub_time_or_last()
            + (array[60, 300, 1800, 7200, 21600])[least(r.attempt + 1, 5)] * interval '1 second'
          from (select app_id from app_revocations where due_at <= hub_time_or_last() order by due_at
            limit ${limit} for update skip locked) as due
          where r.app_id = due.app_id returning ${columns}`.pipe(Effect.orDie),
        remove: (org, app) =>
          sql`delete from app_revocations where org_id = ${org} and app_id = ${app}`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}

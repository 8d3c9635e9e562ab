/** Pairing requests of devices: pending until an operator decides, at most ten minutes. */
import type { Tool } from "@countersign/domain/device-tools"
import { pairingMinutes } from "@countersign/domain/devices"
import type { DeviceInput } from "@countersign/domain/devices"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"

export interface PairingRow {
  readonly code: string
  readonly name: string
  readonly platform: string
  readonly arch: string
  readonly app_version: string
  readonly capabilities: ReadonlyArray<Tool>
  readonly public_key: string | null
  readonly address: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly status: "waiting" | "confirmed" | "rejected" | "collected"
  readonly alive: boolean
  readonly org_id: OrgId | null
  readonly device_id: string | null
  /** Sealed. */
  readonly device_key: Uint8Array | null
}

export class PairingsRepository extends Context.Service<PairingsRepository, {
  /** False when another pending pairing has the same code. */
  readonly insert: (
    code: string,
    secretHash: Uint8Array,
    address: string,
    device: DeviceInput
  ) => Effect.Effect<Date | undefined>
  readonly byCode: (code: string) => Effect.Effect<PairingRow | undefined>
  readonly lockCode: (code: string) => Effect.Effect<PairingRow | undefined>
  readonly bySecret: (hash: Uint8Array) => Effect.Effect<PairingRow | undefined>
  readonly decide: (
    code: string,
    org: OrgId,
    decision: { readonly status: "rejected" } | {
      readonly status: "confirmed"
      readonly device: string
      readonly key: Uint8Array
    }
  ) => Effect.Effect<void>
  /** The sealed key, for one caller only. */
  readonly collect: (hash: Uint8Array) => Effect.Effect<PairingRow | undefined>
  readonly forget: Effect.Effect<void>
}>()("@countersign/hub/devices/PairingsRepository") {
  static readonly layer = Layer.effect(
    PairingsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns =
        sql`code, name, platform, arch, app_version, capabilities, public_key, address, created_at, expires_at,
        status,
      expires_at > hub_time_or_last() as alive, org_id, device_id, device_key`
      const one = (statement: Statement.Statement<PairingRow>) =>
        statement.pipe(Effect.map(([row]) => row), Effect.orDie)
      return PairingsRepository.of({
        insert: (code, secretHash, address, device) =>
          sql<{ expires_at: Date }>`insert into device_pairings (code, secret_hash, name, platform, arch, app_version,
              capabilities, public_key, address, expires_at)
          values (${code}, ${secretHash}, ${device.name}, ${device.platform}, ${device.arch}, ${device.app_version},
            ${device.capabilities}::text[],
            ${device.public_key ?? null}, ${address}, hub_time_or_last() + ${
            sql.literal(`interval '${pairingMinutes} minutes'`)
          })
          on conflict (code) do nothing returning expires_at`.pipe(
            Effect.map(([row]) => row?.expires_at),
            Effect.orDie
          ),
        byCode: (code) => one(sql`select ${columns} from device_pairings where code = ${code}`),
        lockCode: (code) => one(sql`select ${columns} from device_pairings where code = ${code} for update`),
        bySecret: (hash) => one(sql`select ${columns} from device_pairings where secret_hash = ${hash}`),
        decide: (code, org, decision) =>
          sql`update device_pairings set status = ${decision.status}, org_id = ${org},
            device_id = ${decision.status === "confirmed" ? decision.device : null}::text,
            device_key = ${decision.status === "confirmed" ? decision.key : null}::bytea
          where code = ${code} and status = 'waiting'`.pipe(Effect.asVoid, Effect.orDie),
        collect: (hash) =>
          one(sql`with taken as (select ${columns} from device_pairings
            where secret_hash = ${hash} and status = 'confirmed'
            for update),
            marked as (update device_pairings set status = 'collected', device_key = null where code in (select code from taken))
          select * from taken`),
        // A decision is readable for an hour; a key that was never fetched is deleted with it.
        forget: sql`delete from device_pairings where expires_at < hub_time_or_last() - interval '1 hour'`.pipe(
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}

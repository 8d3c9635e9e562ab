/** Sign-ins of programs on other devices. Only the hash of a device code is stored, and the token sealed. */
import type { Permission } from "@countersign/domain/auth"
import {
  devicePollSeconds,
  type DeviceSignInInput,
  deviceSignInSeconds,
  deviceSlowDownSeconds
} from "@countersign/domain/device-sign-in"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { textArray } from "../platform/db.ts"

/** Old rows that a new one deletes. */
const sweepMax = 20
/** Of clocks and networks between two polls. */
const earlySeconds = 0.5

export interface DeviceSignInRow {
  readonly user_code: string
  readonly client_name: string
  readonly scopes: ReadonlyArray<Permission>
  readonly address: string
  readonly user_agent: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly status: "pending" | "approved" | "rejected" | "collected"
  readonly alive: boolean
}

export interface Poll extends DeviceSignInRow {
  /** The poll came before its interval was over. */
  readonly early: boolean
}

export interface Collected {
  readonly org_id: OrgId
  readonly granted: ReadonlyArray<Permission>
  readonly token: Uint8Array
}

export class DeviceSignInsRepository extends Context.Service<DeviceSignInsRepository, {
  /** False when another sign-in has the same code. */
  readonly insert: (
    code: string,
    deviceHash: Uint8Array,
    input: DeviceSignInInput,
    from: { readonly ip: string; readonly userAgent: string | undefined }
  ) => Effect.Effect<boolean>
  readonly find: (code: string) => Effect.Effect<DeviceSignInRow | undefined>
  /** The row is locked until the transaction ends. */
  readonly lock: (code: string) => Effect.Effect<DeviceSignInRow | undefined>
  /** Records the poll; an early one lengthens the interval. */
  readonly poll: (deviceHash: Uint8Array) => Effect.Effect<Poll | undefined>
  readonly reject: (code: string) => Effect.Effect<void>
  readonly approve: (
    code: string,
    org: OrgId,
    granted: ReadonlyArray<Permission>,
    token: Uint8Array
  ) => Effect.Effect<void>
  /** The sealed token, for one caller only. */
  readonly collect: (deviceHash: Uint8Array) => Effect.Effect<Collected | undefined>
}>()("@countersign/hub/device-sign-ins/DeviceSignInsRepository") {
  static readonly layer = Layer.effect(
    DeviceSignInsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`user_code, client_name, scopes, address, user_agent, created_at, expires_at, status,
        expires_at > clock_timestamp() as alive`
      const one = <A extends object>(statement: Statement.Statement<A>) =>
        statement.pipe(Effect.map(([row]) => row), Effect.orDie)
      return DeviceSignInsRepository.of({
        insert: (code, deviceHash, { client_name, scopes }, { ip, userAgent }) =>
          sql`with swept as (
              delete from device_sign_ins where user_code in (
                select user_code from device_sign_ins where expires_at < clock_timestamp() - interval '1 hour'
                order by expires_at limit ${sweepMax} for update skip locked)
            )
            insert into device_sign_ins (user_code, device_hash, client_name, scopes, address, user_agent, expires_at,
              interval_seconds)
            values (${code}, ${deviceHash}, ${client_name}, ${textArray([...scopes])}, ${ip}, ${userAgent ?? null},
              clock_timestamp() + make_interval(secs => ${deviceSignInSeconds}), ${devicePollSeconds})
            on conflict (user_code) do nothing returning 1`.pipe(Effect.map((rows) => rows.length === 1), Effect.orDie),
        find: (code) => one(sql<DeviceSignInRow>`select ${columns} from device_sign_ins where user_code = ${code}`),
        lock: (code) =>
          one(sql<DeviceSignInRow>`select ${columns} from device_sign_ins where user_code = ${code} for update`),
        poll: (deviceHash) =>
          one(sql<Poll>`with before as (
              select user_code as code, coalesce(polled_at > clock_timestamp()
                - make_interval(secs => interval_seconds - ${earlySeconds}::float8), false) as early
              from device_sign_ins where device_hash = ${deviceHash} for update
            )
            update device_sign_ins set polled_at = clock_timestamp(),
              interval_seconds = interval_seconds + case when before.early then ${deviceSlowDownSeconds} else 0 end
            from before where user_code = before.code returning ${columns}, before.early`),
        reject: (code) =>
          sql`update device_sign_ins set status = 'rejected' where user_code = ${code} and status = 'pending'`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        approve: (code, org, granted, token) =>
          sql`update device_sign_ins set status = 'approved', org_id = ${org}, granted = ${textArray([...granted])},
              token = ${token}
            where user_code = ${code} and status = 'pending'`.pipe(Effect.asVoid, Effect.orDie),
        collect: (deviceHash) =>
          one(sql<Collected>`with taken as (
              select user_code as code, org_id, granted, token from device_sign_ins
              where device_hash = ${deviceHash} and status = 'approved' and expires_at > clock_timestamp() for update
            ), marked as (
              update device_sign_ins set status = 'collected', token = null
              where user_code in (select code from taken)
            )
            select org_id, granted, token from taken`)
      })
    })
  )
}

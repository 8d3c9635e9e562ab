/** Second factors of people, their enrollment, and recovery codes. */
import { enrollmentSeconds, type Factor } from "@countersign/domain/factors"
import { type FactorId, newId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { byteaArray, textArray } from "../platform/db.ts"

/** Old rows that a new one deletes. */
const sweepMax = 20

interface Row {
  readonly id: FactorId
  readonly kind: Factor["kind"]
  readonly name: string
  readonly created_at: Date
  readonly last_used_at: Date | null
}

const toFactor = (row: Row): Factor => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  created_at: row.created_at.toISOString(),
  ...(row.last_used_at === null ? {} : { last_used_at: row.last_used_at.toISOString() })
})

/** An authenticator app with its sealed secret. */
export interface TotpRow {
  readonly id: FactorId
  readonly secret: Uint8Array
}

export interface PasskeyRow {
  readonly id: FactorId
  readonly credential_id: string
  readonly public_key: Uint8Array
  readonly sign_count: number
  readonly transports: ReadonlyArray<string>
}

export type NewFactor =
  | {
    readonly id: FactorId
    readonly kind: "totp"
    readonly name: string
    readonly secret: Uint8Array
    readonly step: number
  }
  | ({ readonly id: FactorId; readonly kind: "passkey"; readonly name: string } & Omit<PasskeyRow, "id">)

export type PasskeyPurpose = "register" | "login" | "step_up"

export class FactorsRepository extends Context.Service<FactorsRepository, {
  readonly list: (user: string) => Effect.Effect<ReadonlyArray<Factor>>
  /** The factors of a person cannot change until the transaction ends; returns how many there are. */
  readonly lock: (user: string) => Effect.Effect<number>
  /** Undefined when the passkey already belongs to somebody. */
  readonly insert: (user: string, factor: NewFactor) => Effect.Effect<Factor | undefined>
  readonly rename: (user: string, id: string, name: string) => Effect.Effect<Factor | undefined>
  readonly remove: (user: string, id: string) => Effect.Effect<Factor | undefined>
  readonly removeAll: (user: string) => Effect.Effect<number>

  readonly enroll: (user: string, id: FactorId, secret: Uint8Array) => Effect.Effect<void>
  readonly enrollment: (user: string, id: string) => Effect.Effect<Uint8Array | undefined>
  readonly endEnrollment: (user: string, id: string) => Effect.Effect<void>

  readonly totps: (user: string) => Effect.Effect<ReadonlyArray<TotpRow>>
  /** False when this step or a later one was accepted before. */
  readonly acceptStep: (user: string, id: string, step: number) => Effect.Effect<boolean>
  /** Seconds since 1970, by the database's clock, so that all hubs agree. */
  readonly now: Effect.Effect<number>

  readonly passkeys: (user: string) => Effect.Effect<ReadonlyArray<PasskeyRow>>
  readonly recordPasskeyUse: (user: string, id: string, signCount: number) => Effect.Effect<void>
  readonly insertChallenge: (hash: Uint8Array, user: string, purpose: PasskeyPurpose) => Effect.Effect<void>
  /** False when it is unknown, used, expired, or for another purpose. */
  readonly useChallenge: (hash: Uint8Array, user: string, purpose: PasskeyPurpose) => Effect.Effect<boolean>

  /** The number of unused codes. */
  readonly recoveryCodesLeft: (user: string) => Effect.Effect<number>
  /** Earlier codes end. */
  readonly replaceRecoveryCodes: (user: string, hashes: ReadonlyArray<Uint8Array>) => Effect.Effect<void>
  readonly useRecoveryCode: (user: string, hash: Uint8Array) => Effect.Effect<boolean>
}>()("@countersign/hub/factors/FactorsRepository") {
  static readonly layer = Layer.effect(
    FactorsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`id, kind, name, created_at, last_used_at`
      const first = (rows: ReadonlyArray<Row>): Factor | undefined =>
        rows[0] === undefined ? undefined : toFactor(rows[0])
      const some = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0
      return FactorsRepository.of({
        list: (user) =>
          sql<Row>`select ${columns} from factors where user_id = ${user} order by id`.pipe(
            Effect.map((rows) => rows.map(toFactor)),
            Effect.orDie
          ),
        lock: (user) =>
          sql`select 1 from users where id = ${user} for no key update`.pipe(
            Effect.andThen(sql<{ n: number }>`select count(*)::int as n from factors where user_id = ${user}`),
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        insert: (user, factor) =>
          (factor.kind === "totp"
            ? sql<Row>`insert into factors (id, user_id, kind, name, secret, last_step)
              values (${factor.id}, ${user}, 'totp', ${factor.name}, ${factor.secret}, ${BigInt(factor.step)})
              returning ${columns}`
            : sql<Row>`insert into factors (id, user_id, kind, name, credential_id, public_key, sign_count, transports)
              values (${factor.id}, ${user}, 'passkey', ${factor.name}, ${factor.credential_id}, ${factor.public_key},
                ${BigInt(factor.sign_count)}, ${textArray([...factor.transports])})
              on conflict (credential_id) do nothing returning ${columns}`).pipe(Effect.map(first), Effect.orDie),
        rename: (user, id, name) =>
          sql<Row>`update factors set name = ${name} where user_id = ${user} and id = ${id} returning ${columns}`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        remove: (user, id) =>
          sql<Row>`delete from factors where user_id = ${user} and id = ${id} returning ${columns}`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        removeAll: (user) =>
          sql`delete from recovery_codes where user_id = ${user}`.pipe(
            Effect.andThen(sql`delete from factors where user_id = ${user} returning 1`),
            Effect.map((rows) => rows.length),
            Effect.orDie
          ),

        enroll: (user, id, secret) =>
          sql`with swept as (
              delete from totp_enrollments where id in (
                select id from totp_enrollments where expires_at < clock_timestamp()
                order by expires_at limit ${sweepMax} for update skip locked)
            ), earlier as (
              delete from totp_enrollments where user_id = ${user} and expires_at >= clock_timestamp()
            )
            insert into totp_enrollments (id, user_id, secret, expires_at)
            values (${id}, ${user}, ${secret}, clock_timestamp() + make_interval(secs => ${enrollmentSeconds}))`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        enrollment: (user, id) =>
          sql<{ secret: Uint8Array }>`select secret from totp_enrollments
            where user_id = ${user} and id = ${id} and expires_at > clock_timestamp() for update`.pipe(
            Effect.map(([row]) => row?.secret),
            Effect.orDie
          ),
        endEnrollment: (user, id) =>
          sql`delete from totp_enrollments where user_id = ${user} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),

        totps: (user) =>
          Effect.orDie(
            sql<TotpRow>`select id, secret from factors where user_id = ${user} and kind = 'totp' order by id`
          ),
        acceptStep: (user, id, step) =>
          sql`update factors set last_step = ${BigInt(step)}, last_used_at = clock_timestamp()
            where user_id = ${user} and id = ${id} and last_step < ${BigInt(step)} returning 1`.pipe(
            Effect.map(some),
            Effect.orDie
          ),
        now: sql<{ now: number }>`select extract(epoch from clock_timestamp())::float8 as now`.pipe(
          Effect.map(([row]) => row!.now),
          Effect.orDie
        ),

        passkeys: (user) =>
          Effect.orDie(sql<PasskeyRow>`select id, credential_id, public_key, sign_count, transports from factors
            where user_id = ${user} and kind = 'passkey' order by id`),
        recordPasskeyUse: (user, id, signCount) =>
          sql`update factors set sign_count = ${BigInt(signCount)}, last_used_at = clock_timestamp()
            where user_id = ${user} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        insertChallenge: (hash, user, purpose) =>
          sql`with swept as (
              delete from passkey_challenges where hash in (
                select hash from passkey_challenges where expires_at < clock_timestamp()
                order by expires_at limit ${sweepMax} for update skip locked)
            )
            insert into passkey_challenges (hash, user_id, purpose, expires_at)
            values (${hash}, ${user}, ${purpose}, clock_timestamp() + make_interval(secs => ${enrollmentSeconds}))`
            .pipe(
              Effect.asVoid,
              Effect.orDie
            ),
        useChallenge: (hash, user, purpose) =>
          sql`delete from passkey_challenges where hash = ${hash} and user_id = ${user} and purpose = ${purpose}
            and expires_at > clock_timestamp() returning 1`.pipe(Effect.map(some), Effect.orDie),

        recoveryCodesLeft: (user) =>
          sql<{ n: number }>`select count(*)::int as n from recovery_codes where user_id = ${user} and used_at is null`
            .pipe(Effect.map(([row]) => row?.n ?? 0), Effect.orDie),
        replaceRecoveryCodes: (user, hashes) =>
          sql`delete from recovery_codes where user_id = ${user}`.pipe(
            Effect.andThen(sql`insert into recovery_codes (user_id, code_hash)
              select ${user}, hash from unnest(${byteaArray([...hashes])}) as t(hash)`),
            Effect.asVoid,
            Effect.orDie
          ),
        useRecoveryCode: (user, hash) =>
          sql`update recovery_codes set used_at = clock_timestamp()
            where user_id = ${user} and code_hash = ${hash} and used_at is null returning 1`.pipe(
            Effect.map(some),
            Effect.orDie
          )
      })
    })
  )
}

export const newFactorId = (): FactorId => newId("fac") as FactorId

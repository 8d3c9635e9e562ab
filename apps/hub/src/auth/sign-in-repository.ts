/** Sign-in attempts and known devices, in the database that all hubs share. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Bucket } from "../config.ts"
import { mailedFrom, mailPauseHours, quietMinutes } from "./sign-in-rules.ts"

/** Old rows that one attempt deletes. */
const sweepMax = 20
/** Devices of one person; the ones unused for longest are forgotten. */
const devicesMax = 50
const deviceDays = 365
const ownersMax = 200

export interface TakenToken {
  readonly allowed: boolean
  /** After this attempt. */
  readonly tokens: number
}

export class SignInRepository extends Context.Service<SignInRepository, {
  /** Takes one token of a bucket, if it has one. */
  readonly take: (key: string, bucket: Bucket) => Effect.Effect<TakenToken>
  /** Counts an attempt; the number includes it. */
  readonly count: (account: Uint8Array) => Effect.Effect<number>
  readonly reset: (account: Uint8Array) => Effect.Effect<void>
  /** Whether the person has signed in on this device, or from this address. */
  readonly isKnown: (
    user: string,
    from: { readonly device: Uint8Array | undefined; readonly address: string }
  ) => Effect.Effect<{ readonly device: boolean; readonly address: boolean }>
  readonly remember: (user: string, device: Uint8Array, address: string) => Effect.Effect<void>
  /** The addresses of the owners of all workspaces. */
  readonly owners: Effect.Effect<ReadonlyArray<string>>
  /** The attempts, once a day for one caller when there are many: the caller mails the person. */
  readonly claimMail: (account: Uint8Array) => Effect.Effect<number | undefined>
}>()("@countersign/hub/auth/SignInRepository") {
  static readonly layer = Layer.effect(
    SignInRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const quiet = sql`hub_time_or_last() - make_interval(mins => ${quietMinutes})`
      return SignInRepository.of({
        take: (key, { burst, perSecond }) => {
          const refilled = sql`least(${burst}::float8,
            l.tokens + greatest(0, extract(epoch from excluded.at - l.at)) * ${perSecond}::float8)`
          return sql<TakenToken>`with swept as (
              delete from sign_in_limits where key in (
                select key from sign_in_limits where at < ${quiet} order by at limit ${sweepMax} for update skip locked)
            )
            insert into sign_in_limits as l (key, tokens, allowed, at)
            values (${key}, ${burst}::float8 - 1, true, hub_time_or_last())
            on conflict (key) do update set at = greatest(l.at, excluded.at), allowed = ${refilled} >= 1,
              tokens = ${refilled} - case when ${refilled} >= 1 then 1 else 0 end
            returning allowed, tokens`.pipe(Effect.map(([row]) => row!), Effect.orDie)
        },
        count: (account) =>
          sql<{ attempts: number }>`with swept as (
              delete from sign_in_failures where account in (
                select account from sign_in_failures
                where at < ${quiet} and account <> ${account}
                  and (mailed_at is null or mailed_at < hub_time_or_last() - make_interval(hours => ${mailPauseHours}))
                order by at limit ${sweepMax} for update skip locked)
            )
            insert into sign_in_failures as f (account, attempts, at) values (${account}, 1, hub_time_or_last())
            on conflict (account) do update set at = greatest(f.at, excluded.at),
              attempts = case when f.at < ${quiet} then 1 else f.attempts + 1 end
            returning attempts`.pipe(Effect.map(([row]) => row?.attempts ?? 1), Effect.orDie),
        reset: (account) =>
          Effect.orDie(sql`update sign_in_failures set attempts = 0 where account = ${account} and attempts > 0`),
        isKnown: (user, { address, device }) =>
          sql<{ device: boolean; address: boolean }>`select
              coalesce(bool_or(token_hash = ${device ?? new Uint8Array()}), false) as device,
              coalesce(bool_or(address = ${address}), false) as address
            from known_devices
            where user_id = ${user} and used_at > hub_time_or_last() - make_interval(days => ${deviceDays})`.pipe(
            Effect.map(([row]) => row!),
            Effect.orDie
          ),
        remember: (user, device, address) =>
          sql`insert into known_devices (user_id, token_hash, address) values (${user}, ${device}, ${address})
            on conflict (user_id, token_hash) do update set address = excluded.address, used_at = hub_time_or_last()`
            .pipe(
              Effect.andThen(sql`delete from known_devices where user_id = ${user} and token_hash in (
                select token_hash from known_devices where user_id = ${user}
                order by used_at desc offset ${devicesMax})`),
              Effect.orDie
            ),
        owners: sql<{ email: string }>`select distinct u.email from memberships m join users u on u.id = m.user_id
          where m.role = 'owner' order by u.email limit ${ownersMax}`.pipe(
          Effect.map((rows) => rows.map(({ email }) => email)),
          Effect.orDie
        ),
        claimMail: (account) =>
          sql<{ attempts: number }>`update sign_in_failures set mailed_at = hub_time_or_last()
            where account = ${account} and attempts >= ${mailedFrom}
              and (mailed_at is null or mailed_at < hub_time_or_last() - make_interval(hours => ${mailPauseHours}))
            returning attempts`.pipe(Effect.map(([row]) => row?.attempts), Effect.orDie)
      })
    })
  )
}

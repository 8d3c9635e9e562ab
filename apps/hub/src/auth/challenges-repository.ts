/** Sign-ins whose second factor is missing. Only hashes of their ids are stored. */
import { challengeSeconds, challengeTriesMax } from "@countersign/domain/factors"
import type { UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Old rows that a new challenge deletes. */
const sweepMax = 20

export interface SignInChallenge {
  readonly user_id: UserId
  readonly method: "password" | "oidc"
  readonly provider: string | null
}

export class ChallengesRepository extends Context.Service<ChallengesRepository, {
  readonly insert: (hash: Uint8Array, challenge: SignInChallenge) => Effect.Effect<Date>
  /** Undefined when it ended. */
  readonly find: (hash: Uint8Array) => Effect.Effect<SignInChallenge | undefined>
  /** Takes one try; undefined when it ended or has none left. */
  readonly takeTry: (hash: Uint8Array) => Effect.Effect<number | undefined>
  /** Ends it; undefined when another call did. */
  readonly remove: (hash: Uint8Array) => Effect.Effect<SignInChallenge | undefined>
  readonly removeAll: (user: string) => Effect.Effect<void>
  /** Those of sign-ins at a provider that a logout there ends. */
  readonly removeOfProvider: (
    of: { readonly issuer: string; readonly subject: string | undefined; readonly sid: string | undefined }
  ) => Effect.Effect<void>
}>()("@countersign/hub/auth/ChallengesRepository") {
  static readonly layer = Layer.effect(
    ChallengesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`user_id, method, provider`
      const alive = sql`tries < ${challengeTriesMax} and expires_at > clock_timestamp()`
      return ChallengesRepository.of({
        insert: (hash, { method, provider, user_id }) =>
          sql<{ expires_at: Date }>`with swept as (
              delete from sign_in_challenges where hash in (
                select hash from sign_in_challenges where expires_at < clock_timestamp()
                order by expires_at limit ${sweepMax} for update skip locked)
            )
            insert into sign_in_challenges (hash, user_id, method, provider, expires_at)
            values (${hash}, ${user_id}, ${method}, ${provider}, clock_timestamp() + make_interval(secs => ${challengeSeconds}))
            returning expires_at`.pipe(Effect.map(([row]) => row!.expires_at), Effect.orDie),
        find: (hash) =>
          sql<SignInChallenge>`select ${columns} from sign_in_challenges where hash = ${hash} and ${alive}`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        takeTry: (hash) =>
          sql<{ tries: number }>`update sign_in_challenges set tries = tries + 1 where hash = ${hash} and ${alive}
            returning tries`.pipe(Effect.map(([row]) => row?.tries), Effect.orDie),
        remove: (hash) =>
          sql<SignInChallenge>`delete from sign_in_challenges where hash = ${hash} and expires_at > clock_timestamp()
            returning ${columns}`.pipe(Effect.map(([row]) => row), Effect.orDie),
        removeOfProvider: ({ issuer, sid, subject }) =>
          Effect.orDie(Effect.asVoid(sql`delete from sign_in_challenges where provider::jsonb ->> 'issuer' = ${issuer}
            and ${subject === undefined ? sql`true` : sql`provider::jsonb ->> 'subject' = ${subject}`}
            and ${sid === undefined ? sql`true` : sql`provider::jsonb ->> 'sid' = ${sid}`}`)),
        removeAll: (user) => Effect.orDie(Effect.asVoid(sql`delete from sign_in_challenges where user_id = ${user}`))
      })
    })
  )
}

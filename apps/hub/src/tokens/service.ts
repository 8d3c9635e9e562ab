/** Personal access tokens: minting and use never exceed the role. Spec: reference/accounts.md "Tokens". */
import { rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import { mintCredential } from "@countersign/domain/credentials"
import { type ApiError, conflict, forbidden, invalidField, type NotFound, notFound } from "@countersign/domain/errors"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { dayMillis, momentMillis, timeExample } from "@countersign/domain/time"
import {
  type MintedToken,
  type Token,
  tokenDaysDefault,
  tokenDaysMax,
  type TokenInput,
  type TokenPatch,
  tokensMax
} from "@countersign/domain/tokens"
import { Clock, Context, Effect, Layer } from "effect"
import { credentialHash } from "../auth/hash.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { TokensRepository } from "./repository.ts"

const expiryOf = Effect.fnUntraced(function*(input: TokenInput) {
  const now = yield* Clock.currentTimeMillis
  if (input.expires_at === undefined) return new Date(now + (input.expires_in_days ?? tokenDaysDefault) * dayMillis)
  if (input.expires_in_days !== undefined) {
    return yield* Effect.fail(invalidField("expires_at", "send it or expires_in_days, not both"))
  }
  const at = momentMillis(input.expires_at)
  if (Number.isNaN(at)) {
    return yield* Effect.fail(invalidField("expires_at", `expected ${timeExample}`))
  }
  if (at <= now) {
    return yield* Effect.fail(invalidField("expires_at", "it is in the past; send a later time, or expires_in_days"))
  }
  if (at > now + tokenDaysMax * dayMillis) {
    return yield* Effect.fail(invalidField("expires_at", `it is more than ${tokenDaysMax} days ahead`))
  }
  return new Date(at)
})

export class Tokens extends Context.Service<Tokens, {
  /**
   * 403 with the first permission that the role does not have, 409 `limit_reached` beyond the maximum number of a
   * person's tokens.
   */
  readonly mint: (user: UserPrincipal, input: TokenInput) => Effect.Effect<MintedToken, ApiError>
  readonly list: (
    user: UserPrincipal,
    query: PageQuery
  ) => Effect.Effect<PageOf<Token>, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<Token, NotFound>
  readonly update: (user: UserPrincipal, id: string, patch: TokenPatch) => Effect.Effect<Token, NotFound>
  readonly revoke: (user: UserPrincipal, id: string) => Effect.Effect<void, NotFound>
}>()("@countersign/hub/tokens/Tokens") {
  static readonly layer = Layer.effect(
    Tokens,
    Effect.gen(function*() {
      const repository = yield* TokensRepository
      const audit = yield* AuditLog
      const db = yield* Db

      const mint = Effect.fn("Tokens.mint")(function*(user: UserPrincipal, input: TokenInput) {
        const expiresAt = yield* expiryOf(input)
        return yield* db.transaction(Effect.gen(function*() {
          const role = yield* repository.holdRole(user.org_id, user.user_id)
          const allowed = role === undefined ? new Set() : rolePermissions[role]
          const beyond = input.scopes.find((scope) => !allowed.has(scope))
          if (beyond !== undefined) {
            const message = `A token cannot have more permissions than you: your role does not include ${beyond}.`
            return yield* Effect.fail(forbidden(message, { permission: beyond }))
          }
          if ((yield* repository.countOfPerson(user.user_id)) >= tokensMax) {
            return yield* Effect.fail(
              conflict("limit_reached", `A person can have ${tokensMax} tokens; revoke one first.`, {
                max: tokensMax
              })
            )
          }
          const { token, hint } = mintCredential("svc_pat_live")
          const made = yield* repository.insert({
            org: user.org_id,
            user: user.user_id,
            name: input.name,
            scopes: input.scopes,
            tokenHash: credentialHash(token),
            hint,
            expiresAt
          })
          yield* audit.record(user.org_id, actorOf(user), {
            action: "token.created",
            subject: { type: "token", id: made.id },
            data: { name: made.name, scopes: made.scopes, expires_at: made.expires_at, hint }
          })
          return { ...made, token }
        }))
      })

      const update = Effect.fn("Tokens.update")(function*(user: UserPrincipal, id: string, patch: TokenPatch) {
        const token = yield* repository.update(user.org_id, user.user_id, id, patch)
        if (token === undefined) return yield* Effect.fail(notFound("token"))
        if (Object.keys(patch).length > 0) {
          yield* audit.record(user.org_id, actorOf(user), {
            action: "token.updated",
            subject: { type: "token", id },
            data: patch
          })
        }
        return token
      }, db.transaction)

      const revoke = Effect.fn("Tokens.revoke")(function*(user: UserPrincipal, id: string) {
        const name = yield* repository.remove(user.org_id, user.user_id, id)
        if (name === undefined) return yield* Effect.fail(notFound("token"))
        yield* audit.record(user.org_id, actorOf(user), {
          action: "token.revoked",
          subject: { type: "token", id },
          data: { name }
        })
      }, db.transaction)

      return Tokens.of({
        mint,
        list: Effect.fn("Tokens.list")(function*(user, query) {
          const after = yield* decodeCursor(query.cursor, [/^pat_[0-9a-z]{26}$/])
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.list(
            user.org_id,
            user.user_id,
            after?.[0],
            (query.limit ?? pageLimitDefault) + 1
          )
          return { ...toPage(rows, query.limit, (row) => [row.id]), as_of }
        }),
        get: (user, id) =>
          Effect.flatMap(
            repository.find(user.org_id, user.user_id, id),
            (token) => token === undefined ? Effect.fail(notFound("token")) : Effect.succeed(token)
          ),
        update,
        revoke
      })
    })
  )
}

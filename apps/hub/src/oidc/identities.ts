/** A person's own identities at providers. Spec: reference/sign-in.md "Linked identities". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, notFound } from "@countersign/domain/errors"
import type { LinkedIdentityList } from "@countersign/domain/oidc"
import { Context, Effect, Layer } from "effect"
import { credentialHash } from "../auth/hash.ts"
import { makePersonAudit } from "../auth/person-audit.ts"
import { UsersRepository, withoutPassword } from "../auth/repository.ts"
import { SignInPolicy } from "../auth/sign-in-policy.ts"
import { needsStepUp } from "../edge/step-up.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OidcRepository } from "./repository.ts"

/** The key of a row is an issuer and a subject, which may be long; a path takes this. */
const idOf = ({ issuer, subject }: { readonly issuer: string; readonly subject: string }): string =>
  Buffer.from(credentialHash(JSON.stringify(["identity", issuer, subject]))).toString("base64url")

const linkedAlready = conflict("conflict", "You have an identity at the provider. Unlink it first.")
const onlyWayIn = conflict("conflict", "This identity is your only way to sign in, so it cannot be unlinked.")
const managed = conflict(
  "conflict",
  "Single sign-on manages your role in a workspace. Ask an owner to set the role by hand first."
)

export class Identities extends Context.Service<Identities, {
  readonly list: (user: UserPrincipal) => Effect.Effect<LinkedIdentityList>
  /** 403 `step_up_required`; 409 for a person with an identity of the hub's provider. */
  readonly mayLink: (user: UserPrincipal) => Effect.Effect<void, ApiError>
  /** 409 when nobody could sign in as the person afterwards, and while single sign-on manages a role, which would stay. */
  readonly unlink: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/oidc/Identities") {
  static readonly layer = Layer.effect(
    Identities,
    Effect.gen(function*() {
      const repository = yield* OidcRepository
      const users = yield* UsersRepository
      const { issuer, ssoOnly } = yield* SignInPolicy
      const audit = yield* AuditLog
      const recordInAll = yield* makePersonAudit
      const db = yield* Db

      const hasPassword = (user: string) =>
        Effect.map(users.byId(user), (person) => person !== undefined && person.password_hash !== withoutPassword)

      const list = Effect.fn("Identities.list")(function*(user: UserPrincipal) {
        const as_of = yield* audit.asOf(user.org_id)
        const rows = yield* repository.identities(user.user_id)
        return {
          data: rows.map((row) => ({
            id: idOf(row),
            issuer: row.issuer,
            subject: row.subject,
            ...row.email === null ? {} : { email: row.email },
            created_at: row.created_at.toISOString(),
            last_sign_in_at: row.last_sign_in_at.toISOString()
          })),
          next_cursor: null,
          as_of,
          can_link: issuer !== undefined && !rows.some((row) => row.issuer === issuer),
          has_password: yield* hasPassword(user.user_id)
        }
      })

      const mayLink = Effect.fn("Identities.mayLink")(function*(user: UserPrincipal) {
        yield* needsStepUp(user, "Linking an identity")
        const rows = yield* repository.identities(user.user_id)
        if (rows.some((row) => row.issuer === issuer)) return yield* Effect.fail(linkedAlready)
      })

      const unlink = Effect.fn("Identities.unlink")(function*(user: UserPrincipal, id: string) {
        const row = (yield* repository.identities(user.user_id)).find((each) => idOf(each) === id)
        if (row === undefined) return yield* Effect.fail(notFound("identity"))
        yield* needsStepUp(user, "Unlinking an identity")
        const isCurrent = row.issuer === issuer
        if (isCurrent && (ssoOnly || !(yield* hasPassword(user.user_id)))) return yield* Effect.fail(onlyWayIn)
        const memberships = yield* repository.memberships(user.user_id)
        if (memberships.some(({ managed_by }) => managed_by === "oidc")) {
          return yield* Effect.fail(managed)
        }
        if (!(yield* repository.unlink(user.user_id, row.issuer, row.subject))) {
          return yield* Effect.fail(notFound("identity"))
        }
        yield* recordInAll(user.user_id, actorOf(user), {
          action: "user.identity_unlinked",
          data: { issuer: row.issuer, subject: row.subject }
        })
      }, db.transaction)

      return Identities.of({ list, mayLink, unlink })
    })
  )
}

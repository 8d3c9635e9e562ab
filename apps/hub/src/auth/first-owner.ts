/**
 * Creates the first owner of a hub: by the setup token that the hub prints, or by its settings. One at a time over all
 * hubs, so that there is only one. Spec: reference/accounts.md "Setup".
 */
import { type ApiError, conflict, unauthorized, type Unavailable } from "@countersign/domain/errors"
import type { SetupInput } from "@countersign/domain/identity"
import type { UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { type Actor, AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"
import { credentialHash, isOpaqueToken, opaqueToken } from "./hash.ts"
import { Passwords } from "./passwords.ts"
import { SetupTokensRepository, UsersRepository } from "./repository.ts"
import { type Caller, Identity, type SignedIn } from "./service.ts"

const firstWorkspaceName = "Default"

export class FirstOwner extends Context.Service<FirstOwner, {
  /** Whether the hub has no owner yet. */
  readonly isNeeded: Effect.Effect<boolean>
  /**
   * A token for `<HUB_PUBLIC_URL>/setup#token=…` that is valid for 24 h and replaces earlier ones; none when the hub
   * has an owner.
   */
  readonly newSetupToken: Effect.Effect<Option.Option<string>>
  /** 401 when the token is wrong, used, replaced, or expired; 409 when the hub has an owner. */
  readonly setup: (input: SetupInput, caller: Caller) => Effect.Effect<SignedIn, ApiError>
  /** Creates the owner that the settings name if the hub has no person yet; returns whether it did. */
  readonly ensureOwner: (email: string, password: string) => Effect.Effect<boolean, Unavailable>
}>()("@countersign/hub/auth/FirstOwner") {
  static readonly layer = Layer.effect(
    FirstOwner,
    Effect.gen(function*() {
      const tokens = yield* SetupTokensRepository
      const users = yield* UsersRepository
      const workspaces = yield* WorkspacesRepository
      const identity = yield* Identity
      const passwords = yield* Passwords
      const audit = yield* AuditLog
      const db = yield* Db

      const create = Effect.fnUntraced(function*(
        person: { readonly email: string; readonly name: string; readonly passwordHash: string },
        actorFor: (id: UserId) => Actor
      ) {
        const id = yield* users.create(person)
        const home = yield* workspaces.createOrg(firstWorkspaceName)
        const orgs = yield* workspaces.addToAll(id, "owner")
        yield* tokens.clear
        const actor = actorFor(id)
        // In order of id, like every transaction that locks several workspaces.
        for (const org of orgs) {
          if (org === home) {
            const data = { name: firstWorkspaceName }
            yield* audit.record(org, actor, { action: "workspace.created", subject: { type: "org", id: org }, data })
          }
          yield* audit.record(org, actor, {
            action: "member.added",
            subject: { type: "user", id },
            data: { role: "owner" }
          })
        }
        return { id, home }
      })

      /** A hub with an owner always keeps one: the last one cannot be removed or demoted. */
      let hasOwner = false
      const isNeeded = Effect.gen(function*() {
        hasOwner ||= yield* tokens.ownerExists
        return !hasOwner
      })

      const newSetupToken = db.transaction(Effect.gen(function*() {
        yield* tokens.lock
        if (yield* tokens.ownerExists) return Option.none<string>()
        const token = opaqueToken()
        yield* tokens.replace(credentialHash(token))
        return Option.some(token)
      }))

      const dead = unauthorized(
        "The setup token is wrong, used, replaced by a newer one, or older than 24 hours. A hub without an owner prints a new one when it starts."
      )
      const owned = conflict("conflict", "This hub already has an owner. Sign in, or ask an owner for an invite.")

      const setup = Effect.fn("FirstOwner.setup")(function*(input: SetupInput, caller: Caller) {
        const hash = credentialHash(input.token)
        const check = Effect.gen(function*() {
          if (yield* tokens.ownerExists) return yield* Effect.fail(owned)
          if (!isOpaqueToken(input.token) || !(yield* tokens.isAlive(hash))) return yield* Effect.fail(dead)
        })
        // Before the expensive hash, and again under the lock.
        yield* check
        const passwordHash = yield* passwords.hash(input.password)
        return yield* db.transaction(Effect.gen(function*() {
          yield* tokens.lock
          yield* check
          const person = { email: input.email, name: input.name ?? "", passwordHash }
          const { id, home } = yield* create(person, (id) => ({
            type: "user",
            id,
            name: person.name === "" ? person.email : person.name,
            ip: caller.ip
          }))
          return yield* identity.open(
            { id, email: person.email, name: person.name, time_zone: null, locale: null },
            home,
            caller,
            { method: "setup" }
          )
        }))
      })

      const ensureOwner = Effect.fn("FirstOwner.ensureOwner")(function*(email: string, password: string) {
        if (yield* users.any) return false
        const passwordHash = yield* passwords.hash(password)
        return yield* db.transaction(Effect.gen(function*() {
          yield* tokens.lock
          if (yield* users.any) return false
          yield* create({ email, name: "", passwordHash }, () => hubActor)
          return true
        }))
      })

      return FirstOwner.of({ isNeeded, newSetupToken, setup, ensureOwner })
    })
  )
}

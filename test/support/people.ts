/** Additional people of a hub under test: in workspaces, by role, signed in. */
import type { Role } from "@countersign/domain/auth"
import { newId, type OrgId } from "@countersign/domain/ids"
import { credentialHash, opaqueToken } from "@countersign/hub/auth/hash"
import { Passwords } from "@countersign/hub/auth/passwords"
import { SessionsRepository, UsersRepository } from "@countersign/hub/auth/repository"
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { Effect } from "effect"
import { cookieOf, expectStatus, type HubInTest } from "./hub.ts"

export const password = "correct horse battery"

export interface PersonInTest {
  readonly id: string
  readonly email: string
  /** The cookie of a session in `org`. */
  readonly cookie: string
  readonly org: OrgId
}

/** A workspace without people. */
export const makeWorkspace = (hub: HubInTest, name = "Elsewhere"): Effect.Effect<OrgId> =>
  hub.run(Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.createOrg(name)))

export const makePerson = Effect.fnUntraced(
  function*(hub: HubInTest, org: OrgId, role: Role, name: string = role): Effect.fn.Return<PersonInTest> {
    const email = `${newId("usr").slice(4)}@countersign.test`
    const id = yield* Effect.orDie(hub.run(Effect.gen(function*() {
      const passwordHash = yield* Effect.flatMap(Passwords, (passwords) => passwords.hash(password))
      const id = yield* Effect.flatMap(UsersRepository, (users) => users.create({ email, name, passwordHash }))
      yield* Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.addMember(org, id, role))
      return id
    })))
    return {
      id,
      email,
      org,
      cookie: cookieOf(expectStatus(yield* hub.api("POST", "/auth/login", { body: { email, password } }), 200))
    }
  }
)

/**
 * A signed-in person of a workspace without a password, because hashing is slow and most tests never use the password.
 */
export const makeSignedIn = Effect.fnUntraced(
  function*(hub: HubInTest, org: OrgId, role: Role, name: string = role): Effect.fn.Return<PersonInTest> {
    const email = `${newId("usr").slice(4)}@countersign.test`
    return yield* Effect.orDie(hub.run(Effect.gen(function*() {
      const id = yield* Effect.flatMap(UsersRepository, (users) => users.create({ email, name, passwordHash: "-" }))
      yield* Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.addMember(org, id, role))
      const token = opaqueToken()
      yield* Effect.flatMap(
        SessionsRepository,
        (sessions) =>
          sessions.open({ tokenHash: credentialHash(token), user: id, org, ip: "127.0.0.1", userAgent: "test" })
      )
      return { id, email, org, cookie: `svc_session=${token}` }
    })))
  }
)

/** Marks a session as stepped up, as `POST /auth/step-up` does. */
export const stepUp = (hub: HubInTest, person: { readonly cookie: string }): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.map(
      hub.api("POST", "/auth/step-up", { ...person, body: { password } }),
      (answer) => expectStatus(answer, 200)
    )
  )

/** More people than the first owner, in a hub under test: in workspaces, by role, signed in. */
import type { Role } from "@countersign/domain/auth"
import { newId } from "@countersign/domain/ids"
import { Passwords } from "@countersign/hub/auth/passwords"
import { UsersRepository } from "@countersign/hub/auth/repository"
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { Effect } from "effect"
import { cookieOf, expectStatus, type HubInTest } from "./hub.ts"

export const password = "correct horse battery"

export interface PersonInTest {
  readonly id: string
  readonly email: string
  /** Of a session in `org`. */
  readonly cookie: string
  readonly org: string
}

/** A workspace without people. */
export const makeWorkspace = (hub: HubInTest, name = "Elsewhere"): Effect.Effect<string> =>
  hub.run(Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.createOrg(name)))

export const makePerson = Effect.fnUntraced(function*(hub: HubInTest, org: string, role: Role, name: string = role): Effect.fn.Return<PersonInTest> {
  const email = `${newId("usr").slice(4)}@countersign.test`
  const id = yield* Effect.orDie(hub.run(Effect.gen(function*() {
    const passwordHash = yield* Effect.flatMap(Passwords, (passwords) => passwords.hash(password))
    const id = yield* Effect.flatMap(UsersRepository, (users) => users.create({ email, name, passwordHash }))
    yield* Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.addMember(org, id, role))
    return id
  })))
  return { id, email, org, cookie: cookieOf(expectStatus(yield* hub.api("POST", "/auth/login", { body: { email, password } }), 200)) }
})

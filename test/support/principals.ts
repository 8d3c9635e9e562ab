/** People and agents as principals, as the edge passes them to services. */
import {
  type AgentPrincipal,
  type Mode,
  type Permission,
  type Role,
  rolePermissions,
  type UserPrincipal
} from "@countersign/domain/auth"
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A new person of a workspace, signed in. `only` limits the permissions, as a token's scopes do. */
export const makeUser = Effect.fnUntraced(
  function*(org: OrgId, role: Role = "owner", only?: ReadonlyArray<Permission>) {
    const sql = yield* SqlClient.SqlClient
    const id = newId("usr")
    yield* sql`insert into users (id, email, name, password_hash) values (${id}, ${`${id}@countersign.test`}, ${"Grace"}, ${"-"})`
    yield* sql`insert into memberships (org_id, user_id, role) values (${org}, ${id}, ${role})`
    const permissions = new Set([...rolePermissions[role]].filter((permission) => only?.includes(permission) ?? true))
    return {
      kind: "user",
      user_id: id,
      name: "Grace",
      email: `${id}@countersign.test`,
      org_id: org,
      role,
      permissions,
      via: { kind: "session", session_id: newId("ses"), stepped_up: false },
      ip: "127.0.0.1"
    } satisfies UserPrincipal as UserPrincipal
  }
)

export const asAgent = (org: OrgId, id: AgentId, mode: Mode = "live"): AgentPrincipal => ({
  kind: "agent",
  org_id: org,
  agent_id: id,
  agent_name: "Agent",
  mode,
  key_id: newId("key"),
  agent_version: 1,
  ip: "127.0.0.1"
})

/** The principal of an existing person, by role and session. */
export const asUser = (
  org: OrgId,
  user: string,
  role: Role = "owner",
  session: string = newId("ses")
): UserPrincipal => ({
  kind: "user",
  user_id: user as UserPrincipal["user_id"],
  name: "Ada",
  email: "ada@countersign.test",
  org_id: org,
  role,
  permissions: rolePermissions[role],
  via: { kind: "session", session_id: session as never, stepped_up: false },
  ip: "127.0.0.1"
})

/** The same person in a session with a recent step-up. */
export const steppedUp = (user: UserPrincipal): UserPrincipal =>
  user.via.kind === "session" ? { ...user, via: { ...user.via, stepped_up: true } } : user

/**
 * The scope of a caller's reads: an agent sees itself, a member their own resources, every other role the workspace.
 * Another person's resource answers like a missing one. Pure. Spec: reference/conventions.md "Roles and permissions".
 */
import type { Principal, Role, UserPrincipal } from "@countersign/domain/auth"
import { Effect } from "effect"

/** Whether a role is restricted to its own resources. */
export const seesOwnOnly = (role: Role): boolean => role === "member"

/** The owner to whom a list is restricted; undefined: to nobody. */
export const ownerFilter = (principal: Principal): string | undefined =>
  principal.kind === "user" && seesOwnOnly(principal.role) ? principal.user_id : undefined

/** Whether a person may see something of this owner. */
export const maySeeOf = (user: UserPrincipal, owner: string | null | undefined): boolean => {
  const only = ownerFilter(user)
  return only === undefined || owner === only
}

/** The same, and reads the owner only if it matters. */
export const maySeeOwned = <E, R>(
  user: UserPrincipal,
  owner: Effect.Effect<string | undefined, E, R>
): Effect.Effect<boolean, E, R> =>
  ownerFilter(user) === undefined ? Effect.succeed(true) : Effect.map(owner, (owner) => maySeeOf(user, owner))

export const maySeeAgent = (
  principal: Principal,
  agent: { readonly id: string; readonly owner_user_id: string | null }
): boolean => principal.kind === "agent" ? principal.agent_id === agent.id : maySeeOf(principal, agent.owner_user_id)

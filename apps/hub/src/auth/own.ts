/**
 * The scope of a caller's reads: an agent sees itself, a member their own resources and the agents of their teams, every
 * other role the workspace. Another person's resource answers like a missing one. Pure. Spec: reference/conventions.md "Roles and permissions".
 */
import { hasByTeam, type Permission, type Principal, type Role, type UserPrincipal } from "@countersign/domain/auth"
import { type Forbidden, forbidden } from "@countersign/domain/errors"
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

/** Whether a person may see the members and the money of a team. */
export const maySeeTeam = (user: UserPrincipal, team: string): boolean =>
  !seesOwnOnly(user.role) || (user.teams ?? []).some(({ team_id }) => team_id === team)

interface OwnedAgent {
  readonly owner_user_id: string | null
  readonly team_id?: string | null
}

/** The teams whose agents a person sees besides their own; undefined: the person sees all agents. */
export const teamFilter = (user: UserPrincipal): ReadonlyArray<string> | undefined =>
  seesOwnOnly(user.role) ? (user.teams ?? []).map(({ team_id }) => team_id) : undefined

export const maySeeAgent = (principal: Principal, agent: OwnedAgent & { readonly id: string }): boolean =>
  principal.kind === "agent"
    ? principal.agent_id === agent.id
    : maySeeOf(principal, agent.owner_user_id) ||
      (agent.team_id !== null && agent.team_id !== undefined && maySeeTeam(principal, agent.team_id))

/**
 * Whether a caller may see the requests of an agent that people decide, such as its budget requests: a member sees those
 * of agents that they own, and of teams in which they have the permission to decide.
 */
export const maySeeDecisions = (
  principal: Principal,
  permission: Permission,
  agent: OwnedAgent & { readonly id: string }
): boolean =>
  principal.kind === "agent"
    ? principal.agent_id === agent.id
    : maySeeOf(principal, agent.owner_user_id) || hasByTeam(principal, permission, agent.team_id)

/** The teams for which a person decides, besides the agents that they own. */
export const decidedTeams = (principal: Principal, permission: Permission): ReadonlyArray<string> =>
  principal.kind === "agent"
    ? []
    : (principal.teams ?? []).map(({ team_id }) => team_id).filter((team) => hasByTeam(principal, permission, team))

/** Whether a person may change an agent: one of those that the role covers, or one of a team that the person leads. */
export const mayActOnAgent = (user: UserPrincipal, permission: Permission, agent: OwnedAgent): boolean =>
  (user.permissions.has(permission) && maySeeOf(user, agent.owner_user_id)) ||
  hasByTeam(user, permission, agent.team_id)

/** 403 unless the person may change the agent. */
export const needsOnAgent = (
  user: UserPrincipal,
  permission: Permission,
  agent: OwnedAgent
): Effect.Effect<void, Forbidden> =>
  mayActOnAgent(user, permission, agent)
    ? Effect.void
    : Effect.fail(forbidden(`This needs the permission ${permission} for this agent.`, { permission }))

/**
 * The scope of a caller's reads: an agent sees itself, a member their own resources and the agents of their teams, every
 * other role the workspace. Another person's resource answers like a missing one. Pure. Spec: reference/conventions.md "Roles and permissions".
 */
import {
  hasByTeam,
  type Permission,
  type Principal,
  type Role,
  rolePermissions,
  type TeamMembership,
  type UserPrincipal
} from "@countersign/domain/auth"
import { type Forbidden, forbidden } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { Effect } from "effect"

/** A person's roles in one of their workspaces. */
export interface WorkspaceRoles {
  readonly org_id: OrgId
  readonly role: Role
  readonly teams: ReadonlyArray<TeamMembership>
}

/** The same person in one of their workspaces: another one than the session's gives the permissions of the role there. */
export const inWorkspace = (user: UserPrincipal, { org_id, role, teams }: WorkspaceRoles): UserPrincipal =>
  org_id === user.org_id ? user : { ...user, org_id, role, teams, permissions: rolePermissions[role] }

/** Whether a role is restricted to its own resources. */
export const seesOwnOnly = (role: Role): boolean => role === "member"

/**
 * Workspaces in which a person reads only the objects of that person's agents and devices, and of agents of these
 * teams: the filter of a list over several workspaces.
 */
export interface OwnIn {
  readonly orgs: ReadonlyArray<OrgId>
  readonly user: string
  readonly teams: ReadonlyArray<string>
}

/** The owner to whom a list is restricted; undefined: to nobody. */
export const ownerFilter = (principal: Principal): string | undefined =>
  principal.kind === "user" && seesOwnOnly(principal.role) ? principal.user_id : undefined

/** Whether a person may see something of this owner. */
export const maySeeOf = (user: UserPrincipal, owner: string | null | undefined): boolean => {
  const only = ownerFilter(user)
  return only === undefined || owner === only
}

/** The same of an agent's owner, or of such an object of the agent; reads the agent only if it matters. */
export const maySeeOwned = <E, R>(
  user: UserPrincipal,
  agent: Effect.Effect<OwnedAgent | undefined, E, R>,
  object?: TeamObject
): Effect.Effect<boolean, E, R> =>
  ownerFilter(user) === undefined
    ? Effect.succeed(true)
    : Effect.map(agent, (agent) =>
      agent !== undefined &&
      (object === undefined ? maySeeOf(user, agent.owner_user_id) : maySeeOfAgent(user, object, agent)))

/** Whether a person may see the members and the money of a team. */
export const maySeeTeam = (user: UserPrincipal, team: string): boolean =>
  !seesOwnOnly(user.role) || (user.teams ?? []).some(({ team_id }) => team_id === team)

/** The columns of an agent that decide who sees it. */
export interface OwnedAgent {
  readonly owner_user_id: string | null
  readonly team_id?: string | null
}

/** The teams whose agents a person sees besides their own; undefined: the person sees all agents. */
export const teamFilter = (user: UserPrincipal): ReadonlyArray<string> | undefined =>
  seesOwnOnly(user.role) ? teamsToSee(user, "agent") : undefined

export const maySeeAgent = (principal: Principal, agent: OwnedAgent & { readonly id: string }): boolean =>
  maySeeFor(principal, "agent", agent)

/** Objects of agents that a member also sees for other people's agents, if they belong to one of the member's teams. */
const teamNeeds = {
  agent: "any role",
  delegated_task: "any role",
  service_request: "approvals:decide",
  approval: "approvals:decide",
  agent_request: "approvals:decide",
  budget_request: "budgets:write"
} as const satisfies Readonly<Record<string, Permission | "any role">>
export type TeamObject = keyof typeof teamNeeds

/**
 * The teams of a person, of whose agents they see these objects besides those of agents that they own. The one rule of
 * lists, single reads, counts, and events.
 */
export const teamsToSee = (principal: Principal, object: TeamObject): ReadonlyArray<string> => {
  if (principal.kind === "agent") return []
  const need = teamNeeds[object]
  const teams = (principal.teams ?? []).map(({ team_id }) => team_id)
  return need === "any role" ? teams : teams.filter((team) => hasByTeam(principal, need, team))
}

/** Whether a person may see such an object of this agent. */
export const maySeeOfAgent = (user: UserPrincipal, object: TeamObject, agent: OwnedAgent): boolean =>
  maySeeOf(user, agent.owner_user_id) ||
  (typeof agent.team_id === "string" && teamsToSee(user, object).includes(agent.team_id))

/** The same for any caller: an agent sees its own objects. */
export const maySeeFor = (
  principal: Principal,
  object: TeamObject,
  agent: OwnedAgent & { readonly id: string }
): boolean => principal.kind === "agent" ? principal.agent_id === agent.id : maySeeOfAgent(principal, object, agent)

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

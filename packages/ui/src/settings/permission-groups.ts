/**
 * Permissions as people read them: the ones that this hub checks, grouped by noun. The roles that have them are the
 * contract's table; a test compares both.
 */
import type { Permission, Role } from "@countersign/domain/auth"

export const permissionGroups: ReadonlyArray<ReadonlyArray<Permission>> = [
  ["agents:read", "agents:write", "agents:keys"],
  ["requests:read", "requests:write"],
  ["approvals:read", "approvals:decide"],
  ["budgets:read", "budgets:write", "billing:write", "promo:write"],
  ["usage:read", "audit:read"],
  ["catalog:read", "catalog:write"],
  ["storage:read", "storage:write"],
  ["knowledge:read", "knowledge:write"],
  ["chat:read", "chat:write"],
  ["workflows:read", "workflows:write", "workflows:run"],
  ["schedules:read", "schedules:write"],
  ["triggers:read", "triggers:write"],
  ["apps:read", "apps:write"],
  ["devices:read", "devices:write", "devices:grant_shell"],
  ["members:read", "members:write", "tokens:write", "workspace:write"]
]

export const shownPermissions: ReadonlyArray<Permission> = permissionGroups.flat()

export const roles = ["owner", "admin", "operator", "member", "viewer"] as const satisfies ReadonlyArray<Role>

const reads = shownPermissions.filter((permission) => permission.endsWith(":read"))

/** Limited to the shown permissions. */
export const permissionsOf: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(shownPermissions),
  admin: new Set(shownPermissions),
  operator: new Set<Permission>([
    ...reads,
    "requests:write",
    "approvals:decide",
    "workflows:run",
    "devices:write",
    "chat:write",
    "tokens:write"
  ]),
  member: new Set<Permission>([
    ...reads.filter((permission) => permission !== "audit:read"),
    "agents:write",
    "agents:keys",
    "requests:write",
    "storage:write",
    "knowledge:write",
    "workflows:write",
    "workflows:run",
    "chat:write",
    "schedules:write",
    "triggers:write",
    "apps:write",
    "devices:write",
    "tokens:write"
  ]),
  viewer: new Set(reads)
}

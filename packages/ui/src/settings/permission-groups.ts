/**
 * Permissions as people read them: by noun, those that this hub asks for. And who has them: the contract's table, which a test
 * pins.
 */
import type { Permission, Role } from "@countersign/domain/auth"

export const permissionGroups: ReadonlyArray<ReadonlyArray<Permission>> = [
  ["agents:read", "agents:write", "agents:keys"],
  ["requests:read", "requests:write"],
  ["approvals:read", "approvals:decide"],
  ["budgets:read", "budgets:write", "billing:write"],
  ["usage:read", "audit:read"],
  ["catalog:read", "catalog:write"],
  ["devices:read", "devices:write", "devices:grant_shell"],
  ["members:read", "members:write", "tokens:write", "workspace:write"]
]

export const shownPermissions: ReadonlyArray<Permission> = permissionGroups.flat()

export const roles = ["owner", "admin", "operator", "member", "viewer"] as const satisfies ReadonlyArray<Role>

const reads = shownPermissions.filter((permission) => permission.endsWith(":read"))

/** Of the shown ones. */
export const permissionsOf: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(shownPermissions),
  admin: new Set(shownPermissions),
  operator: new Set<Permission>([...reads, "requests:write", "approvals:decide", "devices:write", "tokens:write"]),
  member: new Set<Permission>([
    ...reads.filter((permission) => permission !== "audit:read"),
    "agents:write",
    "agents:keys",
    "requests:write",
    "devices:write",
    "tokens:write"
  ]),
  viewer: new Set(reads)
}

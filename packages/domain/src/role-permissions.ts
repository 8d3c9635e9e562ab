/** Roles and their permissions, as plain values. Spec: reference/conventions.md "Roles and permissions". */

export const permissions = [
  "agents:read",
  "agents:write",
  "agents:keys",
  "requests:read",
  "requests:write",
  "approvals:read",
  "approvals:decide",
  "audit:read",
  "usage:read",
  "budgets:read",
  "budgets:write",
  "billing:write",
  "members:read",
  "members:write",
  "workflows:read",
  "workflows:write",
  "workflows:run",
  "publish:review",
  "catalog:read",
  "catalog:write",
  "storage:read",
  "storage:write",
  "knowledge:read",
  "knowledge:write",
  "devices:read",
  "devices:write",
  "devices:grant_shell",
  "apps:read",
  "apps:write",
  "chat:read",
  "chat:write",
  "triggers:read",
  "triggers:write",
  "schedules:read",
  "schedules:write",
  "tokens:write",
  "promo:write",
  "workspace:write"
] as const
type Permission = typeof permissions[number]

export const roles = ["owner", "admin", "operator", "member", "viewer"] as const
type Role = typeof roles[number]

const reads = permissions.filter((p) => p.endsWith(":read"))
const except = (...without: ReadonlyArray<Permission>) => reads.filter((p) => !without.includes(p))

/**
 * The permissions of each role. A member acts only on their own objects: services filter by owner where the role is
 * `member`.
 */
export const rolePermissions: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(permissions),
  admin: new Set(permissions),
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
    ...except("audit:read"),
    "agents:write",
    "agents:keys",
    "requests:write",
    "workflows:write",
    "workflows:run",
    "storage:write",
    "knowledge:write",
    "devices:write",
    "apps:write",
    "chat:write",
    "triggers:write",
    "schedules:write",
    "tokens:write"
  ]),
  viewer: new Set(reads)
}

export const teamRoles = ["lead", "worker"] as const
type TeamRole = typeof teamRoles[number]

/** The permissions that a role in a team adds to a person's own role, for that team only. */
export const teamRolePermissions: Readonly<Record<TeamRole, ReadonlySet<Permission>>> = {
  lead: new Set<Permission>(["budgets:write", "members:write", "agents:write", "approvals:decide"]),
  worker: new Set<Permission>()
}

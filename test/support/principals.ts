/** People and agents as the edge hands them to services. */
import { type AgentPrincipal, type Mode, type Role, rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import { newId } from "@countersign/domain/ids"

export const asUser = (org: string, user: string, role: Role = "owner", session = newId("ses")): UserPrincipal => ({
  kind: "user", user_id: user as UserPrincipal["user_id"], name: "Ada", email: "ada@countersign.test", org_id: org as UserPrincipal["org_id"], role,
  permissions: rolePermissions[role], via: { kind: "session", session_id: session as never, stepped_up: false }, ip: "127.0.0.1"
})

export const asAgent = (org: string, agent: string, mode: Mode = "live"): AgentPrincipal => ({
  kind: "agent", org_id: org as AgentPrincipal["org_id"], agent_id: agent as AgentPrincipal["agent_id"], agent_name: "Agent", mode,
  key_id: newId("key") as AgentPrincipal["key_id"], ip: "127.0.0.1"
})

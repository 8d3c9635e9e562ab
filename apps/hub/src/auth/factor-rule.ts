/** When a workspace's rule about second factors applies to a person. Spec: reference/sign-in.md "Required second factors". */
import {
  type Role,
  rolePermissions,
  type TeamMembership,
  teamRolePermissions,
  type UserPrincipal
} from "@countersign/domain/auth"
import type { SecondFactorRule } from "@countersign/domain/factors"

/** The rule of a workspace that a person without a factor does not meet; null: there is none, or the person has one. */
export type UnmetRule = Exclude<SecondFactorRule, "off"> | null

/** The calls that an unmet rule refuses, as fields of the principal. */
export const factorMissing = (
  { role, teams, unmet_rule }: {
    readonly role: Role
    readonly teams: ReadonlyArray<TeamMembership>
    readonly unmet_rule: UnmetRule
  }
): Pick<UserPrincipal, "factor_missing"> => {
  if (unmet_rule === null) return {}
  if (unmet_rule === "all") return { factor_missing: "everything" }
  const decides = rolePermissions[role].has("approvals:decide") ||
    teams.some((team) => teamRolePermissions[team.role].has("approvals:decide"))
  return decides ? { factor_missing: "decisions" } : {}
}

/** Who may decide an approval, and why not. Pure. Spec: contract 3. */
import type { UserPrincipal } from "@countersign/domain/auth"
import { rolePermissions } from "@countersign/domain/auth"
import type { Member, StoredApproval, Voice } from "./repository.ts"

export interface OrgRules {
  readonly separation_of_duties: boolean
  readonly step_up_cents: number | null
}

/** What of an approval decides. */
export type Decidable = Pick<StoredApproval, "status" | "overdue" | "deciders" | "agent_owner" | "filed_by" | "cost_cents">

export type Denial =
  | { readonly code: "approval_not_pending" }
  | { readonly code: "forbidden"; readonly message: string }
  | { readonly code: "separation_of_duties"; readonly message: string }
  | { readonly code: "step_up_required"; readonly message: string }
  | { readonly code: "already_approved"; readonly message: string }

const named = (approval: Decidable, member: Pick<Member, "id" | "role">): boolean =>
  approval.deciders === undefined || approval.deciders.user_ids?.some((id) => id === member.id) === true ||
  approval.deciders.roles?.includes(member.role) === true

/** Whether a member could approve at all, whatever session they are in. */
export const mayApprove = (approval: Decidable, member: Pick<Member, "id" | "role">, org: OrgRules): boolean =>
  rolePermissions[member.role].has("approvals:decide") && named(approval, member) &&
  !(org.separation_of_duties && involved(approval, member.id))

const involved = (approval: Decidable, user: string): boolean => approval.agent_owner === user || approval.filed_by === user

/** Why this person may not approve or reject now; `undefined`: they may. */
export const denialOf = (
  approval: Decidable,
  user: UserPrincipal,
  org: OrgRules,
  decision: "approve" | "reject",
  voices: ReadonlyArray<Voice>
): Denial | undefined => {
  if (approval.status !== "pending" || approval.overdue) return { code: "approval_not_pending" }
  if (!user.permissions.has("approvals:decide")) {
    return { code: "forbidden", message: "This needs the permission approvals:decide." }
  }
  if (!named(approval, { id: user.user_id, role: user.role })) {
    return { code: "forbidden", message: "The rule that asks for this approval names other people." }
  }
  if (decision === "reject") return undefined
  if (org.separation_of_duties && involved(approval, user.user_id)) {
    return {
      code: "separation_of_duties",
      message: approval.filed_by === user.user_id
        ? "You filed this request yourself; another person must approve it."
        : "The agent is yours; another person must approve its request."
    }
  }
  if (voices.some((voice) => voice.user.id === user.user_id && voice.decision === "approve")) {
    return { code: "already_approved", message: "You have approved this already; another person is needed." }
  }
  if (
    org.step_up_cents !== null && approval.cost_cents > org.step_up_cents && !(user.via.kind === "session" && user.via.stepped_up)
  ) {
    return {
      code: "step_up_required",
      message: "Approving this amount needs your password again: POST /api/v1/auth/step-up in a signed-in session."
    }
  }
  return undefined
}

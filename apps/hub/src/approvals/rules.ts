/**
 * Which people may decide an approval, whose votes count, and why a decision is refused. Pure. Spec:
 * reference/approvals.md "Deciders", "Quorum".
 */
import { mayInTeam, rolePermissions, teamGives, type UserPrincipal } from "@countersign/domain/auth"
import { factorRequiredMessage } from "../edge/second-factor.ts"
import { isSteppedUp, stepUpMessage } from "../edge/step-up.ts"
import type { StoredApproval } from "./approval-rows.ts"
import type { Member, Vote } from "./repository.ts"

export interface OrgRules {
  readonly separation_of_duties: boolean
  readonly step_up_cents: number | null
}

/** The facts of an approval that a decision depends on. */
export type Decidable = Pick<
  StoredApproval,
  "status" | "overdue" | "deciders" | "agent_owner" | "agent_team" | "filed_by" | "cost_cents" | "required_approvals"
>

export type Denial =
  | { readonly code: "approval_not_pending" }
  | { readonly code: "forbidden"; readonly message: string }
  | { readonly code: "separation_of_duties"; readonly message: string }
  | { readonly code: "step_up_required"; readonly message: string }
  | { readonly code: "second_factor_required"; readonly message: string }
  | { readonly code: "already_approved"; readonly message: string }

const named = (approval: Decidable, member: Pick<Member, "id" | "role">): boolean =>
  approval.deciders === undefined || approval.deciders.user_ids?.some((id) => id === member.id) === true ||
  approval.deciders.roles?.includes(member.role) === true

/** Whether a member could approve at all, regardless of their session. */
export const mayApprove = (
  approval: Decidable,
  member: Pick<Member, "id" | "role" | "teams">,
  org: OrgRules
): boolean =>
  (rolePermissions[member.role].has("approvals:decide") ||
    teamGives(member.teams, "approvals:decide", approval.agent_team)) &&
  named(approval, member) &&
  !(org.separation_of_duties && involved(approval, member.id))

const involved = (approval: Decidable, user: string): boolean =>
  approval.agent_owner === user || approval.filed_by === user

/** Whether a vote to approve counts: only while its voter may still approve. */
export const counts = (approval: Decidable, vote: Vote, org: OrgRules): boolean =>
  vote.decision === "approve" && vote.role !== undefined &&
  mayApprove(approval, { id: vote.user.id, role: vote.role, teams: vote.teams }, org)

/** Whether the approval of `user`, an approver, completes the quorum. */
export const isLastVote = (approval: Decidable, user: string, org: OrgRules, votes: ReadonlyArray<Vote>): boolean =>
  votes.filter((vote) => vote.user.id !== user && counts(approval, vote, org)).length + 1 >= approval.required_approvals

/** Why this person may not approve or reject now; `undefined`: they may. */
export const denialOf = (
  approval: Decidable,
  user: UserPrincipal,
  org: OrgRules,
  decision: "approve" | "reject",
  votes: ReadonlyArray<Vote>
): Denial | undefined => {
  if (approval.status !== "pending" || approval.overdue) return { code: "approval_not_pending" }
  if (!mayInTeam(user, "approvals:decide", approval.agent_team)) {
    return { code: "forbidden", message: "This needs the permission approvals:decide." }
  }
  if (!named(approval, { id: user.user_id, role: user.role })) {
    return { code: "forbidden", message: "The policy rule behind this approval names other deciders." }
  }
  if (user.factor_missing !== undefined) {
    return { code: "second_factor_required", message: factorRequiredMessage }
  }
  const needsStepUp = org.step_up_cents !== null && approval.cost_cents > org.step_up_cents && !isSteppedUp(user)
  // A messenger shows no decision on an amount that needs a stepped-up session.
  if (needsStepUp && user.via.kind === "messenger") {
    return { code: "step_up_required", message: stepUpMessage("Deciding about this amount") }
  }
  if (decision === "reject") return undefined
  if (org.separation_of_duties && involved(approval, user.user_id)) {
    return {
      code: "separation_of_duties",
      message: approval.filed_by === user.user_id
        ? "You created this request; another person must approve it."
        : "The agent is yours; another person must approve its request."
    }
  }
  // The other votes are enough again (a voter's role was restored): approving a second time completes the approval.
  if (
    votes.some((vote) => vote.user.id === user.user_id && vote.decision === "approve") &&
    !isLastVote(approval, user.user_id, org, votes)
  ) {
    return { code: "already_approved", message: "You have already approved this; another person must approve it too." }
  }
  if (needsStepUp) {
    return { code: "step_up_required", message: stepUpMessage("Approving this amount") }
  }
  return undefined
}

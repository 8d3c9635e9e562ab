/** Rules of publishing. Pure. Spec: reference/publishing.md "Publish requests", "Review". */
import { type Permission, Role, rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, type Detail, forbidden } from "@countersign/domain/errors"
import type { DecidePublishRequestInput, PublishInput } from "@countersign/domain/publishing"

const review: Permission = "publish:review"

/** The permission that publishes, and that a token needs to end what its person published. */
export const publishPermission = {
  agent: "agents:write",
  workflow: "workflows:write"
} as const satisfies Readonly<Record<string, Permission>>

/** The roles that review publish requests. */
export const reviewerRoles: ReadonlyArray<Role> = Role.literals.filter((role) => rolePermissions[role].has(review))

/** Why the audience is refused; undefined if it is complete. */
export const audienceProblem = ({ listed, scope, team_id }: PublishInput): Detail | undefined => {
  if (scope === "team" && team_id === undefined) return { path: "team_id", message: "scope team requires it" }
  if (scope === "org" && team_id !== undefined) return { path: "team_id", message: "leave it out with scope org" }
  return scope === "team" && listed === true ? { path: "listed", message: "a listing requires scope org" } : undefined
}

/** Why the person may not decide the request; undefined if they may. */
export const decisionRefusal = (
  user: Pick<UserPrincipal, "user_id" | "permissions">,
  request: { readonly requested_by: string },
  status: DecidePublishRequestInput["status"],
  hasOtherReviewer: boolean
): ApiError | undefined => {
  const isOwn = request.requested_by === user.user_id
  if (status === "withdrawn") {
    return isOwn ? undefined : forbidden("Only the person who made the request can withdraw it; reject it instead.")
  }
  if (!user.permissions.has(review)) {
    return forbidden(`This needs the permission ${review}.`, { permission: review })
  }
  return status === "approved" && isOwn && hasOtherReviewer
    ? forbidden("Another reviewer must approve your request.", undefined, "separation_of_duties")
    : undefined
}

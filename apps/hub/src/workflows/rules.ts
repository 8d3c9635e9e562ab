/** Who sees and who changes a workflow. Pure. Spec: reference/workflows.md "Sharing". */
import type { UserPrincipal } from "@countersign/domain/auth"
import type { WorkflowVisibility } from "@countersign/domain/workflows"
import { seesOwnOnly } from "../auth/own.ts"

/** The columns of a workflow that decide who sees it. */
export interface OwnedWorkflow {
  readonly owner_user_id: string | null
  readonly visibility: WorkflowVisibility
  readonly team_id: string | null
}

/** The filter of a person's lists: their own workflows, and what is shared with them. */
export interface WorkflowReader {
  readonly user: string
  /** Undefined: workflows of all teams. */
  readonly teams: ReadonlyArray<string> | undefined
}

type Person = Pick<UserPrincipal, "user_id" | "role" | "teams">

/** Owners and admins of the workspace manage every workflow. */
const managesAll = ({ role }: Person): boolean => role === "owner" || role === "admin"

/** Undefined: the person sees every workflow of the workspace. */
export const workflowReader = (user: Person): WorkflowReader | undefined =>
  managesAll(user) ? undefined : {
    user: user.user_id,
    teams: seesOwnOnly(user.role) ? (user.teams ?? []).map(({ team_id }) => team_id) : undefined
  }

export const maySeeWorkflow = (user: Person, workflow: OwnedWorkflow): boolean => {
  const reader = workflowReader(user)
  if (reader === undefined || workflow.owner_user_id === reader.user || workflow.visibility === "org") return true
  if (workflow.visibility !== "team") return false
  return reader.teams === undefined || (workflow.team_id !== null && reader.teams.includes(workflow.team_id))
}

/** The permission itself is checked before; this is about whose workflow it is. */
export const mayChangeWorkflow = (user: Person, workflow: OwnedWorkflow): boolean =>
  managesAll(user) || workflow.owner_user_id === user.user_id

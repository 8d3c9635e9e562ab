/** Which changes of a workspace's settings weaken a protection. Pure. Spec: reference/approvals.md "Step-up". */
import type { Workspace, WorkspacePatch } from "@countersign/domain/workspaces"

/** The weakening as the subject of a sentence; `undefined`: the change weakens nothing. */
export const weakeningOf = (
  before: Pick<Workspace, "separation_of_duties" | "step_up_cents">,
  { separation_of_duties, step_up_cents }: WorkspacePatch
): string | undefined => {
  const limit = before.step_up_cents
  if (step_up_cents !== undefined && limit !== undefined) {
    if (step_up_cents === null) return "Clearing step_up_cents"
    if (step_up_cents > limit) return "Raising step_up_cents"
  }
  return separation_of_duties === false && before.separation_of_duties ? "Disabling separation_of_duties" : undefined
}

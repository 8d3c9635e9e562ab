/** Which changes of a workspace's settings weaken a protection. Pure. Spec: reference/approvals.md "Step-up". */
import type { Workspace, WorkspacePatch } from "@countersign/domain/workspaces"

const strength: Readonly<Record<Workspace["second_factor"], number>> = { off: 0, deciders: 1, all: 2 }

/** The weakening as the subject of a sentence; `undefined`: the change weakens nothing. */
export const weakeningOf = (
  before: Pick<Workspace, "second_factor" | "separation_of_duties" | "step_up_cents">,
  { second_factor, separation_of_duties, step_up_cents }: WorkspacePatch
): string | undefined => {
  const limit = before.step_up_cents
  if (step_up_cents !== undefined && limit !== undefined) {
    if (step_up_cents === null) return "Clearing step_up_cents"
    if (step_up_cents > limit) return "Raising step_up_cents"
  }
  if (second_factor !== undefined && strength[second_factor] < strength[before.second_factor]) {
    return "Relaxing second_factor"
  }
  return separation_of_duties === false && before.separation_of_duties ? "Disabling separation_of_duties" : undefined
}

/** What a change of a run adds to what is known of it, and what a repetition starts again. Pure. */
import type { RunStep, WorkflowRun } from "../hub/queries.ts"

interface Edge {
  readonly from: string
  readonly to: string
}

/** A change has only the steps that changed. An older one than the known run changes nothing. */
export const withChange = (known: WorkflowRun | undefined, change: WorkflowRun): WorkflowRun => {
  if (known === undefined) return change
  if (change.revision < known.revision) return known
  const changed = new Map(change.steps.map((step) => [step.label as string, step]))
  return {
    ...change,
    steps: [
      ...known.steps.map((step) => changed.get(step.label) ?? step),
      ...change.steps.filter(({ label }) => !known.steps.some((step) => step.label === label))
    ]
  }
}

/** The failed and canceled steps, or one of them, and every step behind them, in the order of the run. */
export const repeatedSteps = (
  steps: ReadonlyArray<RunStep>,
  edges: ReadonlyArray<Edge>,
  label?: string
): ReadonlyArray<RunStep> => {
  const found = new Set<string>(
    steps.filter((step) =>
      (step.status === "failed" || step.status === "cancelled") && (label === undefined || step.label === label)
    ).map((step) => step.label)
  )
  for (const each of found) for (const { from, to } of edges) if (from === each) found.add(to)
  return steps.filter((step) => found.has(step.label))
}

/** Steps whose provider may have acted: a repetition may pay twice. */
export const unknownOutcomes = (steps: ReadonlyArray<RunStep>): ReadonlyArray<string> =>
  steps.filter(({ error }) => error?.fate === "unknown").map(({ label }) => label)

export const costOf = (steps: ReadonlyArray<RunStep>): number => steps.reduce((sum, step) => sum + step.cost_cents, 0)

/** Every step after the steps that lead to it, otherwise in the version's own order. */
export const inOrder = (
  steps: ReadonlyArray<RunStep>,
  edges: ReadonlyArray<Edge>
): ReadonlyArray<RunStep> => {
  const depth = (label: string): number => {
    const before = new Set([label])
    for (const each of before) for (const { from, to } of edges) if (to === each) before.add(from)
    return before.size
  }
  const depths = new Map(steps.map(({ label }) => [label as string, depth(label)]))
  return steps.toSorted((one, other) => (depths.get(one.label) ?? 0) - (depths.get(other.label) ?? 0))
}

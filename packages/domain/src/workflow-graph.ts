/** The graph of a workflow: which steps come before which. Pure. Spec: reference/workflows.md "Graph". */
import type { WorkflowDefinition, WorkflowEdge, WorkflowStep } from "./workflow-definition.ts"

export interface WorkflowGraph {
  /** In the order of the definition. */
  readonly labels: ReadonlyArray<string>
  readonly steps: ReadonlyMap<string, WorkflowStep>
  /** The edges to a step, and those from it, in the order of the definition; empty lists where there are none. */
  readonly incoming: ReadonlyMap<string, ReadonlyArray<WorkflowEdge>>
  readonly outgoing: ReadonlyMap<string, ReadonlyArray<WorkflowEdge>>
  /** All steps from which a path leads to a step: those that may have ended when it starts. */
  readonly before: ReadonlyMap<string, ReadonlySet<string>>
  /** All steps to which a path leads from a step. */
  readonly behind: ReadonlyMap<string, ReadonlySet<string>>
  /** Steps without edges to them: a run starts with these. */
  readonly starts: ReadonlyArray<string>
  /** Steps without edges from them: their outputs are the run's, unless the version has a template. */
  readonly ends: ReadonlyArray<string>
}

type Shape = Pick<WorkflowDefinition, "steps" | "edges">

/** All steps that `next` leads to, in any number of moves. */
const closure = (label: string, next: (label: string) => ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const open = [...next(label)]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (found.has(one)) continue
    found.add(one)
    open.push(...next(one))
  }
  return found
}

/**
 * Of any definition of the right shape. Edges that name no step are left out, and of several steps with one label the
 * first counts.
 */
export const graphOf = ({ edges, steps }: Shape): WorkflowGraph => {
  const byLabel = new Map<string, WorkflowStep>()
  for (const step of steps) if (!byLabel.has(step.label)) byLabel.set(step.label, step)
  const labels = [...byLabel.keys()]
  const incoming = new Map(labels.map((label): [string, Array<WorkflowEdge>] => [label, []]))
  const outgoing = new Map(labels.map((label): [string, Array<WorkflowEdge>] => [label, []]))
  for (const edge of edges) {
    if (!byLabel.has(edge.from) || !byLabel.has(edge.to)) continue
    outgoing.get(edge.from)?.push(edge)
    incoming.get(edge.to)?.push(edge)
  }
  const sources = (label: string) => (incoming.get(label) ?? []).map(({ from }) => from)
  const targets = (label: string) => (outgoing.get(label) ?? []).map(({ to }) => to)
  return {
    labels,
    steps: byLabel,
    incoming,
    outgoing,
    before: new Map(labels.map((label) => [label, closure(label, sources)])),
    behind: new Map(labels.map((label) => [label, closure(label, targets)])),
    starts: labels.filter((label) => sources(label).length === 0),
    ends: labels.filter((label) => targets(label).length === 0)
  }
}

/** A cycle: the position of the edge that closes it, and its steps in order, the first again at the end. */
export interface Cycle {
  readonly edge: number
  readonly labels: ReadonlyArray<string>
}

/** Removing the edges of these cycles leaves none. */
export const cyclesOf = ({ edges, steps }: Shape): ReadonlyArray<Cycle> => {
  const cycles: Array<Cycle> = []
  const path: Array<string> = []
  const done = new Set<string>()
  const visit = (label: string): void => {
    path.push(label)
    edges.forEach(({ from, to }, edge) => {
      if (from !== label || done.has(to)) return
      const at = path.indexOf(to)
      if (at === -1) visit(to)
      else cycles.push({ edge, labels: [...path.slice(at), to] })
    })
    path.pop()
    done.add(label)
  }
  for (const { label } of steps) if (!done.has(label)) visit(label)
  return cycles
}

/** Every step after all steps that come before it; of an acyclic graph. */
export const topologicalOrder = (graph: WorkflowGraph): ReadonlyArray<string> =>
  [...graph.labels].sort((one, other) => (graph.before.get(one)?.size ?? 0) - (graph.before.get(other)?.size ?? 0))

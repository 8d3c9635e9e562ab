/** The parts of a definition that differ between two versions: steps by label, edges by their ends. Pure. */
import type { WorkflowDefinition } from "@countersign/domain/workflow-definition"

export type Definition = WorkflowDefinition

export interface DefinitionChange {
  readonly part: "step" | "edge" | "input" | "output"
  /** The label of a step, or `From → To`; empty for the input schema and the output. */
  readonly name: string
  readonly kind: "added" | "removed" | "changed"
  readonly before: unknown
  readonly after: unknown
}

const text = (value: unknown): string => JSON.stringify(value) ?? ""

type Parts = ReadonlyMap<string, unknown>

const compare = (part: "step" | "edge", before: Parts, after: Parts): ReadonlyArray<DefinitionChange> =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((name): ReadonlyArray<DefinitionChange> => {
    const [one, other] = [before.get(name), after.get(name)]
    if (text(one) === text(other)) return []
    const kind = one === undefined ? "added" : other === undefined ? "removed" : "changed"
    return [{ part, name, kind, before: one, after: other }]
  })

const whole = (part: "input" | "output", before: unknown, after: unknown): ReadonlyArray<DefinitionChange> =>
  text(before) === text(after)
    ? []
    : [{
      part,
      name: "",
      kind: before === undefined ? "added" : after === undefined ? "removed" : "changed",
      before,
      after
    }]

const none: Definition = { steps: [], edges: [] }

export const edgeName = ({ from, to }: { readonly from: string; readonly to: string }): string => `${from} → ${to}`

const stepsOf = ({ steps }: Definition): Parts => new Map(steps.map((step) => [step.label, step]))
const edgesOf = ({ edges }: Definition): Parts => new Map(edges.map((edge) => [edgeName(edge), edge]))

/** Without `before`, everything is new. Steps first, in the order of the older version. */
export const definitionChanges = (before: Definition = none, after: Definition): ReadonlyArray<DefinitionChange> => [
  ...compare("step", stepsOf(before), stepsOf(after)),
  ...compare("edge", edgesOf(before), edgesOf(after)),
  ...whole("input", before.input_schema, after.input_schema),
  ...whole("output", before.output, after.output)
]

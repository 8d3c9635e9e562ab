/**
 * A draft and a version that another person saved meanwhile, merged part by part. A step is one part, and so are the
 * edges, the input schema, and the output. Pure.
 */
import type { MergeField } from "../patterns/three-way.ts"
import { workflowEditorText } from "../text/workflow-editor.ts"
import type { Draft, DraftStep } from "./draft.ts"

const text = (value: unknown): string => value === undefined ? "–" : JSON.stringify(value, null, 2)

const stepOf = ({ steps }: Draft, label: string): DraftStep | undefined => steps.find((each) => each.label === label)

/** Replaces, adds, or removes one step. */
const withStep = (draft: Draft, label: string, step: DraftStep | undefined): Draft => {
  if (step === undefined) return { ...draft, steps: draft.steps.filter((each) => each.label !== label) }
  return stepOf(draft, label) === undefined
    ? { ...draft, steps: [...draft.steps, step] }
    : { ...draft, steps: draft.steps.map((each) => each.label === label ? step : each) }
}

const member = (draft: Draft, name: "input_schema" | "output", value: unknown): Draft => {
  const { [name]: _, ...rest } = draft
  return value === undefined ? rest : { ...rest, [name]: value }
}

export const draftFields = (...drafts: ReadonlyArray<Draft>): ReadonlyArray<MergeField<Draft>> => {
  const t = workflowEditorText.merge
  const labels = [...new Set(drafts.flatMap(({ steps }) => steps.map(({ label }) => label)))]
  return [
    ...labels.map((label): MergeField<Draft> => ({
      key: `step ${label}`,
      label: t.step(label),
      value: (draft) => stepOf(draft, label),
      copy: (draft, from) => withStep(draft, label, stepOf(from, label)),
      show: (draft) => text(stepOf(draft, label))
    })),
    {
      key: "edges",
      label: t.edges,
      value: ({ edges }) => edges,
      copy: (draft, { edges }) => ({ ...draft, edges }),
      show: ({ edges }) =>
        edges.length === 0
          ? "–"
          : edges.map(({ from, to, when }) => `${from} → ${to}${when === undefined ? "" : ` (${when})`}`).join(", ")
    },
    ...(["input_schema", "output"] as const).map((name): MergeField<Draft> => ({
      key: name,
      label: t[name],
      value: (draft) => draft[name],
      copy: (draft, from) => member(draft, name, from[name]),
      show: (draft) => text(draft[name])
    }))
  ]
}

/** Problems of a definition, and the part of the editor that each one belongs to. Pure. */
import type { Detail } from "@countersign/domain/errors"
import type { Draft } from "./draft.ts"

/** The step that a problem belongs to: its own, or the target of its edge. */
export const stepOfProblem = ({ edges, steps }: Draft, { path }: Detail): string | undefined => {
  const [part, position] = path.split(".")
  const at = Number(position)
  return part === "steps" ? steps[at]?.label : part === "edges" ? edges[at]?.to : undefined
}

/** The errors of one step, with paths from the step on. */
export const stepProblems = (
  { steps }: Draft,
  label: string,
  problems: ReadonlyArray<Detail>
): ReadonlyArray<Detail> => {
  const prefix = `steps.${steps.findIndex((step) => step.label === label)}`
  return problems.flatMap(({ message, path }) =>
    path === prefix ? [{ path: "", message }] : path.startsWith(`${prefix}.`)
      ? [{ path: path.slice(prefix.length + 1), message }]
      : []
  )
}

/** The errors of one edge, in one text. */
export const edgeProblem = (
  { edges }: Draft,
  from: string,
  to: string,
  problems: ReadonlyArray<Detail>
): string | undefined => {
  const prefix = `edges.${edges.findIndex((edge) => edge.from === from && edge.to === to)}`
  return joined(problems.filter(({ path }) => path === prefix || path.startsWith(`${prefix}.`)))
}

const joined = (problems: ReadonlyArray<Detail>): string | undefined =>
  problems.length === 0 ? undefined : problems.map(({ message }) => message).join(" ")

/** The errors at a path and below it. */
export const problemAt = (problems: ReadonlyArray<Detail>, path: string): string | undefined =>
  joined(problems.filter((each) => each.path === path || each.path.startsWith(`${path}.`)))

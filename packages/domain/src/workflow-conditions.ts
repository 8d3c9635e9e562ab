/** The CEL conditions of workflows: of `condition` steps and of edges. Spec: reference/workflows.md "Conditions". */
import { Result } from "effect"
import { conditionSyntax } from "./condition-reads.ts"
import { isNode, type Node, nodesBelow } from "./expression-meter.ts"
import { type ExpressionProblem, problemText } from "./expression-problem.ts"
import { compileExpression, type Expression, type Variables } from "./expression.ts"
import { dottedPath } from "./json.ts"
import { labelProblem, stepMembers, type TemplateRoots } from "./workflow-template.ts"

const ofStep: Variables = { input: "dyn", steps: "dyn" }
const ofEdge: Variables = { input: "dyn", steps: "dyn", output: "dyn" }

/** Over `input` and `steps`, the steps that have ended before: `{ Label: { status, output?, error? } }`. */
export const compileStepCondition = (source: string): Result.Result<Expression<boolean>, ExpressionProblem> =>
  compileExpression(source, { variables: ofStep, result: "bool" })

/** Over `input`, `steps`, and `output`, the output of the edge's source. */
export const compileEdgeCondition = (source: string): Result.Result<Expression<boolean>, ExpressionProblem> =>
  compileExpression(source, { variables: ofEdge, result: "bool" })

/** A step that a condition reads, and the member of it; undefined: the step itself. */
interface StepRead {
  readonly label: string
  readonly member: string | undefined
}

/** The literal name that `.name` or `["name"]` selects of a node. */
const selected = (node: Node): { readonly holder: unknown; readonly name: string } | undefined => {
  if ((node.op !== "." && node.op !== "[]") || !Array.isArray(node.args)) return undefined
  const [holder, member] = node.args as ReadonlyArray<unknown>
  const name = node.op === "." ? member : isNode(member) && member.op === "value" ? member.args : undefined
  return typeof name === "string" ? { holder, name } : undefined
}

const isSteps = (node: unknown): boolean => isNode(node) && node.op === "id" && node.args === "steps"

const readsOf = (node: Node): ReadonlyArray<StepRead> => {
  const outer = selected(node)
  if (outer !== undefined) {
    if (isSteps(outer.holder)) return [{ label: outer.name, member: undefined }]
    const inner = isNode(outer.holder) ? selected(outer.holder) : undefined
    if (inner !== undefined && isSteps(inner.holder)) return [{ label: inner.name, member: outer.name }]
  }
  return nodesBelow(node).flatMap(readsOf)
}

/** All problems of a condition, each one sentence. */
export const conditionProblems = (
  source: string,
  kind: "step" | "edge",
  steps: NonNullable<TemplateRoots["steps"]>
): ReadonlyArray<string> => {
  const compiled = kind === "step" ? compileStepCondition(source) : compileEdgeCondition(source)
  if (Result.isFailure(compiled)) return [problemText(source, compiled.failure)]
  const syntax = conditionSyntax(source)
  const problems = (isNode(syntax) ? readsOf(syntax) : []).flatMap(({ label, member }) => {
    const problem = labelProblem(label, steps)
    if (problem !== undefined) return [problem]
    return member === undefined || (stepMembers as ReadonlyArray<string>).includes(member)
      ? []
      : [`A step has ${stepMembers.map((name) => `.${name}`).join(", ")}, and no .${dottedPath(member)}.`]
  })
  return [...new Set(problems)]
}

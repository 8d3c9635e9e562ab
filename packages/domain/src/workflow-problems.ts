/**
 * Every fault of a workflow's definition, with its path: labels, the graph, templates, conditions, schemas, and values
 * that can be checked before a run. Pure: the hub refuses a version by these rules, and the console shows them while a
 * person types. Spec: reference/workflows.md "Checks".
 */
import { Result } from "effect"
import type { Detail } from "./errors.ts"
import { idPattern } from "./ids.ts"
import { compileSchema } from "./json-schema.ts"
import { dottedPath } from "./json.ts"
import { MemoryKind } from "./memories.ts"
import { similarNames } from "./similar-names.ts"
import { headerNameProblem } from "./template.ts"
import { momentMillis, timeExample } from "./time.ts"
import { conditionProblems } from "./workflow-conditions.ts"
import type { WorkflowDefinition, WorkflowStep } from "./workflow-definition.ts"
import { cyclesOf, graphOf, type WorkflowGraph } from "./workflow-graph.ts"
import { isStatic, parseText, templateProblems, workflowRoots } from "./workflow-template.ts"

/** Empty when a version can be made. Of a definition of the right shape (`WorkflowDefinition`). */
export const definitionProblems = (definition: WorkflowDefinition): ReadonlyArray<Detail> => {
  const graph = graphOf(definition)
  const all = new Set(graph.labels)
  return [
    ...labelProblems(definition),
    ...edgeProblems(definition, all),
    ...graphProblems(definition, graph),
    ...definition.steps.flatMap((step, index) => stepProblems(step, `steps.${index}`, graph, all)),
    ...definition.edges.flatMap(({ from, when }, index) => {
      if (when === undefined || !all.has(from)) return []
      const before = new Set([...graph.before.get(from) ?? [], from])
      return conditionProblems(when, "edge", { before, all }).map((message) => ({
        path: `edges.${index}.when`,
        message
      }))
    }),
    ...schemaProblems(definition.input_schema),
    ...(definition.output === undefined
      ? []
      : templateProblems(definition.output, "output", workflowRoots({ before: all, all })))
  ]
}

const labelProblems = ({ steps }: WorkflowDefinition): ReadonlyArray<Detail> => {
  const seen = new Set<string>()
  return steps.flatMap(({ label }, index) => {
    if (!seen.has(label)) {
      seen.add(label)
      return []
    }
    return [{ path: `steps.${index}.label`, message: `Another step is labeled ${label}. Each label is used once.` }]
  })
}

const edgeProblems = ({ edges }: WorkflowDefinition, all: ReadonlySet<string>): ReadonlyArray<Detail> => {
  const seen = new Set<string>()
  return edges.flatMap(({ from, to }, index) => {
    const unknown = (["from", "to"] as const).flatMap((end) => {
      const label = end === "from" ? from : to
      if (all.has(label)) return []
      const [near] = similarNames(label, [...all])
      const meant = near === undefined ? "" : ` Did you mean ${near}?`
      return [{ path: `edges.${index}.${end}`, message: `There is no step ${label}.${meant}` }]
    })
    const pair = `${from} ${to}`
    if (!seen.has(pair)) {
      seen.add(pair)
      return unknown
    }
    const message = `Another edge leads from ${from} to ${to}. Combine their conditions with ||.`
    return [...unknown, { path: `edges.${index}`, message }]
  })
}

const graphProblems = (definition: WorkflowDefinition, graph: WorkflowGraph): ReadonlyArray<Detail> => {
  const reached = new Set(graph.starts.flatMap((start) => [start, ...graph.behind.get(start) ?? []]))
  return [
    ...cyclesOf(definition).map(({ edge, labels }) => ({
      path: `edges.${edge}`,
      message: `This edge closes a cycle: ${labels.join(" → ")}. Remove one edge of it.`
    })),
    ...definition.steps.flatMap(({ label }, index) =>
      reached.has(label)
        ? []
        : [{ path: `steps.${index}`, message: `The step ${label} is never reached: no start leads to it.` }]
    )
  ]
}

const schemaProblems = (schema: WorkflowDefinition["input_schema"]): ReadonlyArray<Detail> => {
  if (schema === undefined) return []
  const compiled = compileSchema(schema, "input_schema")
  return Result.isFailure(compiled) ? compiled.failure : []
}

/** Members of a config that are no templates: names and CEL. */
const literalMembers: ReadonlySet<string> = new Set(["expression", "secret", "service", "operation", "services"])

const stepProblems = (
  step: WorkflowStep,
  at: string,
  graph: WorkflowGraph,
  all: ReadonlySet<string>
): ReadonlyArray<Detail> => {
  const before = new Set(graph.before.get(step.label))
  // In a cycle a step comes before itself.
  before.delete(step.label)
  const steps = { before, all }
  const config = `${at}.config`
  if (step.type === "condition") {
    return conditionProblems(step.config.expression, "step", steps)
      .map((message) => ({ path: `${config}.expression`, message }))
  }
  const roots = workflowRoots(steps, {
    callback: step.type === "webhook" && step.config.callback_within_seconds !== undefined
  })
  const templates = Object.fromEntries(Object.entries(step.config).filter(([name]) => !literalMembers.has(name)))
  return [...templateProblems(templates, config, roots), ...valueProblems(step, config)]
}

/** The text that a template always gives; undefined when it depends on the run. */
const staticText = (template: string | undefined): string | undefined => {
  if (template === undefined || !isStatic(template)) return undefined
  const parsed = parseText(template)
  return Result.isSuccess(parsed) ? parsed.success.join("") : undefined
}

/** Values that are known before a run, and that no run would accept. */
const valueProblems = (step: WorkflowStep, config: string): ReadonlyArray<Detail> => {
  const refuse = (name: string, message: string | undefined): ReadonlyArray<Detail> =>
    message === undefined ? [] : [{ path: dottedPath(config, name), message }]
  const time = (name: string, text: string | undefined) => {
    const value = staticText(text)
    return refuse(name, value === undefined || momentMillis(value) > 0 ? undefined : `expected ${timeExample}`)
  }
  const id = (name: string, text: string, prefix: string) => {
    const value = staticText(text)
    return refuse(
      name,
      value === undefined || idPattern(prefix).test(value) ? undefined : `expected an id that begins with ${prefix}_`
    )
  }
  switch (step.type) {
    case "run_workflow":
      return id("workflow_id", step.config.workflow_id, "wfl")
    case "delegation":
      return [
        ...id("to_agent_id", step.config.to_agent_id, "agt"),
        ...refuse(
          "services",
          new Set(step.config.services).size === step.config.services.length ? undefined : "expected each service once"
        )
      ]
    case "delay":
      return time("until", step.config.until)
    case "memory_write": {
      const kind = staticText(step.config.kind)
      return [
        ...refuse(
          "kind",
          kind === undefined || (MemoryKind.literals as ReadonlyArray<string>).includes(kind)
            ? undefined
            : `expected one of ${MemoryKind.literals.join(", ")}`
        ),
        ...time("expires_at", step.config.expires_at)
      ]
    }
    case "webhook":
      return [
        ...refuse("url", urlProblem(step.config.url)),
        ...Object.keys(step.config.headers ?? {}).flatMap((name) =>
          refuse(dottedPath("headers", name), headerNameProblem(name))
        )
      ]
    default:
      return []
  }
}

/** Present in every supported runtime. */
declare const URL: { canParse(text: string): boolean }

const urlProblem = (template: string): string | undefined => {
  const parsed = parseText(template)
  if (Result.isFailure(parsed)) return undefined
  const [first] = parsed.success
  if (typeof first === "object") return undefined
  const sample = parsed.success.map((part) => typeof part === "string" ? part : "x").join("")
  return /^https?:\/\/[^@]*$/iu.test(sample) && URL.canParse(sample)
    ? undefined
    : "expected a URL that begins with https:// or http://, without a user name"
}

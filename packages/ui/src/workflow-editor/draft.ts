/**
 * A definition while it is edited: its graph may be incomplete and its steps invalid. Every act of the editor is a
 * function from a draft to the next one. Pure.
 */
import type { StepType } from "@countersign/domain/workflow-definition"

export interface DraftStep {
  readonly label: string
  readonly type: StepType
  readonly config: Readonly<Record<string, unknown>>
  readonly retry?: unknown
  readonly timeout_ms?: unknown
  readonly on_error?: unknown
}

export interface DraftEdge {
  readonly from: string
  readonly to: string
  readonly when?: string
}

export interface Draft {
  readonly steps: ReadonlyArray<DraftStep>
  readonly edges: ReadonlyArray<DraftEdge>
  readonly input_schema?: unknown
  readonly output?: unknown
}

export const stepTypes = [
  "service_call",
  "approval",
  "condition",
  "delay",
  "webhook",
  "agent_request",
  "delegation",
  "run_workflow",
  "memory_read",
  "memory_write"
] as const satisfies ReadonlyArray<StepType>

export const emptyDraft: Draft = { steps: [], edges: [] }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isStepType = (value: unknown): value is StepType => stepTypes.some((type) => type === value)

/** Text that a person typed, or a stored draft; undefined unless it can be edited as steps and edges. */
export const readDraft = (value: unknown): Draft | undefined => {
  if (!isRecord(value)) return undefined
  const { edges, input_schema, output, steps } = value
  const areSteps = Array.isArray(steps) &&
    steps.every((step) =>
      isRecord(step) && typeof step["label"] === "string" && isStepType(step["type"]) && isRecord(step["config"])
    )
  const areEdges = Array.isArray(edges) &&
    edges.every((edge) =>
      isRecord(edge) && typeof edge["from"] === "string" && typeof edge["to"] === "string" &&
      (edge["when"] === undefined || typeof edge["when"] === "string")
    )
  if (!areSteps || !areEdges) return undefined
  return {
    steps,
    edges,
    ...input_schema === undefined ? {} : { input_schema },
    ...output === undefined ? {} : { output }
  }
}

const labelBases: Readonly<Record<StepType, string>> = {
  service_call: "Call",
  run_workflow: "Run",
  condition: "Check",
  delay: "Wait",
  approval: "Approve",
  agent_request: "Ask",
  delegation: "Delegate",
  webhook: "Webhook",
  memory_read: "Recall",
  memory_write: "Remember"
}

const freshConfigs: Readonly<Record<StepType, DraftStep["config"]>> = {
  service_call: { service: "", operation: "", payload: {} },
  run_workflow: { workflow_id: "", input: {} },
  condition: { expression: "" },
  delay: { seconds: 60 },
  approval: { title: "" },
  agent_request: { kind: "question", title: "" },
  delegation: { to_agent_id: "", goal: "", budget_cents: 0, services: [] },
  webhook: { url: "" },
  memory_read: {},
  memory_write: { content: "" }
}

const freshLabel = ({ steps }: Draft, base: string): string => {
  const taken = new Set(steps.map(({ label }) => label))
  for (let number = 1;; number++) {
    const label = number === 1 ? base : `${base}${number}`
    if (!taken.has(label)) return label
  }
}

export interface Added {
  readonly draft: Draft
  readonly label: string
}

/** A new step behind `after`, if that is given. */
export const addStep = (draft: Draft, type: StepType, after: string | undefined): Added => {
  const label = freshLabel(draft, labelBases[type])
  return {
    label,
    draft: {
      ...draft,
      steps: [...draft.steps, { label, type, config: freshConfigs[type] }],
      edges: after === undefined ? draft.edges : [...draft.edges, { from: after, to: label }]
    }
  }
}

export const replaceStep = (draft: Draft, label: string, step: DraftStep): Draft => ({
  ...draft,
  steps: draft.steps.map((each) => each.label === label ? step : each)
})

/** Another type has another configuration. */
export const withType = (step: DraftStep, type: StepType): DraftStep =>
  step.type === type ? step : { ...step, type, config: freshConfigs[type] }

/** `steps.Label` in templates and conditions, also as `steps["Label"]`. */
const renamedReferences = (text: string, from: string, to: string): string =>
  text
    .replaceAll(new RegExp(String.raw`(?<![\w.])steps\.${from}(?![\w])`, "gu"), `steps.${to}`)
    .replaceAll(new RegExp(String.raw`(?<![\w.])steps\[(["'])${from}\1\]`, "gu"), (_, quote: string) =>
      `steps[${quote}${to}${quote}]`)

/** Only inside `${…}`: other text that names a step is prose. */
const renamedTemplate = (text: string, from: string, to: string): string =>
  text.replaceAll(/(?<!\\)\$\{[^{}]*\}/gu, (reference) => renamedReferences(reference, from, to))

const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change))
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]))
    : value
}

/** Changes the label, the edges, and every reference to the step. A taken or invalid label leaves the references alone. */
export const renameStep = (draft: Draft, from: string, to: string): Draft => {
  const isUsable = /^[A-Za-z]\w{0,63}$/u.test(to) && !draft.steps.some(({ label }) => label === to)
  const inTemplates = (value: unknown) => isUsable ? mapTexts(value, (text) => renamedTemplate(text, from, to)) : value
  const inExpression = (text: string) => isUsable ? renamedReferences(text, from, to) : text
  const rename = (label: string) => label === from ? to : label
  return {
    ...draft,
    steps: draft.steps.map((step) => ({
      ...step,
      label: rename(step.label),
      config: step.type === "condition" && typeof step.config["expression"] === "string"
        ? { ...step.config, expression: inExpression(step.config["expression"]) }
        : inTemplates(step.config) as DraftStep["config"]
    })),
    edges: draft.edges.map(({ from: source, to: target, when }) => ({
      from: rename(source),
      to: rename(target),
      ...when === undefined ? {} : { when: inExpression(when) }
    })),
    ...draft.output === undefined ? {} : { output: inTemplates(draft.output) }
  }
}

export const removeStep = (draft: Draft, label: string): Draft => ({
  ...draft,
  steps: draft.steps.filter((step) => step.label !== label),
  edges: draft.edges.filter(({ from, to }) => from !== label && to !== label)
})

export const connect = (draft: Draft, from: string, to: string): Draft =>
  legalTargets(draft, from).includes(to) ? { ...draft, edges: [...draft.edges, { from, to }] } : draft

export const disconnect = (draft: Draft, from: string, to: string): Draft => ({
  ...draft,
  edges: draft.edges.filter((edge) => edge.from !== from || edge.to !== to)
})

/** Empty text removes the condition. */
export const setWhen = (draft: Draft, from: string, to: string, when: string): Draft => ({
  ...draft,
  edges: draft.edges.map((edge) =>
    edge.from === from && edge.to === to ? { from, to, ...when === "" ? {} : { when } } : edge
  )
})

/** The steps that lead to `label`, itself included. */
const leadingTo = ({ edges }: Draft, label: string): ReadonlySet<string> => {
  const found = new Set([label])
  for (const each of found) for (const { from, to } of edges) if (to === each) found.add(from)
  return found
}

/** Steps to which an edge from `label` closes no cycle and repeats no edge. */
export const legalTargets = (draft: Draft, label: string): ReadonlyArray<string> => {
  const before = leadingTo(draft, label)
  return draft.steps.map((step) => step.label).filter((to) =>
    !before.has(to) && !draft.edges.some((edge) => edge.from === label && edge.to === to)
  )
}

/** Steps from which an edge to `label` closes no cycle and repeats no edge. */
export const legalSources = (draft: Draft, label: string): ReadonlyArray<string> =>
  draft.steps.map((step) => step.label).filter((from) => legalTargets(draft, from).includes(label))

/** The labels whose outputs a step can use: all that lead to it. */
export const usable = (draft: Draft, label: string): ReadonlyArray<string> => {
  const before = leadingTo(draft, label)
  return ordered(draft).filter((each) => each !== label && before.has(each))
}

/** Every step after the steps that lead to it, otherwise in the draft's own order. */
export const ordered = (draft: Draft): ReadonlyArray<string> => {
  const places = new Map(draft.steps.map(({ label }) => [label, leadingTo(draft, label).size]))
  return [...places.keys()].sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0))
}

export type Direction = "up" | "down" | "previous" | "next"

/**
 * The step that an arrow key leads to: down and up follow edges, previous and next go to the other steps with a common
 * source or, without one, through the order.
 */
export const neighbor = (draft: Draft, label: string, direction: Direction): string | undefined => {
  const sources = draft.edges.filter(({ to }) => to === label).map(({ from }) => from)
  if (direction === "up") return sources[0]
  if (direction === "down") return draft.edges.find(({ from }) => from === label)?.to
  const siblings = sources.length === 0
    ? draft.steps.map((step) => step.label).filter((each) => !draft.edges.some(({ to }) => to === each))
    : draft.edges.filter(({ from }) => from === sources[0]).map(({ to }) => to)
  const at = siblings.indexOf(label)
  return siblings[direction === "next" ? at + 1 : at - 1]
}

/** The names of the input's members that a schema declares. */
export const inputNames = ({ input_schema }: Draft): ReadonlyArray<string> =>
  isRecord(input_schema) && isRecord(input_schema["properties"]) ? Object.keys(input_schema["properties"]) : []

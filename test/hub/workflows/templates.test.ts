/** The workflow templates that the hub ships, against the services of the demo workspace. */
import { compileSchema } from "@countersign/domain/json-schema"
import type { Schema as JsonSchema } from "@countersign/domain/json-schema-shape"
import { sample } from "@countersign/domain/sample"
import { operationOf, type ServiceDefinition } from "@countersign/domain/services"
import { compileEdgeCondition, compileStepCondition } from "@countersign/domain/workflow-conditions"
import type { StepType } from "@countersign/domain/workflow-definition"
import { graphOf, topologicalOrder } from "@countersign/domain/workflow-graph"
import { renderTemplate } from "@countersign/domain/workflow-template"
import type { WorkflowTemplate } from "@countersign/domain/workflows"
import { catalogDir, readShippedServices } from "@countersign/hub/catalog/shipped"
import { readWorkflowTemplates, templatesDir } from "@countersign/hub/workflows/templates"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const services: ReadonlyMap<string, ServiceDefinition> = new Map([
  ...readShippedServices(),
  ...readShippedServices(resolve(catalogDir, "../demo"))
])
const templates = readWorkflowTemplates()

/** Services and steps that work without a network and without settings of providers. */
const offline = new Set(["echo", "storage", "knowledge"])
const local: ReadonlySet<StepType> = new Set([
  "condition",
  "delay",
  "approval",
  "agent_request",
  "delegation",
  "memory_read",
  "memory_write"
])

/** What the steps of other types answer. */
const answers: Readonly<Partial<Record<StepType, unknown>>> = {
  approval: { status: "approved" },
  agent_request: { status: "answered", answer: "Yes" },
  delegation: { done: true },
  webhook: { finished: true },
  memory_read: { data: [] },
  memory_write: { id: "mem_1" },
  delay: {}
}

/** Runs a template with the answers of test mode; returns the statuses of its steps, and its output. */
const play = ({ definition, example_input: input }: WorkflowTemplate) => {
  const graph = graphOf(definition)
  const steps: Record<string, { status: string; output?: unknown }> = {}
  const scope = { input, steps, run: { id: "run_1", created_at: "2026-11-27T10:00:00.000Z" } }
  const filled = (template: unknown, at: string, more: object = {}) => {
    const result = renderTemplate(template, { ...scope, ...more }, at)
    return Result.isSuccess(result) ? result.success.value : assert.fail(JSON.stringify(result.failure))
  }
  const truth = (result: Result.Result<boolean, { readonly message: string }>, at: string) =>
    Result.isSuccess(result) ? result.success : assert.fail(`${at}: ${result.failure.message}`)
  const isLive = (label: string) => {
    const edges = graph.incoming.get(label) ?? []
    return edges.length === 0 || edges.some(({ from, when }) => {
      if (steps[from]?.status !== "succeeded") return false
      if (when === undefined) return true
      const condition = Result.getOrThrow(compileEdgeCondition(when))
      return truth(condition.evaluate({ input, steps, output: steps[from]?.output ?? null }), `${from} to ${label}`)
    })
  }
  for (const label of topologicalOrder(graph)) {
    const step = graph.steps.get(label)!
    if (!isLive(label)) {
      steps[label] = { status: "skipped" }
      continue
    }
    if (step.type === "condition") {
      const condition = Result.getOrThrow(compileStepCondition(step.config.expression))
      steps[label] = { status: "succeeded", output: { result: truth(condition.evaluate({ input, steps }), label) } }
      continue
    }
    if (step.type !== "service_call") {
      filled(step.config, label, { callback_url: "https://hub.example/callback" })
      steps[label] = { status: "succeeded", output: answers[step.type] }
      continue
    }
    const { operation: name, service } = step.config
    const operation = operationOf(services.get(service)!, name) ?? assert.fail(`there is no ${service}.${name}`)
    const payload = filled(step.config.payload, label)
    const validator = Result.getOrThrow(compileSchema(operation.payload_schema))
    assert.deepStrictEqual(validator.validate(payload, label), [])
    steps[label] = {
      status: "succeeded",
      output: service === "echo"
        ? { echo: payload }
        : operation.test?.result ?? sample((operation.response_schema ?? {}) as JsonSchema)
    }
  }
  return { steps, output: filled(definition.output, "output") }
}

describe("the shipped workflow templates", () => {
  it("are ten at least, with distinct names", () => {
    assert.isAtLeast(templates.length, 10)
    assert.strictEqual(new Set(templates.map(({ name }) => name)).size, templates.length)
    const used = new Set(templates.flatMap(({ definition }) => definition.steps.map(({ type }) => type)))
    for (const type of ["service_call", "condition", "delay", "approval", "agent_request", "delegation", "webhook"]) {
      assert.isTrue(used.has(type as StepType), type)
    }
  })

  it.each(templates.map((template) => [template.name, template] as const))(
    "%s calls operations of the demo workspace with payloads that fit, from its example input to its output",
    (_, template) => {
      for (const operation of template.operations) {
        const [service = "", ...name] = operation.split(".")
        assert.isDefined(operationOf(services.get(service)!, name.join(".")), operation)
      }
      const { output, steps } = play(template)
      assert.isDefined(output)
      assert.isTrue(Object.values(steps).every(({ status }) => status === "succeeded" || status === "skipped"))
    }
  )

  it("include four at least that need no network and no provider", () => {
    const names = templates.filter(({ definition }) =>
      definition.steps.every((step) =>
        step.type === "service_call" ? offline.has(step.config.service) : local.has(step.type)
      )
    ).map(({ name }) => name)
    assert.includeMembers(names, [
      "Answer from documents",
      "Delegate and review",
      "Deploy with two approvals",
      "File digest"
    ])
  })

  it("stop the start with the file's name if one is not valid", () => {
    const dir = mkdtempSync(join(tmpdir(), "countersign-templates-"))
    const [file = ""] = readdirSync(templatesDir)
    const template = JSON.parse(readFileSync(join(templatesDir, file), "utf8"))
    try {
      for (
        const [change, message] of [
          [{ id: "tpl_1" }, "an id that begins with tpl_"],
          [{ example_input: {} }, "example_input"],
          [{ definition: { ...template.definition, edges: [{ from: "A", to: "B" }] } }, "There is no step"],
          [{ color: "red" }, "color"]
        ] as const
      ) {
        writeFileSync(join(dir, "broken.json"), JSON.stringify({ ...template, ...change }))
        assert.throws(() => readWorkflowTemplates(dir), new RegExp(`broken\\.json.*${message}`, "s"))
      }
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})

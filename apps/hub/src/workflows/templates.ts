/** The workflow templates that the hub ships: `resources/workflow-templates/*.json`. */
import { compileSchema } from "@countersign/domain/json-schema"
import { definitionProblems } from "@countersign/domain/workflow-problems"
import { WorkflowTemplate } from "@countersign/domain/workflows"
import { Result, Schema, Struct } from "effect"
import { resolve } from "node:path"
import { noProblem, readShipped } from "../platform/shipped-files.ts"

export const templatesDir = resolve(import.meta.dirname, "../../../../resources/workflow-templates")

/** A file: the list of operations is derived from the steps. */
const decode = Schema.decodeUnknownSync(WorkflowTemplate.mapFields(Struct.omit(["operations"])), {
  errors: "all",
  onExcessProperty: "error"
})

/**
 * By name.
 * @throws Error with the file's name if a file is not a valid template or an id occurs twice
 */
export const readWorkflowTemplates = (dir: string = templatesDir): ReadonlyArray<WorkflowTemplate> => {
  const templates = Array.from(readShipped(dir, "workflow template", templateOf), ([, template]) => template)
  if (new Set(templates.map(({ id }) => id)).size < templates.length) {
    throw new Error("two workflow templates share an id")
  }
  return templates.sort((one, other) => one.name < other.name ? -1 : 1)
}

let shipped: ReadonlyArray<WorkflowTemplate> | undefined
/** What `readWorkflowTemplates` returns, read and checked once in a process. */
export const shippedTemplates = () => shipped ??= readWorkflowTemplates()

const templateOf = (document: unknown): WorkflowTemplate => {
  const template = decode(document)
  noProblem([...definitionProblems(template.definition), ...exampleProblems(template)])
  const operations = template.definition.steps.flatMap((step) =>
    step.type === "service_call"
      ? [`${step.config.service}.${step.config.operation}`]
      : step.type === "webhook"
      ? ["webhook.send"]
      : []
  )
  return { ...template, operations: [...new Set(operations)].sort() }
}

const exampleProblems = ({ definition, example_input }: Pick<WorkflowTemplate, "definition" | "example_input">) => {
  const compiled = compileSchema(definition.input_schema ?? {})
  return Result.isSuccess(compiled) ? compiled.success.validate(example_input, "example_input") : compiled.failure
}

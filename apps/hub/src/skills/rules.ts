/** Skills that bindings and grants give an agent. Pure. Spec: reference/skills.md "Skill". */
import { type BindingSettings, coversOperation } from "@countersign/domain/bindings"
import type { AgentId, WorkflowId } from "@countersign/domain/ids"
import type { OperationDefinition } from "@countersign/domain/services"
import type { Skill } from "@countersign/domain/skills"
import type { WorkflowDefinition } from "@countersign/domain/workflow-definition"

export interface BoundService {
  readonly name: string
  readonly enabled: boolean
  readonly operations: ReadonlyArray<Pick<OperationDefinition, "name" | "title" | "description" | "payload_schema">>
}

/** Runs the workflows that the agent is granted: each of them is a skill. */
const runsWorkflows = "workflow"

/** One for each operation of an enabled service that a binding covers, by id. */
export const serviceSkills = (
  agent: AgentId,
  bindings: ReadonlyArray<BindingSettings>,
  serviceOf: (name: string) => BoundService | undefined
): ReadonlyArray<Skill> =>
  bindings.flatMap((binding) => {
    const service = binding.service === runsWorkflows ? undefined : serviceOf(binding.service)
    if (service === undefined || !service.enabled) return []
    return service.operations.filter(({ name }) => coversOperation(binding, name)).map((
      { description, name, payload_schema, title }
    ): Skill => ({
      id: `${service.name}.${name}`,
      agent_id: agent,
      kind: "service",
      name: title ?? `${service.name}.${name}`,
      description: description ?? "",
      input_schema: payload_schema,
      call: { service: service.name, operation: name },
      source: "binding"
    }))
  }).sort((one, other) => one.id < other.id ? -1 : 1)

/** A workflow that the agent can run. */
export interface RunnableWorkflow {
  readonly id: WorkflowId
  readonly name: string
  readonly description: string
  readonly definition: Pick<WorkflowDefinition, "input_schema">
}

/** One for each granted workflow with a live version, by id. */
export const workflowSkills = (
  agent: AgentId,
  workflows: ReadonlyArray<RunnableWorkflow>
): ReadonlyArray<Skill> =>
  workflows.map(({ definition: { input_schema }, description, id, name }) => ({
    id,
    agent_id: agent,
    kind: "workflow",
    name,
    description,
    ...(input_schema === undefined ? {} : { input_schema }),
    call: { workflow_id: id },
    source: "grant"
  }))

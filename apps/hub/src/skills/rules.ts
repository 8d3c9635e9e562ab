/** Skills that bindings give an agent. Pure. Spec: reference/skills.md "Skill". */
import { type BindingSettings, coversOperation } from "@countersign/domain/bindings"
import type { AgentId } from "@countersign/domain/ids"
import type { OperationDefinition } from "@countersign/domain/services"
import type { Skill } from "@countersign/domain/skills"

export interface BoundService {
  readonly name: string
  readonly enabled: boolean
  readonly operations: ReadonlyArray<Pick<OperationDefinition, "name" | "title" | "description" | "payload_schema">>
}

/** One for each operation of an enabled service that a binding covers, by id. */
export const serviceSkills = (
  agent: AgentId,
  bindings: ReadonlyArray<BindingSettings>,
  serviceOf: (name: string) => BoundService | undefined
): ReadonlyArray<Skill> =>
  bindings.flatMap((binding) => {
    const service = serviceOf(binding.service)
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

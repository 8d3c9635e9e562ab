/** The operations that an agent is bound to, as tools. Pure. Spec: reference/mcp.md "Tools". */
import { coversOperation } from "@countersign/domain/bindings"
import type { OperationDefinition } from "@countersign/domain/services"
import type { Found } from "../dispatch/decision/configuration.ts"
import { toolNamesOf, type ToolTarget } from "./names.ts"
import { type ToolText, toolTextOf } from "./schemas.ts"

export interface BoundTool extends ToolText {
  readonly name: string
  readonly target: ToolTarget
  readonly definition: OperationDefinition
}

/** By name. `services`: only these. */
export const boundTools = (
  { agent, org }: Found,
  services?: ReadonlySet<string>
): ReadonlyArray<BoundTool> => {
  const names = toolNamesOf(org.services)
  const tools: Array<BoundTool> = []
  for (const [service, binding] of agent.bindings) {
    const known = org.services.get(service)
    if (known === undefined || !known.enabled || services?.has(service) === false) continue
    for (const [operation, { definition }] of known.operations) {
      const target = { service, operation }
      const name = names.nameOf(target)
      if (name === undefined || !coversOperation(binding, operation)) continue
      tools.push({ ...toolTextOf(service, definition), name, target, definition })
    }
  }
  return tools.sort((one, other) => one.name < other.name ? -1 : 1)
}

/** The tools whose name and description contain the most of the words, at most `max`. */
export const matchingTools = <T extends { readonly name: string; readonly description: string }>(
  tools: ReadonlyArray<T>,
  query: string,
  max: number
): ReadonlyArray<T> => {
  const words = query.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "").slice(0, 32)
  const scored = tools.map((tool) => {
    const name = tool.name.toLowerCase()
    const text = tool.description.toLowerCase()
    return {
      tool,
      score: words.reduce((sum, word) => sum + (name.includes(word) ? 2 : 0) + (text.includes(word) ? 1 : 0), 0)
    }
  })
  return scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score).slice(0, max)
    .map(({ tool }) => tool)
}

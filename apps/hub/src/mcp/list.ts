/** The tools of an agent: every operation that it is bound to, with its price. Pure. Spec: reference/mcp.md "Tools". */
import { coversOperation } from "@countersign/domain/bindings"
import type { Found } from "../dispatch/decision/configuration.ts"
import { toolNamesOf } from "../tools/names.ts"
import { toolTextOf } from "../tools/schemas.ts"
import { foundToolsMax, outputSchema, waitSecondsMax } from "./rules.ts"

export interface ListedTool {
  readonly [name: string]: unknown
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly [name: string]: unknown; readonly type: "object" }
}

export const waitTool: ListedTool = {
  name: "wait",
  title: "Wait for a request",
  description: "Waits until a request that is pending approval or running has ended, and returns it. Free of charge.",
  inputSchema: {
    type: "object",
    properties: {
      service_request_id: { type: "string", description: "From the answer of the call." },
      seconds: { type: "integer", minimum: 0, maximum: waitSecondsMax, description: `Default ${waitSecondsMax}.` }
    },
    required: ["service_request_id"],
    additionalProperties: false
  },
  outputSchema,
  annotations: { readOnlyHint: true }
}

const findTool: ListedTool = {
  name: "find_tools",
  title: "Find tools",
  description: "Finds tools by words. Call a tool that was found with call_tool. Free of charge.",
  inputSchema: {
    type: "object",
    properties: { query: { type: "string", description: "Words, such as: book flight" } },
    required: ["query"],
    additionalProperties: false
  },
  annotations: { readOnlyHint: true }
}

const callTool: ListedTool = {
  name: "call_tool",
  title: "Call a tool",
  description: "Calls a tool that find_tools returned. Its price is in the tool's description.",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string" }, arguments: { type: "object" } },
    required: ["name", "arguments"],
    additionalProperties: false
  },
  outputSchema
}

const operationsOf = ({ agent, org }: Found, services: ReadonlySet<string> | undefined): ReadonlyArray<ListedTool> => {
  const names = toolNamesOf(org.services)
  const tools: Array<ListedTool> = []
  for (const [service, binding] of agent.bindings) {
    const known = org.services.get(service)
    if (known === undefined || !known.enabled || services?.has(service) === false) continue
    for (const [operation, { definition }] of known.operations) {
      const name = names.nameOf({ service, operation })
      if (name === undefined || !coversOperation(binding, operation)) continue
      const { description, schema, title } = toolTextOf(service, definition)
      const isRead = "method" in definition && (definition.method === "GET" || definition.method === "HEAD")
      tools.push({
        name,
        title,
        description,
        inputSchema: schema,
        outputSchema,
        annotations: { title, ...isRead ? { readOnlyHint: true } : {} },
        _meta: { "countersign/operation": `${service}.${operation}`, "countersign/price": definition.price }
      })
    }
  }
  return tools.sort((one, other) => one.name < other.name ? -1 : 1)
}

/** What a connection lists: all tools, or with `search` the tools to find and call the others. */
export interface ToolView {
  /** The services to list; absent: all. */
  readonly services: ReadonlySet<string> | undefined
  readonly search: boolean
}

export const toolsOf = (found: Found, { search, services }: ToolView): ReadonlyArray<ListedTool> =>
  search ? [callTool, findTool, waitTool] : [...operationsOf(found, services), waitTool]

/** The tools whose name and description contain the most of the words. */
export const findTools = (
  found: Found,
  { services }: Pick<ToolView, "services">,
  query: string
): ReadonlyArray<ListedTool> => {
  const words = query.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "").slice(0, 32)
  const scored = operationsOf(found, services).map((tool) => {
    const name = tool.name.toLowerCase()
    const text = tool.description.toLowerCase()
    return {
      tool,
      score: words.reduce((sum, word) => sum + (name.includes(word) ? 2 : 0) + (text.includes(word) ? 1 : 0), 0)
    }
  })
  return scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score).slice(0, foundToolsMax)
    .map(({ tool }) => tool)
}

/** The tools of an agent: every operation that it is bound to, with its price. Pure. Spec: reference/mcp.md "Tools". */
import type { Found } from "../dispatch/decision/configuration.ts"
import { boundTools, matchingTools } from "../tools/bound.ts"
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

const operationsOf = (found: Found, services: ReadonlySet<string> | undefined): ReadonlyArray<ListedTool> =>
  boundTools(found, services).map(({ definition, description, name, schema, target, title }) => {
    const isRead = "method" in definition && (definition.method === "GET" || definition.method === "HEAD")
    return {
      name,
      title,
      description,
      inputSchema: schema,
      outputSchema,
      annotations: { title, ...isRead ? { readOnlyHint: true } : {} },
      _meta: { "countersign/operation": `${target.service}.${target.operation}`, "countersign/price": definition.price }
    }
  })

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
): ReadonlyArray<ListedTool> => matchingTools(operationsOf(found, services), query, foundToolsMax)

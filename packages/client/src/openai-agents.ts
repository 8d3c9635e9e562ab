/** Tools for OpenAI Agents (`@openai/agents`). Leave its own approval off: the hub decides. */
import { type FunctionTool, tool } from "@openai/agents"
import type { Countersign } from "./client.ts"
import { boundTools, type ToolOptions } from "./tools.ts"

export type { ToolOptions } from "./tools.ts"

interface Details {
  readonly toolCall?: { readonly callId: string }
}

/** `new Agent({ name, tools: await tools(client) })`: one tool for each operation that the agent is bound to. */
export const tools = async (client: Countersign, options?: ToolOptions): Promise<Array<FunctionTool>> =>
  (await boundTools(client, options)).map(({ call, description, inputSchema, name }) =>
    tool({
      name,
      description,
      parameters: { properties: {}, required: [], ...inputSchema, additionalProperties: true },
      strict: false,
      // The hub's refusals are results; a lost connection ends the run instead of reaching the model as text.
      errorFunction: null,
      execute: async (input: unknown, _context: unknown, details?: Details) =>
        JSON.stringify(await call(input, details?.toolCall?.callId ?? crypto.randomUUID()))
    })
  )

/** Tools for the AI SDK (`ai`). Leave the SDK's own approval off: the hub decides. */
import { jsonSchema, type ToolSet } from "ai"
import type { Countersign } from "./client.ts"
import { boundTools, type ToolOptions } from "./tools.ts"

export type { ToolOptions } from "./tools.ts"

interface Execution {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal
}

/** `generateText({ model, tools: await tools(client), … })`: one tool for each operation that the agent is bound to. */
export const tools = async (client: Countersign, options?: ToolOptions): Promise<ToolSet> =>
  Object.fromEntries(
    (await boundTools(client, options)).map(({ call, description, inputSchema, name }) => [name, {
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: (input: unknown, { abortSignal, toolCallId }: Execution) => call(input, toolCallId, abortSignal)
    }])
  )

/** The hub as an MCP server. */
import { Layer } from "effect"
import { McpCallers } from "./callers.ts"
import { McpCalls } from "./calls.ts"

export const services = Layer.mergeAll(McpCallers.layer, McpCalls.layer)

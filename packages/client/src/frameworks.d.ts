/**
 * What the adapters use of the frameworks, which are not installed here: their packages are large and only the adapters'
 * tests need them. `test/clients/adapters.test.ts` compiles and runs the adapters with the real ones.
 */
declare module "ai" {
  export type ToolSet = Record<string, unknown>
  export const jsonSchema: (schema: object) => unknown
}

declare module "@openai/agents" {
  export interface FunctionTool {
    readonly type: "function"
    readonly name: string
  }
  export const tool: (options: object) => FunctionTool
}

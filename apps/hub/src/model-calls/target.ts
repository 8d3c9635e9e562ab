/** The operation of every model call. */
export const modelTarget = { service: "llm", operation: "chat" } as const

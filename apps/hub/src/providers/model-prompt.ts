/** A model call in the hub's own form, which each wire writes in a provider's. Spec: reference/models.md "Model calls". */
import { isJsonObject } from "@countersign/domain/json"

export type JsonObject = Readonly<Record<string, unknown>>

export type PromptPart =
  | { readonly type: "text"; readonly text: string }
  /** `url`: https, or data with base64. */
  | { readonly type: "image"; readonly url: string }

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text as the model wrote it, which may be broken. */
  readonly arguments: string
}

/** Reasoning of an earlier answer. It is sent back unchanged to the wire and the model that it came from. */
export interface Reasoning {
  readonly wire: "openai" | "anthropic"
  readonly model: string
  readonly blocks: ReadonlyArray<unknown>
}

export type PromptMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly parts: ReadonlyArray<PromptPart> }
  | {
    readonly role: "assistant"
    readonly text: string
    readonly calls: ReadonlyArray<ToolCall>
    readonly reasoning?: Reasoning
  }
  | {
    readonly role: "tool"
    readonly call_id: string
    readonly parts: ReadonlyArray<PromptPart>
    readonly is_error?: boolean
  }

export interface PromptTool {
  readonly name: string
  readonly description?: string
  readonly parameters: JsonObject
}

export interface Prompt {
  readonly model: string
  readonly max_tokens: number
  readonly messages: ReadonlyArray<PromptMessage>
  readonly tools?: ReadonlyArray<PromptTool>
  readonly tool_choice?: "auto" | "none" | "required" | { readonly name: string }
  readonly parallel_tool_calls?: boolean
  readonly temperature?: number
  readonly top_p?: number
  readonly stop?: ReadonlyArray<string>
  readonly seed?: number
  /** In OpenAI's form. */
  readonly response_format?: JsonObject
  readonly reasoning?: { readonly effort?: string; readonly max_tokens?: number }
}

/** The answer's token limit when a plain payload sets none. */
export const maxTokensDefault = 1024
/** The tokens that a provider may count for an image. */
export const imageTokensMax = 6_000
/** The tokens that a provider may add for a message, and for the call. */
const messageTokensMax = 16
const callTokensMax = 64

const partTokens = (parts: ReadonlyArray<PromptPart>): number =>
  parts.reduce((sum, part) => sum + (part.type === "image" ? imageTokensMax : Buffer.byteLength(part.text)), 0)

const messageTokens = (message: PromptMessage): number => {
  switch (message.role) {
    case "system":
      return Buffer.byteLength(message.text)
    case "assistant":
      return Buffer.byteLength(message.text) +
        (message.calls.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(message.calls))) +
        (message.reasoning === undefined ? 0 : Buffer.byteLength(JSON.stringify(message.reasoning.blocks)))
    case "user":
    case "tool":
      return partTokens(message.parts)
  }
}

/** The most tokens that a provider can count as the input of a call: one for each byte, since no token is shorter. */
export const inputTokensMax = ({ messages, response_format, tools = [] }: Omit<Prompt, "max_tokens">): number =>
  callTokensMax + messages.reduce((sum, message) => sum + messageTokensMax + messageTokens(message), 0) +
  (tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tools)) + tools.length * messageTokensMax) +
  (response_format === undefined ? 0 : Buffer.byteLength(JSON.stringify(response_format)))

/** About the tokens of a text: four ASCII characters each, three bytes of anything else. */
export const estimatedTokens = (text: string): number => {
  const bytes = Buffer.from(text)
  let ascii = 0
  for (const byte of bytes) if (byte < 0x80) ascii++
  return Math.ceil(ascii / 4 + (bytes.length - ascii) / 3)
}

/** The messages of a plain `llm.chat` payload. */
export const promptOfPayload = (payload: JsonObject, maxTokensDefault: number): Prompt => {
  const number = (name: string) => {
    const value = payload[name]
    return typeof value === "number" ? { [name]: value } : {}
  }
  const { max_tokens, messages, model, response_format, stop } = payload
  return {
    model: String(model),
    max_tokens: typeof max_tokens === "number" ? max_tokens : maxTokensDefault,
    messages: (Array.isArray(messages) ? messages : []).flatMap((message: unknown): ReadonlyArray<PromptMessage> => {
      if (!isJsonObject(message) || typeof message["content"] !== "string") return []
      const text = message["content"]
      return message["role"] === "assistant"
        ? [{ role: "assistant", text, calls: [] }]
        : message["role"] === "user"
        ? [{ role: "user", parts: [{ type: "text", text }] }]
        : [{ role: "system", text }]
    }),
    ...number("temperature"),
    ...number("top_p"),
    ...number("seed"),
    ...typeof stop === "string" ? { stop: [stop] } : Array.isArray(stop) ? { stop: stop as ReadonlyArray<string> } : {},
    ...isJsonObject(response_format) ? { response_format } : {}
  }
}

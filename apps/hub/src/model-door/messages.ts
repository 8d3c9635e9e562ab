/** Anthropic's messages, as the model door reads and answers them. */
import { isJsonObject } from "@countersign/domain/json"
import type { Charge } from "../providers/llm/completion.ts"
import { known } from "../providers/llm/wire.ts"
import type { ModelAnswer } from "../providers/model-answer.ts"
import type { JsonObject, PromptMessage, PromptPart, PromptTool, ToolCall } from "../providers/model-prompt.ts"
import {
  countAt,
  type DoorCall,
  imageAt,
  listAt,
  messagesMax,
  modelAt,
  nameAt,
  numberAt,
  objectAt,
  optional,
  stopAt,
  textAt,
  toolsMax,
  wrong
} from "./body.ts"
import { type AnswerHead, costUsd, type Encoder, eventText, finishOf } from "./encoder.ts"

const blocksAt = (value: unknown, path: string): ReadonlyArray<JsonObject> =>
  typeof value === "string"
    ? [{ type: "text", text: value }]
    : listAt(value, path, messagesMax).map((block, at) => objectAt(block, `${path}.${at}`))

const partAt = (block: JsonObject, path: string): PromptPart | undefined => {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: textAt(block["text"], `${path}.text`) }
    case "image": {
      const { data, media_type, type, url } = objectAt(block["source"], `${path}.source`)
      return imageAt(type === "base64" ? `data:${String(media_type)};base64,${String(data)}` : url, `${path}.source`)
    }
    default:
      return undefined
  }
}

/** Results are separate messages, before what the person says beside them. */
const userAt = (value: unknown, path: string): ReadonlyArray<PromptMessage> => {
  const results: Array<PromptMessage> = []
  const parts: Array<PromptPart> = []
  for (const [at, block] of blocksAt(value, path).entries()) {
    const here = `${path}.${at}`
    if (block["type"] === "tool_result") {
      results.push({
        role: "tool",
        call_id: textAt(block["tool_use_id"], `${here}.tool_use_id`),
        parts: blocksAt(block["content"] ?? "", `${here}.content`).map((each, n) =>
          partAt(each, `${here}.content.${n}`) ?? { type: "text", text: JSON.stringify(each) }
        ),
        ...block["is_error"] === true ? { is_error: true } : {}
      })
      continue
    }
    parts.push(partAt(block, here) ?? wrong(`${here}.type`, "expected text, image, or tool_result"))
  }
  return [...results, ...parts.length === 0 ? [] : [{ role: "user", parts } as const]]
}

const assistantAt = (value: unknown, path: string, model: string): PromptMessage => {
  const texts: Array<string> = []
  const calls: Array<ToolCall> = []
  const reasoning: Array<JsonObject> = []
  for (const [at, block] of blocksAt(value, path).entries()) {
    switch (block["type"]) {
      case "text":
        texts.push(textAt(block["text"], `${path}.${at}.text`))
        break
      case "thinking":
      case "redacted_thinking":
        reasoning.push(block)
        break
      case "tool_use":
        calls.push({
          id: textAt(block["id"], `${path}.${at}.id`),
          name: nameAt(block["name"], `${path}.${at}.name`),
          arguments: JSON.stringify(block["input"] ?? {})
        })
        break
      default:
        wrong(`${path}.${at}.type`, "expected text, thinking, or tool_use")
    }
  }
  return {
    role: "assistant",
    text: texts.join("\n"),
    calls,
    ...reasoning.length === 0 ? {} : { reasoning: { wire: "anthropic", model, blocks: reasoning } }
  }
}

const messageAt = (value: unknown, path: string, model: string): ReadonlyArray<PromptMessage> => {
  const { content, role } = objectAt(value, path)
  return role === "user"
    ? userAt(content, `${path}.content`)
    : role === "assistant"
    ? [assistantAt(content, `${path}.content`, model)]
    : wrong(`${path}.role`, "expected user or assistant")
}

/** Tools of the provider's own are left out: the hub cannot govern them. */
const toolsAt = (value: unknown): ReadonlyArray<PromptTool> =>
  listAt(value, "tools", toolsMax).flatMap((each, at) => {
    const { description, input_schema, name, type } = objectAt(each, `tools.${at}`)
    if (type !== undefined && type !== "custom") return []
    return [{
      name: nameAt(name, `tools.${at}.name`),
      ...known({ description: optional(description, (text) => textAt(text, `tools.${at}.description`)) }),
      parameters: objectAt(input_schema, `tools.${at}.input_schema`)
    }]
  })

const choiceAt = (value: unknown) => {
  const { name, type } = objectAt(value, "tool_choice")
  if (type === "tool") return { name: nameAt(name, "tool_choice.name") }
  return type === "any" ? "required" as const : type === "none" ? "none" as const : "auto" as const
}

/** @throws Problem */
export const readMessages = (value: unknown): DoorCall => {
  const body = objectAt(value, "")
  const model = modelAt(body["model"])
  const messages = listAt(body["messages"], "messages", messagesMax)
  if (messages.length === 0) return wrong("messages", "expected at least one message")
  const system = optional(body["system"], (given) => blocksAt(given, "system")) ?? []
  const thinking = optional(body["thinking"], (given) => objectAt(given, "thinking"))
  const tools = optional(body["tools"], toolsAt)
  return {
    prompt: {
      model,
      messages: [
        ...system.map((block, at): PromptMessage => ({
          role: "system",
          text: textAt(block["text"], `system.${at}.text`)
        })),
        ...messages.flatMap((message, at) => messageAt(message, `messages.${at}`, model))
      ],
      ...known({
        max_tokens: optional(body["max_tokens"], countAt("max_tokens")),
        temperature: optional(body["temperature"], numberAt("temperature", 0, 1)),
        top_p: optional(body["top_p"], numberAt("top_p", 0, 1)),
        stop: optional(body["stop_sequences"], stopAt("stop_sequences")),
        tools,
        tool_choice: tools === undefined ? undefined : optional(body["tool_choice"], choiceAt),
        parallel_tool_calls:
          isJsonObject(body["tool_choice"]) && body["tool_choice"]["disable_parallel_tool_use"] === true
            ? false
            : undefined,
        reasoning: thinking?.["type"] === "enabled"
          ? { max_tokens: countAt("thinking.budget_tokens")(thinking["budget_tokens"]) }
          : undefined
      })
    },
    stream: body["stream"] === true,
    includeUsage: true
  }
}

const stopReasons = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal"
} as const

const usageOf = (charge: Charge, requestId: string) => {
  const { cached, input, output, written } = charge.counts
  return {
    input_tokens: Math.max(0, input - cached - written),
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens: output,
    cost: costUsd(charge),
    service_request_id: requestId
  }
}

/** Broken arguments are shown unchanged, in a separate member. */
const inputOf = (text: string): unknown => {
  try {
    return JSON.parse(text === "" ? "{}" : text) as unknown
  } catch {
    return { invalid_json: text }
  }
}

const signedThinking = (answer: ModelAnswer): ReadonlyArray<JsonObject> => {
  const blocks = answer.reasoning.filter(({ type }) => type === "thinking" || type === "redacted_thinking")
  return blocks.length > 0 || answer.thinking === ""
    ? blocks
    : [{ type: "thinking", thinking: answer.thinking, signature: "" }]
}

export const messagesEncoder = ({ model, requestId }: AnswerHead): Encoder => {
  const id = `msg_${requestId.slice(4)}`
  const message = { id, type: "message", role: "assistant", model }
  let index = -1
  let open: "thinking" | "text" | "call" | undefined
  /** The blocks of calls, which a provider may write by turns. */
  const callBlocks = new Map<number, number>()
  const close = (): string => {
    if (open === undefined) return ""
    open = undefined
    return eventText("content_block_stop", { index })
  }
  const start = (kind: NonNullable<typeof open>, block: object): string => {
    const closed = close()
    open = kind
    index++
    return closed + eventText("content_block_start", { index, content_block: block })
  }
  const delta = (given: object): string => eventText("content_block_delta", { index, delta: given })
  return {
    begin: () =>
      eventText("message_start", {
        message: {
          ...message,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 0 }
        }
      }),
    event: (event) => {
      switch (event.type) {
        case "text":
          return (open === "text" ? "" : start("text", { type: "text", text: "" })) +
            delta({ type: "text_delta", text: event.delta })
        case "thinking":
          return (open === "thinking" ? "" : start("thinking", { type: "thinking", thinking: "", signature: "" })) +
            delta({ type: "thinking_delta", thinking: event.delta })
        case "reasoning":
          if (event.block["type"] === "redacted_thinking") return start("thinking", event.block) + close()
          return event.block["type"] === "thinking" && open === "thinking"
            ? delta({ type: "signature_delta", signature: event.block["signature"] ?? "" }) + close()
            : ""
        case "call": {
          const text = start("call", { type: "tool_use", id: event.id, name: event.name, input: {} })
          callBlocks.set(event.index, index)
          return text
        }
        case "arguments":
          return eventText("content_block_delta", {
            index: callBlocks.get(event.index) ?? index,
            delta: { type: "input_json_delta", partial_json: event.delta }
          })
        default:
          return ""
      }
    },
    end: (answer, charge) =>
      close() + eventText("message_delta", {
        delta: { stop_reason: stopReasons[finishOf(answer, charge)], stop_sequence: null },
        usage: usageOf(charge, requestId)
      }) + eventText("message_stop", {}),
    failed: (text, code) => eventText("error", { error: { type: "api_error", message: text, code } }),
    whole: (answer, charge) => ({
      ...message,
      content: [
        ...signedThinking(answer),
        ...answer.text === "" ? [] : [{ type: "text", text: answer.text }],
        ...answer.calls.map(({ arguments: text, id, name }) => ({ type: "tool_use", id, name, input: inputOf(text) }))
      ],
      stop_reason: stopReasons[finishOf(answer, charge)],
      stop_sequence: null,
      usage: usageOf(charge, requestId),
      ...charge.truncated ? { truncated: true } : {}
    })
  }
}

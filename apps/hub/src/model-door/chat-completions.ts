/** OpenAI's chat completions, as the model door reads and answers them. */
import { isJsonObject } from "@countersign/domain/json"
import { usageOf } from "../providers/llm/completion.ts"
import { known } from "../providers/llm/wire.ts"
import type { JsonObject, PromptMessage, PromptPart, PromptTool, Reasoning } from "../providers/model-prompt.ts"
import {
  contentOf,
  countAt,
  type DoorCall,
  effortAt,
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
import { type AnswerHead, costUsd, dataText, type Encoder, finishOf } from "./encoder.ts"

const partAt = (value: unknown, path: string): PromptPart => {
  const part = objectAt(value, path)
  switch (part["type"]) {
    case "text":
    case "input_text":
    case "refusal":
      return { type: "text", text: textAt(part["text"] ?? part["refusal"], `${path}.text`) }
    case "image_url": {
      const image = part["image_url"]
      return imageAt(isJsonObject(image) ? image["url"] : image, `${path}.image_url.url`)
    }
    default:
      return wrong(`${path}.type`, "expected text or image_url")
  }
}

const partsAt = contentOf(partAt)

const joinedAt = (value: unknown, path: string): string =>
  value === undefined || value === null
    ? ""
    : partsAt(value, path).map((part) => part.type === "text" ? part.text : "").join("\n")

const reasoningOf = (message: JsonObject, model: string): { readonly reasoning?: Reasoning } => {
  const blocks = ["reasoning_content", "reasoning_details"].flatMap((name) =>
    message[name] === undefined || message[name] === null ? [] : [{ [name]: message[name] }]
  )
  return blocks.length === 0 ? {} : { reasoning: { wire: "openai", model, blocks } }
}

const messageAt = (value: unknown, path: string, model: string): PromptMessage => {
  const message = objectAt(value, path)
  const { content } = message
  switch (message["role"]) {
    case "system":
    case "developer":
      return { role: "system", text: joinedAt(content, `${path}.content`) }
    case "user":
      return { role: "user", parts: partsAt(content, `${path}.content`) }
    case "assistant":
      return {
        role: "assistant",
        text: joinedAt(content, `${path}.content`),
        calls: (optional(message["tool_calls"], (calls) => listAt(calls, `${path}.tool_calls`, toolsMax)) ?? []).map(
          (call, at) => {
            const at_ = `${path}.tool_calls.${at}`
            const { function: called, id } = objectAt(call, at_)
            const { arguments: text, name } = objectAt(called, `${at_}.function`)
            return {
              id: textAt(id, `${at_}.id`),
              name: nameAt(name, `${at_}.function.name`),
              arguments: textAt(text ?? "", `${at_}.function.arguments`)
            }
          }
        ),
        ...reasoningOf(message, model)
      }
    case "tool":
      return {
        role: "tool",
        call_id: textAt(message["tool_call_id"], `${path}.tool_call_id`),
        parts: partsAt(content ?? "", `${path}.content`)
      }
    default:
      return wrong(`${path}.role`, "expected system, developer, user, assistant, or tool")
  }
}

const toolAt = (value: unknown, path: string): PromptTool => {
  const tool = objectAt(value, path)
  if (tool["type"] !== "function") return wrong(`${path}.type`, "expected function")
  const { description, name, parameters } = objectAt(tool["function"], `${path}.function`)
  return {
    name: nameAt(name, `${path}.function.name`),
    ...known({ description: optional(description, (text) => textAt(text, `${path}.function.description`)) }),
    parameters: optional(parameters, (schema) => objectAt(schema, `${path}.function.parameters`)) ??
      { type: "object", properties: {} }
  }
}

export const choiceAt = (value: unknown) => {
  if (value === "auto" || value === "none" || value === "required") return value
  const choice = objectAt(value, "tool_choice")
  const named = isJsonObject(choice["function"]) ? choice["function"]["name"] : choice["name"]
  return { name: nameAt(named, "tool_choice.function.name") }
}

/** @throws Problem */
export const readChatCompletion = (value: unknown): DoorCall => {
  const body = objectAt(value, "")
  const model = modelAt(body["model"])
  const messages = listAt(body["messages"], "messages", messagesMax)
  if (messages.length === 0) return wrong("messages", "expected at least one message")
  if (body["n"] !== undefined && body["n"] !== null && body["n"] !== 1) return wrong("n", "only 1 is supported")
  const tools = optional(body["tools"], (list) => listAt(list, "tools", toolsMax))
  const reasoning = optional(body["reasoning"], (given) => objectAt(given, "reasoning"))
  const effort = optional(body["reasoning_effort"] ?? reasoning?.["effort"], effortAt("reasoning_effort"))
  const budget = optional(reasoning?.["max_tokens"], countAt("reasoning.max_tokens"))
  const options = optional(body["stream_options"], (given) => objectAt(given, "stream_options"))
  return {
    prompt: {
      model,
      messages: messages.map((message, at) => messageAt(message, `messages.${at}`, model)),
      ...known({
        max_tokens: optional(body["max_completion_tokens"] ?? body["max_tokens"], countAt("max_tokens")),
        temperature: optional(body["temperature"], numberAt("temperature", 0, 2)),
        top_p: optional(body["top_p"], numberAt("top_p", 0, 1)),
        seed: optional(body["seed"], numberAt("seed", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
        stop: optional(body["stop"], stopAt("stop")),
        response_format: optional(body["response_format"], (given) => objectAt(given, "response_format")),
        parallel_tool_calls: optional(body["parallel_tool_calls"], (given) => given === true),
        tools: tools?.map((tool, at) => toolAt(tool, `tools.${at}`)),
        tool_choice: tools === undefined ? undefined : optional(body["tool_choice"], choiceAt)
      }),
      ...effort === undefined && budget === undefined
        ? {}
        : { reasoning: known({ effort, max_tokens: budget }) }
    },
    stream: body["stream"] === true,
    includeUsage: options?.["include_usage"] === true
  }
}

export const chatCompletionEncoder = ({ created, includeUsage, model, requestId }: AnswerHead): Encoder => {
  const id = `chatcmpl-${requestId.slice(4)}`
  const chunk = (choices: ReadonlyArray<object>, more: object = {}) =>
    dataText({ id, object: "chat.completion.chunk", created, model, choices, ...more })
  const delta = (members: object) => chunk([{ index: 0, delta: members, finish_reason: null }])
  const usage = (charge: Parameters<Encoder["end"]>[1]) => ({
    ...usageOf(charge.counts),
    cost: costUsd(charge),
    service_request_id: requestId
  })
  return {
    begin: () => delta({ role: "assistant", content: "" }),
    event: (event) => {
      switch (event.type) {
        case "text":
          return delta({ content: event.delta })
        case "thinking":
          return delta({ reasoning_content: event.delta })
        case "reasoning":
          return delta({ reasoning_details: [event.block] })
        case "call":
          return delta({
            tool_calls: [{
              index: event.index,
              id: event.id,
              type: "function",
              function: { name: event.name, arguments: "" }
            }]
          })
        case "arguments":
          return delta({ tool_calls: [{ index: event.index, function: { arguments: event.delta } }] })
        default:
          return ""
      }
    },
    end: (answer, charge) => {
      const last = { index: 0, delta: {}, finish_reason: finishOf(answer, charge) }
      return (includeUsage
        ? chunk([last]) + chunk([], { usage: usage(charge) })
        : chunk([last], { usage: usage(charge) })) + "data: [DONE]\n\n"
    },
    failed: (message, code) => dataText({ error: { message, type: "api_error", code } }),
    whole: (answer, charge) => ({
      id,
      object: "chat.completion",
      created,
      model,
      choices: [{
        index: 0,
        message: {
          role: "assistant",
          content: answer.text === "" && answer.calls.length > 0 ? null : answer.text,
          refusal: null,
          ...answer.thinking === "" ? {} : { reasoning_content: answer.thinking },
          ...answer.reasoning.length === 0 ? {} : { reasoning_details: answer.reasoning },
          ...answer.calls.length === 0 ? {} : {
            tool_calls: answer.calls.map(({ arguments: text, id, name }) => ({
              id,
              type: "function",
              function: { name, arguments: text }
            }))
          }
        },
        logprobs: null,
        finish_reason: finishOf(answer, charge)
      }],
      usage: usage(charge),
      ...charge.truncated ? { truncated: true } : {}
    })
  }
}

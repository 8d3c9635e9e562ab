/** OpenAI's responses, without stored state and with functions only, as the model door reads and answers them. */
import { isJsonObject } from "@countersign/domain/json"
import type { Charge } from "../providers/llm/completion.ts"
import { known } from "../providers/llm/wire.ts"
import type { ModelAnswer } from "../providers/model-answer.ts"
import type {
  JsonObject,
  PromptMessage,
  PromptPart,
  PromptTool,
  Reasoning,
  ToolCall
} from "../providers/model-prompt.ts"
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
  textAt,
  toolsMax,
  wrong
} from "./body.ts"
import { choiceAt } from "./chat-completions.ts"
import { type AnswerHead, costUsd, type Encoder, finishOf } from "./encoder.ts"

const partAt = (value: unknown, path: string): PromptPart => {
  const part = objectAt(value, path)
  switch (part["type"]) {
    case "input_text":
    case "output_text":
    case "text":
    case "summary_text":
      return { type: "text", text: textAt(part["text"], `${path}.text`) }
    case "refusal":
      return { type: "text", text: textAt(part["refusal"], `${path}.refusal`) }
    case "input_image":
      return imageAt(part["image_url"], `${path}.image_url`)
    default:
      return wrong(`${path}.type`, "expected input_text, output_text, or input_image")
  }
}

const partsAt = contentOf(partAt)

const joined = (parts: ReadonlyArray<PromptPart>): string =>
  parts.map((part) => part.type === "text" ? part.text : "").join("\n")

/** The reasoning of an answer travels with its caller, as text that only this door reads. */
const sealed = (reasoning: Reasoning): string => Buffer.from(JSON.stringify(reasoning)).toString("base64")

const unsealed = (text: unknown): Reasoning | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(String(text), "base64").toString())
    if (!isJsonObject(value)) return undefined
    const { blocks, model, wire } = value
    return (wire === "openai" || wire === "anthropic") && typeof model === "string" && Array.isArray(blocks)
      ? { wire, model, blocks }
      : undefined
  } catch {
    return undefined
  }
}

interface OpenAssistant {
  readonly role: "assistant"
  text: string
  readonly calls: Array<ToolCall>
  reasoning?: Reasoning
}

/** Items of one answer (reasoning, text, calls) follow each other and become one message. */
const messagesAt = (items: ReadonlyArray<unknown>): ReadonlyArray<PromptMessage> => {
  const messages: Array<PromptMessage | OpenAssistant> = []
  const assistant = (): OpenAssistant => {
    const last = messages.at(-1)
    if (last?.role === "assistant") return last as OpenAssistant
    const made: OpenAssistant = { role: "assistant", text: "", calls: [] }
    messages.push(made)
    return made
  }
  for (const [at, value] of items.entries()) {
    const path = `input.${at}`
    const item = objectAt(value, path)
    switch (item["type"] ?? "message") {
      case "message": {
        const parts = partsAt(item["content"], `${path}.content`)
        switch (item["role"]) {
          case "system":
          case "developer":
            messages.push({ role: "system", text: joined(parts) })
            break
          case "user":
            messages.push({ role: "user", parts })
            break
          case "assistant": {
            const open = assistant()
            open.text = open.text === "" ? joined(parts) : `${open.text}\n${joined(parts)}`
            break
          }
          default:
            wrong(`${path}.role`, "expected system, developer, user, or assistant")
        }
        break
      }
      case "function_call":
        assistant().calls.push({
          id: textAt(item["call_id"], `${path}.call_id`),
          name: nameAt(item["name"], `${path}.name`),
          arguments: textAt(item["arguments"] ?? "", `${path}.arguments`)
        })
        break
      case "function_call_output":
        messages.push({
          role: "tool",
          call_id: textAt(item["call_id"], `${path}.call_id`),
          parts: partsAt(item["output"], `${path}.output`)
        })
        break
      case "reasoning": {
        const reasoning = unsealed(item["encrypted_content"])
        if (reasoning !== undefined) assistant().reasoning = reasoning
        break
      }
      case "item_reference":
        wrong(path, "the hub stores no responses: send the item itself")
    }
  }
  return messages
}

/** Tools that are no functions are left out: the hub cannot govern them. */
const toolsAt = (value: unknown): ReadonlyArray<PromptTool> =>
  listAt(value, "tools", toolsMax).flatMap((each, at) => {
    const { description, name, parameters, type } = objectAt(each, `tools.${at}`)
    if (type !== "function") return []
    return [{
      name: nameAt(name, `tools.${at}.name`),
      ...known({ description: optional(description, (text) => textAt(text, `tools.${at}.description`)) }),
      parameters: optional(parameters, (schema) => objectAt(schema, `tools.${at}.parameters`)) ??
        { type: "object", properties: {} }
    }]
  })

const formatAt = (value: unknown): JsonObject | undefined => {
  const { name, schema, strict, type } = objectAt(value, "text.format")
  if (type !== "json_schema") return type === "json_object" ? { type } : undefined
  return { type, json_schema: known({ name, schema, strict }) }
}

/** @throws Problem */
export const readResponse = (value: unknown): DoorCall => {
  const body = objectAt(value, "")
  const model = modelAt(body["model"])
  if (typeof body["previous_response_id"] === "string") {
    return wrong("previous_response_id", "the hub stores no responses: send the whole conversation as input")
  }
  if (body["background"] === true) return wrong("background", "responses in the background are not supported")
  const { input } = body
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listAt(input, "input", messagesMax)
  if (items.length === 0) return wrong("input", "expected at least one item")
  const instructions = optional(body["instructions"], (text) => textAt(text, "instructions"))
  const tools = optional(body["tools"], toolsAt)
  const text = optional(body["text"], (given) => objectAt(given, "text"))
  const effort = optional(
    optional(body["reasoning"], (given) => objectAt(given, "reasoning"))?.["effort"],
    effortAt("reasoning.effort")
  )
  return {
    prompt: {
      model,
      messages: [
        ...instructions === undefined ? [] : [{ role: "system", text: instructions } as const],
        ...messagesAt(items)
      ],
      ...known({
        max_tokens: optional(body["max_output_tokens"], countAt("max_output_tokens")),
        temperature: optional(body["temperature"], numberAt("temperature", 0, 2)),
        top_p: optional(body["top_p"], numberAt("top_p", 0, 1)),
        response_format: optional(text?.["format"], formatAt),
        parallel_tool_calls: optional(body["parallel_tool_calls"], (given) => given === true),
        tools,
        tool_choice: tools === undefined ? undefined : optional(body["tool_choice"], choiceAt),
        reasoning: effort === undefined ? undefined : { effort }
      })
    },
    stream: body["stream"] === true,
    includeUsage: true
  }
}

const usageOf = (charge: Charge, requestId: string) => {
  const { cached, input, output } = charge.counts
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
    cost: costUsd(charge),
    service_request_id: requestId
  }
}

type Item = JsonObject & { readonly id: string; readonly type: string }

const reasoningItem = (id: string, answer: Pick<ModelAnswer, "thinking" | "reasoning">, model: string): Item => ({
  id,
  type: "reasoning",
  summary: answer.thinking === "" ? [] : [{ type: "summary_text", text: answer.thinking }],
  ...answer.reasoning.length === 0 ? {} : {
    encrypted_content: sealed({
      wire: answer.reasoning.some(({ signature, type }) => signature !== undefined || type === "redacted_thinking") &&
          answer.reasoning.every(({ type }) => type === "thinking" || type === "redacted_thinking")
        ? "anthropic"
        : "openai",
      model,
      blocks: answer.reasoning.every(({ type }) => type === "thinking" || type === "redacted_thinking")
        ? answer.reasoning
        : [{ reasoning_details: answer.reasoning }]
    })
  }
})

const messageItem = (id: string, text: string, status = "completed"): Item => ({
  id,
  type: "message",
  role: "assistant",
  status,
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }]
})

const callItem = (id: string, call: ToolCall, status = "completed"): Item => ({
  id,
  type: "function_call",
  status,
  call_id: call.id,
  name: call.name,
  arguments: call.arguments
})

export const responseEncoder = ({ created, model, requestId }: AnswerHead): Encoder => {
  const suffix = requestId.slice(4)
  const response = (status: string, output: ReadonlyArray<object>, more: object = {}) => ({
    id: `resp_${suffix}`,
    object: "response",
    created_at: created,
    status,
    model,
    output,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    store: false,
    usage: null,
    ...more
  })
  let sequence = 0
  const send = (type: string, data: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`

  /** The items of the stream in order; each is built up from events. */
  const items: Array<{
    readonly id: string
    readonly kind: "reasoning" | "message" | "call"
    text: string
    readonly blocks: Array<JsonObject>
    readonly call?: ToolCall
    isDone: boolean
  }> = []
  const callItems = new Map<number, number>()
  const itemOf = (at: number): Item => {
    const { blocks, call, id, kind, text } = items[at]!
    return kind === "call"
      ? callItem(id, { ...call!, arguments: text })
      : kind === "message"
      ? messageItem(id, text)
      : reasoningItem(id, { thinking: text, reasoning: blocks }, model)
  }
  const done = (at: number): string => {
    const item = items[at]
    if (item === undefined || item.isDone) return ""
    item.isDone = true
    const place = { item_id: item.id, output_index: at }
    const whole = itemOf(at)
    const parts = item.kind === "message"
      ? send("response.output_text.done", { ...place, content_index: 0, text: item.text, logprobs: [] }) +
        send("response.content_part.done", {
          ...place,
          content_index: 0,
          part: { type: "output_text", text: item.text, annotations: [], logprobs: [] }
        })
      : item.kind === "call"
      ? send("response.function_call_arguments.done", { ...place, name: item.call?.name, arguments: item.text })
      : item.text === ""
      ? ""
      : send("response.reasoning_summary_text.done", { ...place, summary_index: 0, text: item.text }) +
        send("response.reasoning_summary_part.done", {
          ...place,
          summary_index: 0,
          part: { type: "summary_text", text: item.text }
        })
    return parts + send("response.output_item.done", { output_index: at, item: whole })
  }
  const allDone = (): string => items.map((_, at) => done(at)).join("")
  const start = (kind: "reasoning" | "message" | "call", call?: ToolCall): string => {
    // Calls may be written by turns, so they stay open until something else begins.
    const before = kind === "call" ? items.map((item, at) => item.kind === "call" ? "" : done(at)).join("") : allDone()
    const at = items.length
    const id = `${kind === "call" ? "fc" : kind === "message" ? "msg" : "rs"}_${suffix}_${at}`
    items.push({ id, kind, text: "", blocks: [], isDone: false, ...call === undefined ? {} : { call } })
    const item = kind === "call"
      ? callItem(id, { ...call!, arguments: "" }, "in_progress")
      : kind === "message"
      ? { ...messageItem(id, "", "in_progress"), content: [] }
      : reasoningItem(id, { thinking: "", reasoning: [] }, model)
    const added = send("response.output_item.added", { output_index: at, item })
    const place = { item_id: id, output_index: at }
    return before + added + (kind === "message"
      ? send("response.content_part.added", {
        ...place,
        content_index: 0,
        part: { type: "output_text", text: "", annotations: [], logprobs: [] }
      })
      : kind === "reasoning"
      ? send("response.reasoning_summary_part.added", {
        ...place,
        summary_index: 0,
        part: { type: "summary_text", text: "" }
      })
      : "")
  }
  const openOf = (kind: "reasoning" | "message"): string => {
    const last = items.at(-1)
    return last?.kind === kind && !last.isDone ? "" : start(kind)
  }
  const grow = (at: number, type: string, delta: string, more: object): string => {
    const item = items[at]!
    item.text += delta
    return send(type, { item_id: item.id, output_index: at, ...more, delta })
  }
  const ended = (output: ReadonlyArray<object>, answer: ModelAnswer, charge: Charge) => {
    const isCut = finishOf(answer, charge) === "length"
    return response(isCut ? "incomplete" : "completed", output, {
      usage: usageOf(charge, requestId),
      ...isCut ? { incomplete_details: { reason: "max_output_tokens" } } : {}
    })
  }

  return {
    begin: () =>
      send("response.created", { response: response("in_progress", []) }) +
      send("response.in_progress", { response: response("in_progress", []) }),
    event: (event) => {
      switch (event.type) {
        case "text":
          return openOf("message") +
            grow(items.length - 1, "response.output_text.delta", event.delta, { content_index: 0, logprobs: [] })
        case "thinking":
          return openOf("reasoning") +
            grow(items.length - 1, "response.reasoning_summary_text.delta", event.delta, { summary_index: 0 })
        case "reasoning": {
          const opened = openOf("reasoning")
          items.at(-1)!.blocks.push(event.block)
          return opened
        }
        case "call": {
          const text = start("call", { id: event.id, name: event.name, arguments: "" })
          callItems.set(event.index, items.length - 1)
          return text
        }
        case "arguments":
          return grow(
            callItems.get(event.index) ?? items.length - 1,
            "response.function_call_arguments.delta",
            event.delta,
            {}
          )
        default:
          return ""
      }
    },
    end: (answer, charge) => {
      const closed = allDone()
      const whole = ended(items.map((_, at) => itemOf(at)), answer, charge)
      return closed +
        send(whole.status === "incomplete" ? "response.incomplete" : "response.completed", { response: whole })
    },
    failed: (message, code) =>
      send("response.failed", { response: response("failed", [], { error: { code, message } }) }),
    whole: (answer, charge) =>
      ended(
        [
          ...answer.thinking === "" && answer.reasoning.length === 0
            ? []
            : [reasoningItem(`rs_${suffix}_0`, answer, model)],
          ...answer.text === "" && answer.calls.length > 0 ? [] : [messageItem(`msg_${suffix}_1`, answer.text)],
          ...answer.calls.map((call, at) => callItem(`fc_${suffix}_${at + 2}`, call))
        ],
        answer,
        charge
      )
  }
}

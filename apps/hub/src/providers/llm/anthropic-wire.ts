/** Anthropic's messages. */
import type { ModelEvent, PartialCounts } from "../model-answer.ts"
import type { JsonObject, Prompt, PromptMessage, PromptPart } from "../model-prompt.ts"
import {
  countOf,
  finishReasons,
  known,
  listOf,
  objectOf,
  type StreamError,
  type StreamReader,
  textOf,
  type Wire
} from "./wire.ts"

export const anthropicVersion = "2023-06-01"

const cacheControl = { cache_control: { type: "ephemeral" } }

const partOf = (part: PromptPart): JsonObject => {
  if (part.type === "text") return part
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/su.exec(part.url) ?? []
  return {
    type: "image",
    source: data === undefined ? { type: "url", url: part.url } : { type: "base64", media_type: mediaType, data }
  }
}

/** An empty text block is refused by the provider. */
const partsOf = (parts: ReadonlyArray<PromptPart>): ReadonlyArray<JsonObject> =>
  parts.filter((part) => part.type === "image" || part.text !== "").map(partOf)

/** Broken arguments of an earlier call are shown to the model as text. */
const inputOf = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value as JsonObject : { value }
  } catch {
    return { invalid_json: text }
  }
}

const blocksOf = (message: PromptMessage, model: string): ReadonlyArray<JsonObject> => {
  switch (message.role) {
    case "system":
      return [{ type: "text", text: message.text }]
    case "user":
      return partsOf(message.parts)
    case "tool":
      return [{
        type: "tool_result",
        tool_use_id: message.call_id,
        content: partsOf(message.parts),
        ...message.is_error === true ? { is_error: true } : {}
      }]
    case "assistant":
      return [
        ...message.reasoning?.wire === "anthropic" && message.reasoning.model === model
          ? message.reasoning.blocks.map(objectOf)
          : [],
        ...message.text === "" ? [] : [{ type: "text", text: message.text }],
        ...message.calls.map(({ arguments: text, id, name }) => ({ type: "tool_use", id, name, input: inputOf(text) }))
      ]
  }
}

/** Messages of one side that follow each other are one message; a system message after the first is the user's. */
const messagesOf = ({ messages, model }: Prompt): ReadonlyArray<JsonObject> => {
  const turns: Array<{ readonly role: "user" | "assistant"; readonly content: Array<JsonObject> }> = []
  const first = messages.findIndex(({ role }) => role !== "system")
  for (const message of first < 0 ? [] : messages.slice(first)) {
    const role = message.role === "assistant" ? "assistant" : "user"
    const blocks = blocksOf(message, model)
    if (blocks.length === 0) continue
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else turns.push({ role, content: [...blocks] })
  }
  // The provider's cache keeps everything up to the mark for the next call of this conversation.
  const end = turns.at(-1)?.content
  const block = end?.at(-1)
  if (
    end !== undefined && block !== undefined && block["type"] !== "thinking" && block["type"] !== "redacted_thinking"
  ) {
    end[end.length - 1] = { ...block, ...cacheControl }
  }
  return turns
}

const thinkingBudgets: Readonly<Record<string, number>> = { minimal: 1_024, low: 2_048, medium: 8_192, high: 24_576 }
const budgetMin = 1_024

/** Thinking needs a budget below the limit of the answer. */
const thinkingOf = ({ max_tokens, reasoning }: Prompt): JsonObject => {
  const wanted = reasoning?.max_tokens ?? thinkingBudgets[reasoning?.effort ?? ""]
  if (wanted === undefined || max_tokens <= budgetMin) return {}
  return { thinking: { type: "enabled", budget_tokens: Math.max(budgetMin, Math.min(wanted, max_tokens - 1)) } }
}

const choiceOf = ({ parallel_tool_calls: parallel, tool_choice: choice }: Prompt): JsonObject => {
  const more = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (choice === undefined) return parallel === false ? { tool_choice: { type: "auto", ...more } } : {}
  if (typeof choice !== "string") return { tool_choice: { type: "tool", name: choice.name, ...more } }
  return {
    tool_choice: choice === "none" ? { type: "none" } : { type: choice === "required" ? "any" : "auto", ...more }
  }
}

const bodyOf = (prompt: Prompt): JsonObject => {
  const first = prompt.messages.findIndex(({ role }) => role !== "system")
  const system = prompt.messages.slice(0, first < 0 ? prompt.messages.length : first).flatMap((message) =>
    message.role === "system" && message.text !== "" ? [message.text] : []
  )
  const thinking = thinkingOf(prompt)
  return {
    model: prompt.model,
    max_tokens: prompt.max_tokens,
    ...system.length === 0 ? {} : { system: [{ type: "text", text: system.join("\n\n"), ...cacheControl }] },
    messages: messagesOf(prompt),
    ...known({
      // The provider refuses both with thinking.
      temperature: "thinking" in thinking ? undefined : prompt.temperature,
      top_p: "thinking" in thinking ? undefined : prompt.top_p,
      stop_sequences: prompt.stop
    }),
    ...thinking,
    ...prompt.tools === undefined || prompt.tools.length === 0 ? {} : {
      tools: prompt.tools.map(({ description, name, parameters }) => ({
        name,
        ...known({ description }),
        input_schema: { type: "object", ...parameters }
      })),
      ...choiceOf(prompt)
    },
    stream: true
  }
}

/** All input is what was not cached, what was read, and what was written. */
const countsOf = (usage: JsonObject): PartialCounts => {
  const fresh = countOf(usage["input_tokens"])
  const cached = countOf(usage["cache_read_input_tokens"])
  const creation = objectOf(usage["cache_creation"])
  const hour = countOf(creation["ephemeral_1h_input_tokens"])
  const minutes = countOf(creation["ephemeral_5m_input_tokens"])
  const written = countOf(usage["cache_creation_input_tokens"]) ??
    (hour === undefined && minutes === undefined ? undefined : (hour ?? 0) + (minutes ?? 0))
  return known({
    input: fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0),
    cached,
    written,
    writtenHour: hour,
    output: countOf(usage["output_tokens"])
  })
}

const errorStatuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529
}

const errorOf = (value: unknown): StreamError => {
  const error = objectOf(value)
  const status = errorStatuses[textOf(error["type"])]
  return {
    detail: textOf(error["message"]) || textOf(error["type"]) || "The provider reported an error.",
    ...status === undefined ? {} : { status }
  }
}

type Block =
  | { readonly kind: "call"; readonly index: number; hasArguments: boolean }
  | { readonly kind: "thinking"; text: string; signature: string }
  | { readonly kind: "text" }

const reader = (): StreamReader => {
  let isWhole = false
  let calls = 0
  /** A later message repeats only some of the counts. */
  let reported: JsonObject = {}
  const blocks = new Map<unknown, Block>()

  const start = (at: unknown, block: JsonObject, emit: (event: ModelEvent) => void): void => {
    switch (block["type"]) {
      case "tool_use": {
        const index = calls++
        const id = textOf(block["id"])
        blocks.set(at, { kind: "call", index, hasArguments: false })
        emit({ type: "call", index, id: id === "" ? `call_${index}` : id, name: textOf(block["name"]) })
        const input = objectOf(block["input"])
        if (Object.keys(input).length > 0) {
          blocks.set(at, { kind: "call", index, hasArguments: true })
          emit({ type: "arguments", index, delta: JSON.stringify(input) })
        }
        break
      }
      case "thinking":
        blocks.set(at, { kind: "thinking", text: textOf(block["thinking"]), signature: textOf(block["signature"]) })
        if (textOf(block["thinking"]) !== "") emit({ type: "thinking", delta: textOf(block["thinking"]) })
        break
      case "redacted_thinking":
        emit({ type: "reasoning", block: { type: "redacted_thinking", data: textOf(block["data"]) } })
        break
      case "text":
        blocks.set(at, { kind: "text" })
        if (textOf(block["text"]) !== "") emit({ type: "text", delta: textOf(block["text"]) })
        break
    }
  }

  const change = (block: Block | undefined, delta: JsonObject, emit: (event: ModelEvent) => void): void => {
    switch (delta["type"]) {
      case "text_delta":
        if (textOf(delta["text"]) !== "") emit({ type: "text", delta: textOf(delta["text"]) })
        break
      case "thinking_delta":
        if (block?.kind === "thinking") block.text += textOf(delta["thinking"])
        if (textOf(delta["thinking"]) !== "") emit({ type: "thinking", delta: textOf(delta["thinking"]) })
        break
      case "signature_delta":
        if (block?.kind === "thinking") block.signature += textOf(delta["signature"])
        break
      case "input_json_delta":
        if (block?.kind === "call" && textOf(delta["partial_json"]) !== "") {
          block.hasArguments = true
          emit({ type: "arguments", index: block.index, delta: textOf(delta["partial_json"]) })
        }
        break
    }
  }

  const stop = (block: Block | undefined, emit: (event: ModelEvent) => void): void => {
    if (block?.kind === "call" && !block.hasArguments) emit({ type: "arguments", index: block.index, delta: "{}" })
    if (block?.kind === "thinking") {
      emit({ type: "reasoning", block: { type: "thinking", thinking: block.text, signature: block.signature } })
    }
  }

  return {
    isWhole: () => isWhole,
    read: (event, data, emit) => {
      const usage = (value: unknown) => {
        reported = { ...reported, ...known(objectOf(value)) }
        const counts = countsOf(reported)
        if (Object.keys(counts).length > 0) emit({ type: "usage", counts })
      }
      switch (textOf(data["type"]) || event) {
        case "message_start": {
          const message = objectOf(data["message"])
          if (textOf(message["id"]) !== "") emit({ type: "started", id: textOf(message["id"]) })
          usage(message["usage"])
          break
        }
        case "content_block_start":
          start(data["index"], objectOf(data["content_block"]), emit)
          break
        case "content_block_delta":
          change(blocks.get(data["index"]), objectOf(data["delta"]), emit)
          break
        case "content_block_stop":
          stop(blocks.get(data["index"]), emit)
          blocks.delete(data["index"])
          break
        case "message_delta": {
          const reason = textOf(objectOf(data["delta"])["stop_reason"])
          usage(data["usage"])
          if (reason !== "") {
            isWhole = true
            emit({ type: "finish", reason: calls > 0 ? "tool_calls" : finishReasons[reason] ?? "stop" })
          }
          break
        }
        case "message_stop":
          isWhole = true
          break
        case "error":
          return errorOf(data["error"])
      }
      return undefined
    }
  }
}

export const anthropicWire: Wire = {
  name: "anthropic",
  path: "/messages",
  headersOf: (key) => ({ "anthropic-version": anthropicVersion, ...key === undefined ? {} : { "x-api-key": key } }),
  bodyOf,
  reader,
  readWhole: (document, emit) => {
    const body = objectOf(document)
    if (body["type"] === "error") return errorOf(body["error"])
    if (!Array.isArray(body["content"])) return { detail: "The provider answered without a message." }
    const { read } = reader()
    read("message_start", { type: "message_start", message: body }, emit)
    for (const [index, content_block] of listOf(body["content"]).entries()) {
      read(undefined, { type: "content_block_start", index, content_block }, emit)
      read(undefined, { type: "content_block_stop", index }, emit)
    }
    return read(undefined, {
      type: "message_delta",
      delta: { stop_reason: body["stop_reason"] },
      usage: body["usage"]
    }, emit)
  }
}

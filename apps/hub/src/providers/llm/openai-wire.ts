/** OpenAI's chat completions, as every OpenAI-compatible provider reads and streams them. */
import type { ModelEvent } from "../model-answer.ts"
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

const partOf = (part: PromptPart) => part.type === "text" ? part : { type: "image_url", image_url: { url: part.url } }

const contentOf = (parts: ReadonlyArray<PromptPart>): unknown =>
  parts.every((part) => part.type === "text") ? parts.map(({ text }) => text).join("\n") : parts.map(partOf)

/** Reasoning that an earlier answer of the same model carried, in the member that it came in. */
const reasoningOf = (message: Extract<PromptMessage, { role: "assistant" }>, model: string): JsonObject =>
  message.reasoning?.wire === "openai" && message.reasoning.model === model
    ? Object.assign({}, ...message.reasoning.blocks.map(objectOf)) as JsonObject
    : {}

const messageOf = (message: PromptMessage, model: string): JsonObject => {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.text }
    case "user":
      return { role: "user", content: contentOf(message.parts) }
    case "assistant":
      return {
        role: "assistant",
        content: message.text === "" && message.calls.length > 0 ? null : message.text,
        ...reasoningOf(message, model),
        ...message.calls.length === 0 ? {} : {
          tool_calls: message.calls.map(({ arguments: text, id, name }) => ({
            id,
            type: "function",
            function: { name, arguments: text }
          }))
        }
      }
    case "tool":
      return { role: "tool", tool_call_id: message.call_id, content: contentOf(message.parts) }
  }
}

const bodyOf = (prompt: Prompt): JsonObject => ({
  model: prompt.model,
  messages: prompt.messages.map((message) => messageOf(message, prompt.model)),
  max_tokens: prompt.max_tokens,
  ...known({
    temperature: prompt.temperature,
    top_p: prompt.top_p,
    stop: prompt.stop,
    seed: prompt.seed,
    response_format: prompt.response_format,
    reasoning_effort: prompt.reasoning?.effort,
    parallel_tool_calls: prompt.tools === undefined ? undefined : prompt.parallel_tool_calls
  }),
  ...prompt.tools === undefined || prompt.tools.length === 0 ? {} : {
    tools: prompt.tools.map((tool) => ({ type: "function", function: tool })),
    ...prompt.tool_choice === undefined ? {} : {
      tool_choice: typeof prompt.tool_choice === "string"
        ? prompt.tool_choice
        : { type: "function", function: { name: prompt.tool_choice.name } }
    }
  },
  stream: true,
  stream_options: { include_usage: true }
})

const usageOf = (usage: JsonObject): Extract<ModelEvent, { type: "usage" }> => {
  const prompt = objectOf(usage["prompt_tokens_details"])
  const cost = usage["cost"]
  const upstream = objectOf(usage["cost_details"])["upstream_inference_cost"]
  const own = typeof cost === "number" && cost >= 0 ? cost : undefined
  const byok = usage["is_byok"] === true && typeof upstream === "number" && upstream >= 0 ? upstream : 0
  return {
    type: "usage",
    counts: known({
      input: countOf(usage["prompt_tokens"]),
      cached: countOf(prompt["cached_tokens"]) ?? countOf(usage["prompt_cache_hit_tokens"]),
      written: countOf(prompt["cache_write_tokens"]) ?? countOf(usage["cache_write_tokens"]),
      output: countOf(usage["completion_tokens"])
    }),
    ...own === undefined ? {} : { usd: own + byok }
  }
}

/** `code` is a status at OpenRouter and a word elsewhere. */
const errorOf = (error: unknown): StreamError => {
  const { code, message, status, type } = objectOf(error)
  const numbers = [status, code].map((value) => Number(value)).filter((value) => value >= 400 && value < 600)
  return {
    detail: textOf(message) || textOf(error) || textOf(type) || "The provider reported an error.",
    ...numbers[0] === undefined ? {} : { status: numbers[0] }
  }
}

const thinkingOf = (delta: JsonObject, emit: (event: ModelEvent) => void): void => {
  const details = listOf(delta["reasoning_details"])
  for (const block of details) emit({ type: "reasoning", block })
  const text = textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]) ||
    details.map((block) => textOf(block["text"]) || textOf(block["summary"])).join("")
  if (text !== "") emit({ type: "thinking", delta: text })
}

const argumentsOf = (value: unknown): string =>
  typeof value === "string"
    ? value.toWellFormed()
    : typeof value === "object" && value !== null
    ? JSON.stringify(value)
    : ""

interface OpenCall {
  /** The provider's own index, id, and name. */
  readonly at: unknown
  readonly id: string
  readonly name: string
}

/** Calls that arrive in pieces: a new index, or a name with another id, opens one; everything else continues it. */
const makeCalls = (emit: () => (event: ModelEvent) => void) => {
  const open: Array<OpenCall> = []
  const add = (value: JsonObject): void => {
    const { arguments: text, name } = objectOf(value["function"])
    const id = textOf(value["id"])
    const at = value["index"]
    const named = textOf(name)
    let index = at === undefined ? open.length - 1 : open.findLastIndex((call) => call.at === at)
    const current = open[index]
    if (
      current === undefined ||
      (named !== "" && id !== "" && id !== current.id && !(current.id === "" && current.name === named))
    ) {
      // A piece without a name continues nothing that exists.
      if (named === "") return
      index = open.push({ at, id, name: named }) - 1
      emit()({ type: "call", index, id: id === "" ? `call_${index}` : id, name: named })
    }
    const delta = argumentsOf(text)
    if (delta !== "") emit()({ type: "arguments", index, delta })
  }
  return { add, any: () => open.length > 0 }
}

const reader = (): StreamReader => {
  let isWhole = false
  let hasStarted = false
  let current: (event: ModelEvent) => void = () => {}
  const calls = makeCalls(() => current)
  return {
    isWhole: () => isWhole,
    read: (_event, data, emit) => {
      current = emit
      if (data["error"] !== undefined && data["error"] !== null) return errorOf(data["error"])
      if (!hasStarted && textOf(data["id"]) !== "") {
        hasStarted = true
        emit({ type: "started", id: textOf(data["id"]) })
      }
      for (const choice of listOf(data["choices"]).filter(({ index }) => index === undefined || index === 0)) {
        const delta = objectOf(choice["delta"] ?? choice["message"])
        thinkingOf(delta, emit)
        const text = textOf(delta["content"]) || textOf(delta["refusal"])
        if (text !== "") emit({ type: "text", delta: text })
        for (const call of listOf(delta["tool_calls"])) calls.add(call)
        const reason = choice["finish_reason"]
        if (typeof reason === "string" && reason !== "") {
          if (reason === "error") return errorOf(choice["error"] ?? data["error"] ?? "The provider reported an error.")
          isWhole = true
          emit({ type: "finish", reason: calls.any() ? "tool_calls" : finishReasons[reason] ?? "stop" })
        }
      }
      const usage = data["usage"]
      if (typeof usage === "object" && usage !== null) emit(usageOf(usage as JsonObject))
      return undefined
    }
  }
}

export const openAiWire: Wire = {
  name: "openai",
  path: "/chat/completions",
  headersOf: (key) => key === undefined ? {} : { authorization: `Bearer ${key}` },
  bodyOf,
  reader,
  readWhole: (document, emit) => {
    const body = objectOf(document)
    if (body["error"] !== undefined && body["error"] !== null) return errorOf(body["error"])
    if (listOf(body["choices"]).length === 0) return { detail: "The provider answered without a completion." }
    const { read } = reader()
    return read(undefined, body, emit)
  }
}

/**
 * Fits a conversation into a model's window: old results become short, then the oldest messages become a summary. The
 * stored messages stay whole. Pure. Spec: reference/chat.md "Context".
 */
import { createHash } from "node:crypto"
import {
  estimatedTokens,
  imageTokensMax,
  inputTokensMax,
  type Prompt,
  type PromptMessage,
  type PromptTool
} from "../providers/model-prompt.ts"

/** The part of the window that a prompt may take, in percent. */
const fillPercent = 80
/** The results of this many of the latest answers stay whole. */
const wholeRounds = 2
/** A shorter result stays whole. */
const stubLengthMin = 600
const stubLength = 300
/** The part of the messages that a summary leaves as they are, in percent of their tokens. */
const keptPercent = 20

export type Open = Omit<Prompt, "max_tokens">

const tokensOf = (message: PromptMessage): number => {
  switch (message.role) {
    case "system":
      return estimatedTokens(message.text)
    case "assistant":
      return estimatedTokens(message.text) + estimatedTokens(JSON.stringify([message.calls, message.reasoning ?? null]))
    case "user":
    case "tool":
      return message.parts.reduce(
        (sum, part) => sum + (part.type === "image" ? imageTokensMax : estimatedTokens(part.text)),
        0
      )
  }
}

const sumOf = (messages: ReadonlyArray<PromptMessage>): number =>
  messages.reduce((sum, message) => sum + tokensOf(message), 0)

const toolTokens = (tools: ReadonlyArray<PromptTool> | undefined): number =>
  tools === undefined ? 0 : estimatedTokens(JSON.stringify(tools))

export const fits = ({ messages, tools }: Pick<Open, "messages" | "tools">, window: number | undefined): boolean =>
  window === undefined || (sumOf(messages) + toolTokens(tools)) * 100 <= window * fillPercent

const stubOf = (message: Extract<PromptMessage, { readonly role: "tool" }>): PromptMessage => {
  const [part] = message.parts
  if (part?.type !== "text" || part.text.length < stubLengthMin) return message
  const text = JSON.stringify({
    artifact_id: message.call_id,
    message: "This result was shortened. Read it with read_artifact.",
    length: part.text.length,
    head: part.text.slice(0, stubLength).toWellFormed()
  })
  return { ...message, parts: [{ type: "text", text }] }
}

/** Shortens the results of all but the latest answers. */
export const shortenedResults = (messages: ReadonlyArray<PromptMessage>): ReadonlyArray<PromptMessage> => {
  const answers = messages.flatMap(({ role }, at) => role === "assistant" ? [at] : [])
  const whole = answers.at(-wholeRounds) ?? 0
  return messages.map((message, at) => at < whole && message.role === "tool" ? stubOf(message) : message)
}

const summaryTask =
  "Summarize the conversation for the one who continues it: the goal, the instructions, what was done " +
  "with which results and costs, what is open, and exact names, numbers, and ids that are still needed. Write only the " +
  "summary."

const summaryIntro = "Summary of the conversation before this point:"

/** A conversation of which the first `covers` messages became a summary. */
export const summarized = (
  messages: ReadonlyArray<PromptMessage>,
  summary: { readonly covers: number; readonly text: string } | undefined
): ReadonlyArray<PromptMessage> =>
  summary === undefined ? messages : [
    { role: "user", parts: [{ type: "text", text: `${summaryIntro}\n\n${summary.text}` }] },
    ...messages.slice(summary.covers)
  ]

/** How many of the first messages a summary covers: never a call without its results. */
export const coveredBy = (messages: ReadonlyArray<PromptMessage>): number => {
  const kept = sumOf(messages) * keptPercent / 100
  let at = messages.length
  for (let left = kept; at > 0; at--) {
    left -= tokensOf(messages[at - 1]!)
    if (left < 0) break
  }
  // The message to answer stays, and so does everything after it.
  at = Math.min(at, Math.max(0, messages.findLastIndex(({ role }) => role === "user")))
  while (at > 0 && messages[at]?.role === "tool") at--
  return at
}

const asText = (message: PromptMessage): string => {
  switch (message.role) {
    case "system":
      return message.text
    case "user":
      return `Person: ${message.parts.map((part) => part.type === "text" ? part.text : "(an image)").join("\n")}`
    case "assistant":
      return `You: ${message.text}${
        message.calls.map(({ arguments: text, name }) => `\nCall of ${name}: ${text}`).join("")
      }`
    case "tool":
      return `Result: ${message.parts.map((part) => part.type === "text" ? part.text : "(an image)").join("\n")}`
  }
}

/** The prompt that summarizes messages. */
export const summaryPrompt = (model: string, messages: ReadonlyArray<PromptMessage>): Open => ({
  model,
  messages: [
    { role: "system", text: summaryTask },
    { role: "user", parts: [{ type: "text", text: `${summaryTask}\n\n${messages.map(asText).join("\n\n")}` }] }
  ]
})

/** What a call sent, so that the provider's count of it bounds the next one. */
export interface Sent {
  readonly messages: number
  readonly digest: string
  readonly input_tokens?: number
}

const digestOf = (
  model: string,
  tools: ReadonlyArray<PromptTool> | undefined,
  messages: ReadonlyArray<PromptMessage>
) => createHash("sha256").update(JSON.stringify([model, tools ?? [], messages])).digest("hex")

export const sentOf = ({ messages, model, tools }: Open): Sent => ({
  messages: messages.length,
  digest: digestOf(model, tools, messages)
})

/**
 * The most tokens that a provider can count: its own count of the unchanged beginning, and one token for each byte
 * after it.
 */
export const inputMaxOf = (prompt: Open, before: Sent | undefined): number => {
  const bound = inputTokensMax(prompt)
  if (before?.input_tokens === undefined || before.messages > prompt.messages.length) return bound
  const { messages, model, tools } = prompt
  if (digestOf(model, tools, messages.slice(0, before.messages)) !== before.digest) return bound
  return Math.min(bound, before.input_tokens + inputTokensMax({ model, messages: messages.slice(before.messages) }))
}

/** Calls the model door with the AI SDK, and prints the answers. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { APICallError, generateText, isStepCount, streamText, tool } from "ai"
import { z } from "zod"

const doorOf = (apiKey: string | undefined) =>
  createOpenAICompatible({
    name: "countersign",
    baseURL: `${process.env["COUNTERSIGN_URL"]}/v1`,
    apiKey: apiKey ?? "",
    includeUsage: true
  })("offline/echo-priced")

const asked: Array<unknown> = []
const tools = {
  weather: tool({
    inputSchema: z.object({ city: z.string() }),
    execute: (input) => {
      asked.push(input)
      return { degrees: 20 }
    }
  })
}
const prompt =
  "#script\nthink Hm.\nsay One moment.\nusage 1000 50 200\nlocal weather {\"city\":\"Łódź\"}\n---\nsay It is 20 degrees."

const turn = streamText({
  model: doorOf(process.env["COUNTERSIGN_API_KEY"]),
  prompt,
  tools,
  stopWhen: isStepCount(3)
})
let text = ""
for await (const part of turn.stream) {
  if (part.type === "text-delta") text += part.text
  if (part.type === "error") throw part.error
}
const [first] = await turn.steps

const poor = doorOf(process.env["POOR_API_KEY"])
const failureOf = (error: unknown) =>
  APICallError.isInstance(error)
    ? { status: error.statusCode, retryable: error.isRetryable, message: error.message }
    : { message: String(error) }
const whole = await generateText({ model: poor, prompt: "hello" }).then(() => undefined, failureOf)
let streamed: unknown
const refused = streamText({ model: poor, prompt: "hello", onError: () => {} })
for await (const part of refused.stream) if (part.type === "error") streamed = failureOf(part.error)

console.log(JSON.stringify({
  text,
  asked,
  finish: await turn.finishReason,
  reasoning: first?.reasoningText,
  usage: [first?.usage.inputTokens, first?.usage.outputTokens],
  refusals: [whole, streamed]
}))

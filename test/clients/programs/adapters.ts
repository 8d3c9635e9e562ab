/** Runs the agents of the examples with models that play a script; prints what the tools answered. */
import { Countersign } from "@countersign/client"
import { tools } from "@countersign/client/ai-sdk"
import { type Model, setTracingDisabled, Usage } from "@openai/agents"
import type { ModelMessage } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { answer as answerOfAiSdk } from "./ai-sdk-agent.ts"
import { answer as answerOfOpenAi } from "./openai-agent.ts"

const counts = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

let prompts = 0
let read = ""
const aiSdk = new MockLanguageModelV4({
  doGenerate: async ({ prompt, tools = [] }) => {
    if (prompts++ === 0) {
      const offered = tools.map(({ name }) => name)
      if (!offered.includes("echo__say") || !offered.includes("countersign_wait")) throw new Error(offered.join())
      return {
        content: [{
          type: "tool-call",
          toolCallId: "call_1",
          toolName: "echo__say",
          input: JSON.stringify({ text: "a" })
        }],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage: counts,
        warnings: []
      } as never
    }
    read = JSON.stringify(prompt.at(-1))
    return {
      content: [{ type: "text", text: "done" }],
      finishReason: { unified: "stop", raw: undefined },
      usage: counts,
      warnings: []
    } as never
  }
})

let responses = 0
let received = ""
const openai: Model = {
  getResponse: async ({ input }) => {
    if (responses++ === 0) {
      return {
        usage: new Usage(),
        output: [{
          type: "function_call",
          callId: "call_1",
          name: "echo__say",
          status: "completed",
          arguments: JSON.stringify({ text: "b" })
        }]
      }
    }
    received = JSON.stringify(Array.isArray(input) ? input.at(-1) : input)
    return {
      usage: new Usage(),
      output: [{
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "done" }]
      }]
    }
  },
  getStreamedResponse: () => {
    throw new Error("not streamed")
  }
}

setTracingDisabled(true)
const first = await answerOfAiSdk(aiSdk, "Say a.")
const second = await answerOfOpenAi(openai, "Say b.")

/** The same call of the same run again, as a framework repeats it. */
const repeat = async (): Promise<ReadonlyArray<unknown>> => {
  const { echo__say: say } = await tools(new Countersign(), { runId: "run-1" })
  const once = () =>
    say?.execute?.({ text: "c" }, { toolCallId: "call_1", messages: [] as Array<ModelMessage> } as never)
  return [await once(), await once()]
}

console.log(JSON.stringify({ first, second, read, received, repeated: await repeat() }))

/**
 * A chat on the terminal with an agent of the AI SDK: an empty line sends the message. The model is called through the
 * hub too, so that its tokens count against the agent's budget. `COUNTERSIGN_URL` and `COUNTERSIGN_API_KEY` name the hub
 * and the agent, `MODEL` a model of the hub's.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { Countersign } from "@countersign/client"
import { tools } from "@countersign/client/ai-sdk"
import { isStepCount, type ModelMessage, streamText, type ToolSet } from "ai"
import { createInterface } from "node:readline"

const url = process.env["COUNTERSIGN_URL"] ?? "http://127.0.0.1:4780"
const hub = createOpenAICompatible({
  name: "countersign",
  baseURL: `${url}/v1`,
  apiKey: process.env["COUNTERSIGN_API_KEY"] ?? ""
})

/** Tools that tell the person about a pending approval, and wait for the decision. */
const waiting = ({ countersign_wait: wait, ...bound }: ToolSet): ToolSet =>
  Object.fromEntries(
    Object.entries(bound).map(([name, tool]) => [name, {
      ...tool,
      execute: async (...[input, options]: Parameters<NonNullable<typeof tool.execute>>) => {
        const result = await tool.execute?.(input, options)
        if (result.status !== "approval_required") return result
        console.log(`  pending: approve or reject ${result.approval_id} in the console`)
        return wait?.execute?.({ service_request_id: result.service_request_id, seconds: 300 }, options)
      }
    }])
  )

const model = hub(process.env["MODEL"] ?? "offline/echo")
const agentTools = waiting(await tools(new Countersign()))
const messages: Array<ModelMessage> = []

const answer = async (text: string): Promise<void> => {
  messages.push({ role: "user", content: text })
  const turn = streamText({ model, messages, tools: agentTools, stopWhen: isStepCount(8) })
  for await (const part of turn.stream) {
    if (part.type === "text-delta") process.stdout.write(part.text)
    if (part.type === "tool-call") console.log(`→ ${part.toolName} ${JSON.stringify(part.input)}`)
    if (part.type === "tool-result") console.log(`← ${part.output.status}, ${part.output.cost_cents} cents`)
    if (part.type === "error") throw part.error
  }
  messages.push(...await turn.responseMessages)
  console.log()
}

let lines: Array<string> = []
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== "") lines.push(line)
  else if (lines.length > 0) {
    await answer(lines.join("\n"))
    lines = []
  }
}

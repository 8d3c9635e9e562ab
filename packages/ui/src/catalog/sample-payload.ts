/** A payload to begin with: the operation's example, else one made of its schema by what the hub's mock answers are made with. */
import type { Operation } from "./queries.ts"
import { isJsonObject } from "./read-json.ts"
import type { Payload } from "./schema-fields.ts"

export const samplePayload = async ({ example, payload_schema }: Operation): Promise<Payload> => {
  if (example !== undefined) return example
  // Loaded where it is wanted: it brings the whole of JSON Schema with it.
  const { sample } = await import("@countersign/domain/sample")
  const made = sample(payload_schema)
  return isJsonObject(made) ? made : {}
}

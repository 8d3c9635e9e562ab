/**
 * An initial payload: the operation's example, otherwise a sample made from its schema by the code of the mock
 * provider.
 */
import type { Operation } from "../hub/queries.ts"
import { isJsonObject } from "./read-json.ts"
import type { Payload } from "./schema-fields.ts"

export const samplePayload = async ({ example, payload_schema }: Operation): Promise<Payload> => {
  if (example !== undefined) return example
  // Loaded on demand, since it includes the JSON Schema library.
  const { sample } = await import("@countersign/domain/sample")
  const made = sample(payload_schema)
  return isJsonObject(made) ? made : {}
}

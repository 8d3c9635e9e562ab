/** `hub openapi`: prints the document that a hub serves at /api/v1/openapi.json, without running one. */
import { Effect } from "effect"
import { openApiDocument } from "../discovery/service.ts"
import { print } from "./output.ts"

export const run = Effect.suspend(() => print(JSON.stringify(openApiDocument(), null, 2)))

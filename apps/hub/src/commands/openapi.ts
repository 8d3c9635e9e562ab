/** `hub openapi`: prints the document that a hub serves at /api/v1/openapi.json, made from the contract. */
import { HubApi } from "@countersign/domain/api"
import { openApiOf } from "@countersign/domain/openapi"
import { Effect } from "effect"
import { print } from "./output.ts"

export const run = Effect.suspend(() => print(JSON.stringify(openApiOf(HubApi), null, 2)))

/**
 * `voice.call` through Telnyx: the declared service, with the status hook as the address of its events where the hub has
 * Telnyx's public key. Spec: reference/services.md "Voice calls".
 */
import type { HttpService, ServiceDefinition } from "@countersign/domain/services"
import { Option } from "effect"
import type { HubConfig } from "../config.ts"
import type { Adapter, AdapterCall } from "../providers/adapter.ts"
import { clientStateOf } from "./reports.ts"

export const voiceStatusPath = "/api/v1/webhooks/voice-status"

export const voiceAdapter = (http: Adapter, { publicUrl, voice }: Pick<HubConfig, "publicUrl" | "voice">): Adapter => {
  const hook = `${publicUrl.origin}${voiceStatusPath}`
  const hasHook = Option.isSome(voice.telnyxPublicKey) || Option.isSome(voice.twilioAuthToken)

  const placed = (definition: ServiceDefinition, { requestId }: AdapterCall): ServiceDefinition => {
    if (definition.kind !== "http") return definition
    const operations = definition.operations.map((operation): HttpService["operations"][number] =>
      hasHook && operation.name === "call"
        ? { ...operation, body: { ...operation.body as object, client_state: clientStateOf(requestId) } }
        : operation
    )
    return {
      ...definition,
      base_url: Option.match(voice.apiBase, {
        onNone: () => definition.base_url,
        onSome: ({ href }) => href.replace(/\/+$/u, "")
      }),
      operations
    }
  }

  return {
    ...http,
    execute: (definition, call) =>
      http.execute(placed(definition, call), hasHook ? { ...call, callbackUrl: hook } : call)
  }
}

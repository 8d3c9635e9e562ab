/**
 * During an outage, rejects every call that changes something at once. Nothing is queued, so no forgotten change is
 * sent later.
 */
import type { CallOptions, HubClient } from "@countersign/hub-client/client"
import type { AnyInput, EndpointName } from "@countersign/hub-client/contract"
import { endpoints } from "@countersign/hub-client/endpoints"
import { HubError } from "@countersign/hub-client/error"
import { currentConnection } from "../live/connection.ts"

const refusals = {
  offline: { code: "not_connected", message: "There is no connection to the hub." },
  failing: { code: "hub_failing", message: "The hub answers with errors." }
}

export const onlyConnected = (hub: HubClient): HubClient => {
  const call = (endpoint: EndpointName, input: AnyInput, options?: CallOptions): Promise<unknown> => {
    const { phase } = currentConnection()
    return (phase === "offline" || phase === "failing") && !endpoints[endpoint].startsWith("GET ")
      ? Promise.reject(new HubError({ status: 0, ...refusals[phase] }))
      : (hub.call as typeof call)(endpoint, input, options)
  }
  return { ...hub, call: call as HubClient["call"] }
}

/**
 * The hub, to which nothing that changes or asks it to act is sent while nobody hears it: such a call is refused here, at once and in
 * words. Nothing waits for the connection, so nothing happens later that somebody has long forgotten.
 */
import type { CallOptions, HubClient } from "../hub/client.ts"
import type { AnyInput, EndpointName } from "../hub/contract.ts"
import { endpoints } from "../hub/endpoints.ts"
import { HubError } from "../hub/error.ts"
import { currentConnection } from "../live/connection.ts"

export const onlyConnected = (hub: HubClient): HubClient => {
  const call = (endpoint: EndpointName, input: AnyInput, options?: CallOptions): Promise<unknown> =>
    currentConnection().phase === "offline" && !endpoints[endpoint].startsWith("GET ")
      ? Promise.reject(new HubError({ status: 0, code: "not_connected", message: "There is no connection to the hub." }))
      : (hub.call as typeof call)(endpoint, input, options)
  return { ...hub, call: call as HubClient["call"] }
}

/** A seller on loopback, declared in a hub with funds, and an agent that buys there: what its prices make wait is for a person. */
import { Effect } from "effect"
import { type HubInTest, makeAgent, makeService, type OwnerInTest, topUp } from "./hub.ts"
import { httpUpstream } from "./upstream.ts"

export interface ShopOptions {
  readonly service?: string
  readonly operation?: string
  readonly cents?: number
}

/** Its agent is called Scout. The hub's settings must let it call 127.0.0.1. */
export const makeShop = Effect.fnUntraced(function*(
  hub: HubInTest,
  owner: OwnerInTest,
  { cents = 4_200, operation = "buy", service = "shop" }: ShopOptions = {}
) {
  const upstream = yield* httpUpstream((_, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end("{}")
  )
  yield* makeService(hub, owner, {
    name: service,
    title: service,
    kind: "http",
    base_url: upstream.origin,
    operations: [{
      name: operation,
      title: operation,
      method: "POST",
      path: "/",
      price: { type: "fixed", cents },
      payload_schema: { type: "object", additionalProperties: true }
    }]
  })
  yield* topUp(hub, owner, 100_000)
  const agent = yield* makeAgent(hub, owner, { name: "Scout", bindings: [{ service, operations: ["*"] }] })
  /** Answers the approval that waits for it. */
  const ask = (payload: object) =>
    Effect.map(
      hub.api("POST", "/service-requests", { key: agent.key, body: { service, operation, payload } }),
      ({ body }) => String(body.approval_id)
    )
  return { agent, ask }
})

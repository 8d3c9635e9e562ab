/**
 * A seller on loopback, declared as a service of a funded hub, and an agent that buys there; its prices require
 * approval.
 */
import { Effect } from "effect"
import { type HubInTest, makeAgent, makeService, type OwnerInTest, topUp } from "./hub.ts"
import { httpUpstream } from "./upstream.ts"

export interface ShopOptions {
  readonly service?: string
  readonly operation?: string
  readonly cents?: number
}

/** The agent is named Scout. The hub's settings must allow calls to 127.0.0.1. */
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
  /** Sends a purchase; returns its pending approval. */
  const ask = (payload: object) =>
    Effect.map(
      hub.api("POST", "/service-requests", { key: agent.key, body: { service, operation, payload } }),
      ({ body }) => String(body.approval_id)
    )
  return { agent, ask }
})

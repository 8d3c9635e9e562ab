/** Provider callbacks, signed with a secret of the workspace. */
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { type Answer, type Api, expectStatus, type HubInTest, makeService, type OwnerInTest } from "./hub.ts"

export const hookSecret = "hook_secret"

/** `X-Svc-Signature` of a body. */
export const signatureOf = (text: string, secret = hookSecret): Record<string, string> => ({
  "x-svc-signature": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`
})

/** A service of the workspace whose callbacks are signed with `hookSecret`. */
export const makeCallbackService = Effect.fnUntraced(
  function*(hub: Pick<HubInTest, "api">, owner: OwnerInTest, name: string) {
    expectStatus(yield* hub.api("PUT", `/secrets/${name}`, { cookie: owner.cookie, body: { value: hookSecret } }), 201)
    yield* makeService(hub, owner, {
      name,
      kind: "http",
      base_url: "https://provider.example",
      operations: [{
        name: "work",
        method: "POST",
        path: "/work",
        payload_schema: { type: "object" },
        price: { type: "fixed", cents: 1 },
        async: { mode: "callback", secret: name, ref: "/id", status: "/state", executed: ["done"], failed: ["bad"] }
      }]
    })
    return `/webhooks/${name}/reconcile?org=${owner.org}`
  }
)

/** A callback about work that the hub has no record of: 202 if it is accepted. */
export const callbackFor = (ref: string): string => JSON.stringify({ provider_ref: ref, status: "executed" })

export const sendCallback = (
  api: Api,
  path: string,
  text: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Answer> => api("POST", path, { body: text, headers })

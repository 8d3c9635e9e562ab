import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { CheckoutSession } from "@countersign/domain/billing"
import { canonicalize } from "@countersign/domain/json"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { createHash } from "node:crypto"
import { idempotencyKeyOf, sentHeaders } from "../platform/idempotency-key.ts"
import { Idempotency, idempotencyScope } from "../platform/idempotency.ts"
import { Billing } from "./service.ts"

export const BillingHttp = HttpApiBuilder.group(
  HubApi,
  "billing",
  Effect.fn(function*(handlers) {
    const billing = yield* Billing
    const idempotency = yield* Idempotency
    return handlers.handleAll({
      checkout: Effect.fnUntraced(function*({ payload }) {
        const principal = yield* CurrentUser
        const request = yield* HttpServerRequest.HttpServerRequest
        const key = yield* idempotencyKeyOf(sentHeaders(request))
        const id = yield* billing.open(
          principal,
          payload,
          key === undefined ? undefined : {
            key,
            scope: idempotencyScope(principal, request.method, request.originalUrl),
            hash: createHash("sha256").update(canonicalize(payload)).digest()
          }
        )
        // The provider was called before: a transaction is not kept open during network I/O.
        return yield* idempotency.once(
          {
            principal,
            input: payload,
            answer: CheckoutSession,
            status: 201,
            location: (session) => `/api/v1/billing/checkout-sessions/${session.id}`
          },
          billing.get(principal, id)
        )
      }),
      list: ({ query }) => CurrentUser.use((user) => billing.list(user, query)),
      get: ({ params }) => CurrentUser.use((user) => billing.get(user, params.id))
    })
  })
)

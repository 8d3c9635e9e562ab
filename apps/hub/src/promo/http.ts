import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Redemption } from "@countersign/domain/promo"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Idempotency } from "../platform/idempotency.ts"
import { Promo } from "./service.ts"

export const PromoHttp = HttpApiBuilder.group(
  HubApi,
  "promo",
  Effect.fn(function*(handlers) {
    const promo = yield* Promo
    const idempotency = yield* Idempotency
    return handlers.handleAll({
      redeem: Effect.fnUntraced(function*({ payload }) {
        const principal = yield* CurrentUser
        return yield* idempotency.once(
          { principal, input: payload, answer: Redemption, status: 201, location: () => "/api/v1/ledger" },
          promo.redeem(principal, payload)
        )
      }),
      list: ({ query }) => CurrentUser.use((user) => promo.list(user, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => promo.create(user, payload)).pipe(
          Effect.map((code) => created(`/promo/codes/${code.code}`, code))
        ),
      get: ({ params }) => CurrentUser.use((user) => promo.get(user, params.code)),
      remove: ({ params }) => CurrentUser.use((user) => promo.remove(user, params.code))
    })
  })
)

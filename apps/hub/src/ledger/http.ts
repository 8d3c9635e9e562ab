import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { conflict, notFound } from "@countersign/domain/errors"
import { TopUp } from "@countersign/domain/ledger"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { maySeeTeam, teamFilter } from "../auth/own.ts"
import { Settings } from "../config.ts"
import { Idempotency } from "../platform/idempotency.ts"
import { Ledger } from "./service.ts"

const useCheckout = conflict(
  "use_checkout",
  "This hub takes payments: open a checkout session (POST /billing/checkout-sessions). Only an owner adds funds by hand."
)

export const LedgerHttp = HttpApiBuilder.group(
  HubApi,
  "ledger",
  Effect.fn(function*(handlers) {
    const ledger = yield* Ledger
    const idempotency = yield* Idempotency
    const { stripe } = yield* Settings
    return handlers.handleAll({
      balance: Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        if (query.teamId !== undefined && !maySeeTeam(user, query.teamId)) return yield* Effect.fail(notFound("team"))
        return yield* ledger.balance(user.org_id, query.teamId)
      }),
      topUp: Effect.fnUntraced(function*({ payload }) {
        const principal = yield* CurrentUser
        return yield* idempotency.once(
          { principal, input: payload, answer: TopUp, status: 201, location: () => "/api/v1/ledger" },
          // A repeated call is answered before anything refuses it.
          Effect.suspend(() =>
            Option.isSome(stripe.secretKey) && principal.role !== "owner"
              ? Effect.fail(useCheckout)
              : ledger.topUp(principal, payload)
          )
        )
      }),
      list: Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        return yield* ledger.list(user.org_id, query, teamFilter(user))
      })
    })
  })
)

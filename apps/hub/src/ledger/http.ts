import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { notFound } from "@countersign/domain/errors"
import { TopUp } from "@countersign/domain/ledger"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { maySeeTeam } from "../auth/own.ts"
import { Idempotency } from "../platform/idempotency.ts"
import { Ledger } from "./service.ts"

export const LedgerHttp = HttpApiBuilder.group(
  HubApi,
  "ledger",
  Effect.fn(function*(handlers) {
    const ledger = yield* Ledger
    const idempotency = yield* Idempotency
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
          ledger.topUp(principal, payload)
        )
      }),
      list: Effect.fnUntraced(function*({ query }) {
        return yield* ledger.list((yield* CurrentUser).org_id, query)
      })
    })
  })
)

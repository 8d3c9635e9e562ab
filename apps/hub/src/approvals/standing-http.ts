/** Standing approvals over HTTP: listed, read, withdrawn, and tried on what was. */
import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { notFound } from "@countersign/domain/errors"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { actorOf, AuditLog } from "../audit/service.ts"
import { decodeCursor, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { StandingRepository, toStanding } from "./standing-repository.ts"

export const StandingApprovalsHttp = HttpApiBuilder.group(HubApi, "standing_approvals", Effect.fn(function*(handlers) {
  const repository = yield* StandingRepository
  const audit = yield* AuditLog
  const db = yield* Db
  const signals = yield* Signals
  return handlers.handleAll({
    list: Effect.fnUntraced(function*({ query }) {
      const user = yield* CurrentUser
      const [after] = (yield* decodeCursor(query.cursor, [/^sta_[0-7][0-9a-hjkmnp-tv-z]{25}$/])) ?? []
      const as_of = yield* audit.asOf(user.org_id)
      const limit = query.limit ?? pageLimitDefault
      const rows = yield* repository.list(user.org_id, { agent_id: query.agent_id, after, limit })
      const page = toPage(rows, limit, ({ id }) => [id])
      return { ...page, data: page.data.map(toStanding), as_of }
    }),
    get: Effect.fnUntraced(function*({ params }) {
      const found = yield* repository.find((yield* CurrentUser).org_id, params.id)
      return Option.isSome(found) ? toStanding(found.value) : yield* Effect.fail(notFound("standing approval"))
    }),
    withdraw: Effect.fnUntraced(function*({ params }) {
      const user = yield* CurrentUser
      const agent = yield* db.transaction(Effect.gen(function*() {
        const agent = yield* repository.withdraw(user.org_id, params.id)
        if (Option.isNone(agent)) return agent
        yield* audit.record(user.org_id, actorOf(user), {
          action: "standing_approval.withdrawn",
          subject: { type: "standing_approval", id: params.id },
          agent_id: agent.value
        })
        yield* db.afterCommit(Effect.sync(() => signals.config(user.org_id)))
        return agent
      }))
      if (Option.isNone(agent)) return yield* Effect.fail(notFound("standing approval"))
    }),
    preview: Effect.fnUntraced(function*({ payload }) {
      const user = yield* CurrentUser
      const past = yield* repository.past(
        user.org_id,
        payload.agent_id,
        payload.mode ?? "live",
        payload.service,
        payload.operation,
        100
      )
      let uses = 0, cents = 0
      // Oldest first, as they would have used it up.
      const covered = new Set<string>()
      for (const request of past.toReversed()) {
        const fits = request.ceiling_cents <= payload.max_cost_cents &&
          (payload.max_uses === undefined || uses < payload.max_uses) &&
          (payload.max_total_cents === undefined || cents + request.ceiling_cents <= payload.max_total_cents)
        if (!fits) continue
        uses += 1
        cents += request.ceiling_cents
        covered.add(request.id)
      }
      return {
        checked: past.length, covered: uses, covered_cents: cents,
        requests: past.map((request) => ({
          id: request.id as ServiceRequest["id"],
          ceiling_cents: request.ceiling_cents,
          status: request.status,
          created_at: request.created_at.toISOString(),
          covered: covered.has(request.id)
        }))
      }
    })
  })
}))

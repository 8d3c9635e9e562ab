/** Standing approvals over HTTP: list, read, revoke, and preview on past requests. */
import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { invalidField, notFound } from "@countersign/domain/errors"
import { problemText } from "@countersign/domain/expression-problem"
import { idPattern } from "@countersign/domain/ids"
import { maskedValue } from "@countersign/domain/mask"
import { mask } from "@countersign/domain/masking"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import { compileStandingCondition, standingConditionProblem } from "@countersign/domain/standing-conditions"
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { withinBounds } from "../approvals/rules.ts"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { payloadSchemaOf } from "../dispatch/decision/decision.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { StandingApprovalsRepository, toStanding } from "./repository.ts"
import { judgePending, judgingMillisMax, withinStanding } from "./service.ts"

export const StandingApprovalsHttp = HttpApiBuilder.group(
  HubApi,
  "standing_approvals",
  Effect.fn(function*(handlers) {
    const repository = yield* StandingApprovalsRepository
    const audit = yield* AuditLog
    const db = yield* Db
    const signals = yield* Signals
    const configuration = yield* Configuration
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        const [after] = (yield* decodeCursor(query.cursor, [idPattern("sta")])) ?? []
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
        const { when } = payload
        const found = yield* Effect.promise(() => configuration.load(user.org_id, payload.agent_id))
        if (found === undefined) return yield* Effect.fail(notFound("agent"))
        const service = found.org.services.get(payload.service)
        if (service === undefined) return yield* Effect.fail(notFound("service"))
        if (!service.operations.has(payload.operation)) return yield* Effect.fail(notFound("operation"))
        const schema = payloadSchemaOf(found.org, payload)
        const problem = when === undefined ? undefined : standingConditionProblem(when, schema)
        if (when !== undefined && problem !== undefined) {
          return yield* Effect.fail(invalidField("when", problemText(when, problem)))
        }
        const condition = when === undefined ? undefined : compileStandingCondition(when)
        // A condition must not reveal hidden values to a person.
        const payloadOf = (text: string): unknown => schema === undefined ? maskedValue : mask(schema, JSON.parse(text))
        const past = yield* repository.past(
          user.org_id,
          payload.agent_id,
          payload.mode ?? "live",
          payload.service,
          payload.operation,
          100
        )
        const matched = new Map<string, Result.Result<boolean, unknown>>()
        const until = performance.now() + judgingMillisMax
        for (const request of past) {
          if (performance.now() > until) break
          matched.set(
            request.id,
            condition === undefined || Result.isFailure(condition)
              ? Result.succeed(condition === undefined)
              : condition.success.evaluate({ payload: payloadOf(request.payload) })
          )
          // A condition may take tens of milliseconds on one payload: let other fibers run in between.
          yield* Effect.yieldNow
        }
        const fits = withinBounds(payload)
        const judged = past.filter(({ id }) => matched.has(id))
        // Oldest first: the order in which they would have used it up.
        const covered = new Map(
          judged.toReversed()
            .filter(({ ceiling_cents, id }) => Result.getOrElse(matched.get(id)!, () => false) && fits(ceiling_cents))
            .map(({ ceiling_cents, id }) => [id, ceiling_cents])
        )
        const standing = {
          ...payload,
          mode: payload.mode ?? "live",
          max_total_cents: payload.max_total_cents,
          max_uses: payload.max_uses,
          when
        }
        const looked = yield* judgePending(
          repository,
          user.org_id,
          standing,
          payload.approval_id,
          performance.now() + judgingMillisMax,
          payloadOf
        )
        const pending = withinStanding(standing, looked.matching)
        const sum = (cents: Iterable<number>) => [...cents].reduce((total, one) => total + one, 0)
        return {
          checked: judged.length,
          covered: covered.size,
          covered_cents: sum(covered.values()),
          errors: [...matched.values()].filter(Result.isFailure).length,
          pending: { count: pending.length, cost_cents: sum(pending.map(({ cost_cents }) => cost_cents)) },
          partial: judged.length < past.length || looked.partial,
          requests: judged.map((request) => ({
            id: request.id as ServiceRequest["id"],
            ceiling_cents: request.ceiling_cents,
            status: request.status,
            created_at: request.created_at.toISOString(),
            covered: covered.has(request.id)
          }))
        }
      })
    })
  })
)

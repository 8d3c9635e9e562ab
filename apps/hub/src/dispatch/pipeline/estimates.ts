/** Estimates: the outcome that a request would have, without any effect. Spec: reference/requests.md "Estimate". */
import type { Principal } from "@countersign/domain/auth"
import { capsOf } from "@countersign/domain/bindings"
import { type ApiError, invalidRequest, notFound } from "@countersign/domain/errors"
import { estimateOf } from "@countersign/domain/price"
import type { Estimate } from "@countersign/domain/service-requests"
import { Context, Effect, Layer, Result } from "effect"
import { maySeeOwned } from "../../auth/own.ts"
import { explained } from "../decision/blocks.ts"
import { Configuration } from "../decision/configuration.ts"
import { limitSetOf } from "../decision/decision.ts"
import { LimitsRepository } from "../decision/limits-repository.ts"
import { RequestsRepository } from "../requests/repository.ts"
import { type Asked, Dispatch } from "./service.ts"

export class Estimates extends Context.Service<Estimates, {
  /** 404 for an agent that the caller may not see. */
  readonly estimate: (principal: Principal, asked: Asked) => Effect.Effect<Estimate, ApiError>
}>()("@countersign/hub/dispatch/pipeline/Estimates") {
  static readonly layer = Layer.effect(
    Estimates,
    Effect.gen(function*() {
      const dispatch = yield* Dispatch
      const configuration = yield* Configuration
      const limits = yield* LimitsRepository
      const repository = yield* RequestsRepository

      const reasons: Readonly<Record<number, string>> = {
        1: "insufficient_balance",
        2: "agent_budget_exceeded",
        3: "monthly_budget_exceeded",
        4: "daily_limit_exceeded",
        5: "task_budget_exceeded"
      }

      return Estimates.of({
        estimate: Effect.fn("Estimates.estimate")(function*(principal, asked) {
          const { agent, mode, script, task } = asked
          const found = yield* dispatch.decisionOf(asked)
          if (found === undefined) return yield* Effect.fail(notFound("agent"))
          if (
            principal.kind === "user" &&
            !(yield* maySeeOwned(principal, repository.agentOf(principal.org_id, agent)))
          ) {
            return yield* Effect.fail(notFound("agent"))
          }
          const { decision, org } = found
          if (decision.kind === "invalid") return yield* Effect.fail(invalidRequest(decision.message, decision.details))
          const operation = org.services.get(asked.service)?.operations.get(asked.operation)
          const price = operation?.definition.price
          const estimated = price === undefined
            ? 0
            : price.type === "tokens"
            ? decision.ceilingCents
            : Result.getOrElse(estimateOf(price, asked.payload), () => decision.ceilingCents)
          const binding = found.agent.bindings.get(asked.service)
          const caps = binding === undefined ? {} : capsOf(binding, asked.operation)
          const base = {
            mode,
            service: asked.service,
            operation: asked.operation,
            ceiling_cents: decision.ceilingCents,
            remaining: (yield* limits.figures(asked, caps)).remaining
          }
          switch (decision.kind) {
            case "blocked":
              return {
                status: "blocked",
                reason_code: decision.reason,
                cost_cents: 0,
                block: decision.block as NonNullable<Estimate["block"]>,
                ...base
              }
            case "failed":
              return {
                status: "failed",
                cost_cents: 0,
                result: { code: decision.code, detail: decision.detail },
                ...base
              }
            default: {
              const rows = decision.plan.counted
                ? yield* Effect.promise(() => configuration.limits(asked))
                : undefined
              const standing = decision.kind === "admit" ? decision.plan.standing : undefined
              const stopped = rows === undefined
                ? undefined
                : yield* limits.tight(
                  org.id,
                  limitSetOf(found.agent, { mode, task }, rows, standing),
                  decision.ceilingCents
                )
              if (stopped !== undefined && stopped.kind < 6) {
                return {
                  status: "blocked",
                  reason_code: reasons[stopped.kind] ?? "insufficient_balance",
                  cost_cents: 0,
                  block: explained(
                    JSON.parse(stopped.block) as Record<string, unknown>,
                    null,
                    agent
                  ) as unknown as NonNullable<Estimate["block"]>,
                  ...base
                }
              }
              const cost = mode === "test" ? 0 : Math.min(estimated, decision.ceilingCents)
              if (decision.kind === "wait" || stopped !== undefined) {
                return { status: "approval_required", reason_code: "approval_threshold", cost_cents: cost, ...base }
              }
              const definition = decision.operation.definition
              return {
                status:
                  script === "running" || ("async" in definition && definition.async !== undefined && mode === "live")
                    ? "running"
                    : "executed",
                cost_cents: cost,
                ...base
              }
            }
          }
        })
      })
    })
  )
}

/** Budgets of agents. Spec: reference/budgets-and-ledger.md "Agent budgets". */
import type { Mode, Principal, UserPrincipal } from "@countersign/domain/auth"
import type { AgentBudget, BudgetInput } from "@countersign/domain/budgets"
import { type ApiError, conflict } from "@countersign/domain/errors"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { BindingsRepository } from "../agents/bindings-repository.ts"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { agentEdits } from "../agents/service.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { increaseEnds } from "./increases.ts"
import { BudgetsRepository } from "./repository.ts"
import { type CapRaise, withinCaps } from "./rules.ts"

export class Budgets extends Context.Service<Budgets, {
  /** In the counters of an agent key's mode; live for a person. */
  readonly get: (principal: Principal, agent: AgentId) => Effect.Effect<AgentBudget, ApiError>
  /**
   * 409 `budget_committed` below what children and tasks hold, and 409 `insufficient_budget` beyond what the parent has
   * left; a cap below the spent amount is accepted and blocks.
   */
  readonly set: (user: UserPrincipal, agent: AgentId, input: BudgetInput) => Effect.Effect<AgentBudget, ApiError>
  /**
   * Raises the cap, with its audit entry, in the caller's transaction, under the workspace's lock with the time `at`. An
   * agent without a cap stays without one. 409 `conflict` above the largest cap.
   */
  readonly raise: (user: UserPrincipal, agent: AgentId, raise: CapRaise) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/budgets/Budgets") {
  static readonly layer = Layer.effect(
    Budgets,
    Effect.gen(function*() {
      const budgets = yield* BudgetsRepository
      const ownAgent = ownAgentIn(yield* AgentsRepository)
      const bindings = yield* BindingsRepository
      const heads = yield* OrgHeads
      const endIncreases = yield* increaseEnds
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const read = Effect.fnUntraced(
        function*(org: OrgId, id: AgentId, mode: Mode, threshold: number | null, version: number) {
          const { cap, committed, held, once, resets_at, used } = yield* budgets.month(org, id, mode)
          const operations = yield* bindings.figuresOf(org, [id], mode)
          return {
            monthly_budget_cents: cap,
            ...(once === 0 || cap === null ? {} : { increase_this_month_cents: once }),
            spent_cents: used,
            held_cents: held,
            committed_cents: committed,
            remaining_cents: cap === null ? null : cap - used - held - committed,
            approval_threshold_cents: threshold,
            resets_at: resets_at.toISOString(),
            version,
            operations: operations.map((figures) => ({
              service: figures.service,
              operation: figures.operation,
              ...(figures.month_cap === null ? {} : { monthly_cap_cents: figures.month_cap }),
              spent_cents: figures.month_used,
              held_cents: figures.month_held,
              ...(figures.day_cap === null ? {} : { daily_request_limit: figures.day_cap }),
              used_today: figures.day_used
            }))
          }
        }
      )

      const set = Effect.fn("Budgets.set")(function*(user: UserPrincipal, id: AgentId, input: BudgetInput) {
        const org = user.org_id
        const at = yield* heads.lock(org)
        const agent = yield* ownAgent(user, id, "budgets:write")
        yield* expectVersion(audit, org)({
          noun: "agent",
          expected: input.expected_version,
          version: agent.edit_version,
          current: read(org, id, "live", agent.approval_threshold_cents, agent.edit_version),
          subject: id,
          actions: agentEdits
        })
        const cap = input.monthly_budget_cents
        yield* endIncreases(org, at)
        const refusal = yield* budgets.setCap(org, id, cap, at)
        if (refusal !== null) {
          const months = yield* Effect.all([budgets.month(org, id, "live"), budgets.month(org, id, "test")])
          return yield* Effect.fail(refusedCap(refusal, cap, Math.max(...months.map(({ committed }) => committed))))
        }
        const threshold = input.approval_threshold_cents === undefined
          ? agent.approval_threshold_cents
          : input.approval_threshold_cents
        if (input.approval_threshold_cents !== undefined) yield* budgets.setThreshold(org, id, threshold)
        yield* budgets.bump(org, id)
        const budget = yield* read(org, id, "live", threshold, agent.edit_version + 1)
        yield* audit.record(org, actorOf(user), {
          action: "agent.budget_set",
          subject: { type: "agent", id },
          agent_id: id,
          data: {
            monthly_budget_cents: { from: agent.month_cap, to: cap },
            ...(input.approval_threshold_cents === undefined
              ? {}
              : { approval_threshold_cents: { from: agent.approval_threshold_cents, to: threshold } })
          }
        })
        yield* db.afterCommit(Effect.sync(() => signals.config(org)))
        return budget
      }, db.transaction)

      const raise = Effect.fn("Budgets.raise")(
        function*(user: UserPrincipal, id: AgentId, { at, cents, period, request }: CapRaise) {
          const org = user.org_id
          const agent = yield* ownAgent(user, id)
          yield* withinCaps(agent.month_cap, cents)
          if (agent.month_cap === null) return
          yield* endIncreases(org, at)
          if (!(yield* budgets.raiseCap(org, id, { cents, period, at }))) {
            return yield* Effect.fail(refusedCap("insufficient_budget", agent.month_cap + cents, 0))
          }
          yield* budgets.bump(org, id)
          yield* audit.record(org, actorOf(user), {
            action: "agent.budget_set",
            subject: { type: "agent", id },
            agent_id: id,
            data: {
              monthly_budget_cents: { from: agent.month_cap, to: agent.month_cap + cents },
              period,
              budget_request_id: request
            }
          })
          yield* db.afterCommit(Effect.sync(() => signals.config(org)))
        }
      )

      return Budgets.of({
        raise,
        get: Effect.fn("Budgets.get")(function*(principal, id) {
          const agent = yield* ownAgent(principal, id)
          const mode = principal.kind === "agent" ? principal.mode : "live"
          return yield* read(principal.org_id, id, mode, agent.approval_threshold_cents, agent.edit_version)
        }),
        set
      })
    })
  )
}

const refusedCap = (
  code: "budget_committed" | "insufficient_budget",
  capCents: number | null,
  committedCents: number
): ApiError => {
  if (code === "insufficient_budget") {
    return conflict(
      code,
      capCents === null
        ? "The parent of this agent has a budget, so this agent needs one too."
        : "The parent of this agent has too little left for this budget. Raise the parent's budget first."
    )
  }
  const advice = `Its child agents and delegated tasks have ${committedCents} cents of this budget` +
    `${(capCents ?? 0) < committedCents ? "" : ", and a child has none"}. Change theirs first.`
  return conflict(code, advice, { committed_cents: committedCents })
}

/**
 * The workspaces, without their services, and the agents that dispatch decides with. Each version is read before the data
 * it covers.
 */
import type { Mode } from "@countersign/domain/auth"
import { BindingSettings } from "@countersign/domain/bindings"
import { compileRule } from "@countersign/domain/policy-rules"
import { standingCovers } from "@countersign/domain/standing-conditions"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PoliciesRepository } from "../../policies/repository.ts"
import type { AgentConfiguration, OrgConfiguration, Standing } from "./decision.ts"

const decodeBinding = Schema.decodeUnknownSync(BindingSettings)

/** A grant is the binding of `workflow.run_workflow`, unless the agent has one with limits. */
const grantBinding = [
  "workflow",
  decodeBinding({ service: "workflow", operations: ["run_workflow"], enabled: true, per_operation: {} })
] as const

interface AgentRow {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly status: "active" | "paused" | "disabled"
  readonly frozen: boolean
  readonly team_id: string | null
  readonly owner_user_id: string | null
  readonly approval_threshold_cents: number | null
  readonly wallet: number
  readonly wallet_month: number | null
}
interface BindingRow {
  readonly service: string
  readonly operations: ReadonlyArray<string>
  readonly enabled: boolean
  readonly monthly_cap_cents: number | null
  readonly daily_request_limit: number | null
  readonly approval_threshold_cents: number | null
  readonly per_operation: string
}
interface TaskRow {
  readonly id: string
  readonly mode: Mode
  readonly from_agent_id: string
  readonly stopped: boolean
  readonly services: ReadonlyArray<string>
  readonly budget_limit: number
  readonly month_limit: number
  readonly wallet: number
  readonly wallet_month: number | null
}
interface StandingRow {
  readonly id: string
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly max_cost_cents: number
  readonly condition: string | null
  readonly expires_at: Date
  readonly total_limit: number
  readonly uses_limit: number
}

export class ConfigurationRepository extends Context.Service<ConfigurationRepository, {
  readonly org: (id: string) => Effect.Effect<Omit<OrgConfiguration, "services" | "ratesOf">>
  /** `undefined` when the agent is deleted or belongs to another workspace. */
  readonly agent: (org: string, id: string) => Effect.Effect<AgentConfiguration | undefined>
}>()("@countersign/hub/dispatch/decision/ConfigurationRepository") {
  static readonly layer = Layer.effect(
    ConfigurationRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const policies = yield* PoliciesRepository

      const loadOrg = Effect.fnUntraced(function*(id: string) {
        const [row] = yield* sql<{
          rules_version: number
          frozen: boolean
          approval_threshold_cents: number
          approval_life_seconds: number
        }>`select h.rules_version, o.frozen, o.approval_threshold_cents, o.approval_life_seconds
        from org_heads h
        join orgs o on o.id = h.org_id
        where h.org_id = ${id}`
        if (row === undefined) return yield* Effect.die(`no workspace ${id}`)
        const rules = yield* policies.enabled(id)
        return {
          id,
          rulesVersion: row.rules_version,
          frozen: row.frozen,
          approvalThresholdCents: row.approval_threshold_cents,
          approvalLifeSeconds: row.approval_life_seconds,
          rules: rules.map(compileRule)
        } satisfies Omit<OrgConfiguration, "services" | "ratesOf">
      })

      const loadAgent = Effect.fnUntraced(function*(org: string, id: string) {
        const [row] = yield* sql<AgentRow>`
        select a.id, a.version, a.name, a.status, a.frozen, a.team_id, a.owner_user_id, a.approval_threshold_cents,
          w.wallet, w.wallet_month
        from agents a cross join lateral paying_wallet(a.org_id, a.team_id, a.owner_user_id) w
        where a.org_id = ${org} and a.id = ${id} and a.deleted_at is null`
        if (row === undefined) return undefined
        const bound = yield* sql<BindingRow>`
        select service, operations, enabled, monthly_cap_cents, daily_request_limit, approval_threshold_cents, per_operation
        from bindings where org_id = ${org} and agent_id = ${id}`
        const months = yield* sql<{ mode: Mode; id: number }>`select mode, id from limits
        where org_id = ${org} and agent_id = ${id} and kind = 2`
        const standing = yield* sql<StandingRow>`
        select id, mode, service, operation, max_cost_cents, condition, expires_at, total_limit, uses_limit
        from standing_approvals
        where org_id = ${org} and agent_id = ${id} and withdrawn_at is null and expires_at > hub_time_or_last()
        order by id`
        const tasks = yield* sql<TaskRow>`
        select t.id, t.mode, t.from_agent_id, p.frozen or p.status <> 'active' as stopped, t.services, t.budget_limit, t.month_limit,
          w.wallet, w.wallet_month
        from delegated_tasks t
        join agents p on p.org_id = t.org_id and p.id = t.from_agent_id
        cross join lateral paying_wallet(p.org_id, p.team_id, p.owner_user_id) w
        where t.org_id = ${org} and t.to_agent_id = ${id} and t.ended_at is null`
        const granted = yield* sql<{ workflow_id: string }>`select g.workflow_id from workflow_grants g
        join workflows w on w.id = g.workflow_id
        where g.org_id = ${org} and g.agent_id = ${id} and w.deleted_at is null`
        const month = (mode: Mode) => months.find((limit) => limit.mode === mode)?.id ?? 0
        return {
          id,
          version: row.version,
          name: row.name,
          status: row.status,
          frozen: row.frozen,
          teamId: row.team_id,
          ownerUserId: row.owner_user_id,
          approvalThresholdCents: row.approval_threshold_cents,
          payer: { wallet: row.wallet, walletMonth: row.wallet_month },
          workflows: new Set(granted.map(({ workflow_id }) => workflow_id)),
          bindings: new Map([
            ...(granted.length === 0 ? [] : [grantBinding]),
            ...bound.map((binding) =>
              [
                binding.service,
                decodeBinding({
                  service: binding.service,
                  operations: binding.operations,
                  enabled: binding.enabled,
                  per_operation: JSON.parse(binding.per_operation),
                  ...(binding.monthly_cap_cents === null ? {} : { monthly_cap_cents: binding.monthly_cap_cents }),
                  ...(binding.daily_request_limit === null ? {} : { daily_request_limit: binding.daily_request_limit }),
                  ...(binding.approval_threshold_cents === null
                    ? {}
                    : { approval_threshold_cents: binding.approval_threshold_cents })
                })
              ] as const
            )
          ]),
          monthLimits: { live: month("live"), test: month("test") },
          standing: standing.map((given): Standing => ({
            id: given.id,
            mode: given.mode,
            service: given.service,
            operation: given.operation,
            maxCostCents: given.max_cost_cents,
            ...(given.condition === null ? {} : { covers: standingCovers(given.condition) }),
            expiresAt: given.expires_at.getTime(),
            limits: [given.total_limit, given.uses_limit]
          })),
          tasks: new Map(tasks.map((task) => [task.id, {
            mode: task.mode,
            fromAgentId: task.from_agent_id,
            stopped: task.stopped,
            services: new Set(task.services),
            limits: [task.budget_limit, task.month_limit] as const,
            payer: { wallet: task.wallet, walletMonth: task.wallet_month }
          }]))
        } satisfies AgentConfiguration
      })

      return ConfigurationRepository.of({
        org: (id) => Effect.orDie(loadOrg(id)),
        agent: (org, id) => Effect.orDie(loadAgent(org, id))
      })
    })
  )
}

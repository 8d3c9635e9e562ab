/**
 * The workspaces, without their services, and the agents that dispatch decides with. Each version is read before the data
 * it covers.
 */
import type { Mode } from "@countersign/domain/auth"
import { BindingSettings } from "@countersign/domain/bindings"
import type { AgentId, OrgId, StandingApprovalId } from "@countersign/domain/ids"
import { compileRule } from "@countersign/domain/policy-rules"
import { standingCovers } from "@countersign/domain/standing-conditions"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../../platform/db.ts"
import { PoliciesRepository } from "../../policies/repository.ts"
import type { AgentConfiguration, OrgConfiguration, Standing } from "./decision.ts"

const decodeBinding = Schema.decodeUnknownSync(BindingSettings)

/** A grant is the binding of `workflow.run_workflow`, unless the agent has one with limits. */
const grantBinding = [
  "workflow",
  decodeBinding({ service: "workflow", operations: ["run_workflow"], enabled: true, per_operation: {} })
] as const

/** `resources/functions/configuration/agent_configuration.sql` */
export interface AgentRow {
  readonly version: number
  readonly name: string
  readonly status: "active" | "paused" | "disabled"
  readonly frozen: boolean
  readonly team_id: string | null
  readonly owner_user_id: string | null
  readonly approval_threshold_cents: number | null
  readonly wallet: number
  readonly wallet_month: number | null
  readonly bindings: ReadonlyArray<BindingRow>
  readonly months: ReadonlyArray<{ readonly mode: Mode; readonly id: number }>
  readonly standing: ReadonlyArray<StandingRow>
  readonly tasks: ReadonlyArray<TaskRow>
  readonly workflows: ReadonlyArray<string>
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
  readonly from_agent_id: AgentId
  readonly stopped: boolean
  readonly services: ReadonlyArray<string>
  readonly budget_limit: number
  readonly month_limit: number
  readonly wallet: number
  readonly wallet_month: number | null
}
interface StandingRow {
  readonly id: StandingApprovalId
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly max_cost_cents: number
  readonly condition: string | null
  readonly expires_at_millis: number
  readonly total_limit: number
  readonly uses_limit: number
}

/** `undefined` when there is no such agent. */
export const agentOf = (id: AgentId, row: AgentRow | null): AgentConfiguration | undefined => {
  if (row === null) return undefined
  const { bindings: bound, months, standing, tasks, workflows } = row
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
    workflows: new Set(workflows),
    bindings: new Map([
      ...(workflows.length === 0 ? [] : [grantBinding]),
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
      expiresAt: given.expires_at_millis,
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
}

export class ConfigurationRepository extends Context.Service<ConfigurationRepository, {
  readonly org: (id: OrgId) => Effect.Effect<Omit<OrgConfiguration, "services" | "ratesOf">>
  /** `undefined` when the agent is deleted or belongs to another workspace. */
  readonly agent: (org: OrgId, id: AgentId) => Effect.Effect<AgentConfiguration | undefined>
  /** Of each agent, in order, as it is stored. */
  readonly agentRows: (
    agents: ReadonlyArray<{ readonly org: OrgId; readonly id: AgentId }>
  ) => Effect.Effect<ReadonlyArray<AgentRow | null>>
}>()("@countersign/hub/dispatch/decision/ConfigurationRepository") {
  static readonly layer = Layer.effect(
    ConfigurationRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const policies = yield* PoliciesRepository

      const loadOrg = Effect.fnUntraced(function*(id: OrgId) {
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

      const agentRows = (agents: ReadonlyArray<{ readonly org: OrgId; readonly id: AgentId }>) =>
        sql<{ row: AgentRow | null }>`select agent_configuration(k.org, k.id) as row
          from unnest(${textArray(agents.map(({ org }) => org))}, ${textArray(agents.map(({ id }) => id))})
            with ordinality k(org, id, n)
          order by n`.pipe(Effect.map((rows) => rows.map(({ row }) => row)), Effect.orDie)

      return ConfigurationRepository.of({
        org: (id) => Effect.orDie(loadOrg(id)),
        agent: (org, id) => Effect.map(agentRows([{ org, id }]), ([row = null]) => agentOf(id, row)),
        agentRows
      })
    })
  )
}

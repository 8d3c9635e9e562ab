/**
 * What dispatch decides on, kept in memory: workspaces with their rules and services, agents with their bindings. Each carries the
 * version that it was read at; the tick refuses a decision made on an old one, so a cache that missed a change costs a second look and
 * never a wrong answer. Versions are read before what they speak of.
 */
import type { Mode } from "@countersign/domain/auth"
import { BindingSettings } from "@countersign/domain/bindings"
import { compileRule } from "@countersign/domain/policies"
import type { ServiceDefinition } from "@countersign/domain/services"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BindingsRepository } from "../bindings/repository.ts"
import { Catalog } from "../catalog/service.ts"
import { PoliciesRepository } from "../policies/repository.ts"
import { Signals } from "../platform/signals.ts"
import type { AgentConfiguration, OrgConfiguration, Standing } from "./decision.ts"

/** Workspaces and agents kept at most; beyond it the one read longest ago goes. */
const entriesMax = 10_000

export interface OperationLimits {
  readonly day: number
  readonly month: number
}

/** A map of loads under way and done; an invalidation while one runs keeps it from being kept. */
class LoadingCache<A> {
  private readonly entries = new Map<string, { promise: Promise<A>; value: A | undefined }>()
  private readonly load: (key: string) => Promise<A>
  constructor(load: (key: string) => Promise<A>) {
    this.load = load
  }
  peek(key: string): A | undefined {
    return this.entries.get(key)?.value
  }
  get(key: string): Promise<A> {
    const known = this.entries.get(key)
    if (known !== undefined) return known.promise
    const entry: { promise: Promise<A>; value: A | undefined } = { promise: this.load(key), value: undefined }
    if (this.entries.size >= entriesMax) this.entries.delete(this.entries.keys().next().value as string)
    this.entries.set(key, entry)
    entry.promise.then(
      (value) => { if (this.entries.get(key) === entry) entry.value = value },
      () => { if (this.entries.get(key) === entry) this.entries.delete(key) }
    )
    return entry.promise
  }
  drop(key: string): void {
    this.entries.delete(key)
  }
  dropWhere(matches: (key: string) => boolean): void {
    for (const key of this.entries.keys()) if (matches(key)) this.entries.delete(key)
  }
}

const decodeBinding = Schema.decodeUnknownSync(BindingSettings)

interface AgentRow {
  readonly id: string; readonly version: number; readonly name: string; readonly status: "active" | "paused" | "disabled"; readonly frozen: boolean
  readonly team_id: string | null; readonly owner_user_id: string | null; readonly approval_threshold_cents: number | null
}
interface BindingRow {
  readonly service: string; readonly operations: ReadonlyArray<string>; readonly enabled: boolean; readonly monthly_cap_cents: number | null
  readonly daily_request_limit: number | null; readonly approval_threshold_cents: number | null; readonly per_operation: string
}
interface StandingRow {
  readonly id: string; readonly mode: Mode; readonly service: string; readonly operation: string; readonly max_cost_cents: number
  readonly expires_at: Date; readonly total_limit: number; readonly uses_limit: number
}

export class Configuration extends Context.Service<Configuration, {
  /** Both at once, without a wait when they are in memory; `undefined` when the agent is gone or of another workspace. */
  readonly peek: (org: string, agent: string) => { readonly org: OrgConfiguration; readonly agent: AgentConfiguration } | undefined
  readonly load: (org: string, agent: string) => Promise<{ readonly org: OrgConfiguration; readonly agent: AgentConfiguration } | undefined>
  readonly org: (org: string) => Promise<OrgConfiguration>
  /** Read anew, in the caller's transaction. */
  readonly read: (org: string, agent: string) => Effect.Effect<{ readonly org: OrgConfiguration; readonly agent: AgentConfiguration } | undefined>
  /** The rows that count an operation, made at first use. */
  readonly peekLimits: (agent: string, mode: Mode, service: string, operation: string) => OperationLimits | undefined
  readonly limits: (org: string, agent: string, mode: Mode, service: string, operation: string) => Promise<OperationLimits>
  readonly forget: (org: string) => void
  /** A shipped service as it is for every workspace. */
  readonly shipped: (name: string) => ServiceDefinition | undefined
}>()("@countersign/hub/dispatch/Configuration") {
  static readonly layer = Layer.effect(Configuration, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const catalog = yield* Catalog
    const policies = yield* PoliciesRepository
    const bindings = yield* BindingsRepository
    const signals = yield* Signals
    const run = Effect.runPromiseWith(yield* Effect.context<SqlClient.SqlClient>())

    const loadOrg = Effect.fnUntraced(function*(id: string) {
      const [row] = yield* sql<{
        rules_version: number; frozen: boolean; approval_threshold_cents: number; approval_life_seconds: number; wallet: number
      }>`select h.rules_version, o.frozen, o.approval_threshold_cents, o.approval_life_seconds, w.id as wallet
        from org_heads h join orgs o on o.id = h.org_id join limits w on w.org_id = h.org_id and w.kind = 1 and w.mode = 'live' and w.agent_id is null and w.service is null
        where h.org_id = ${id}`
      if (row === undefined) return yield* Effect.die(`no workspace ${id}`)
      const services = yield* catalog.snapshot(id)
      const rules = yield* policies.enabled(id)
      return {
        id, rulesVersion: row.rules_version, frozen: row.frozen, approvalThresholdCents: row.approval_threshold_cents,
        approvalLifeSeconds: row.approval_life_seconds, wallet: row.wallet, services, rules: rules.map(compileRule)
      } satisfies OrgConfiguration
    })

    const loadAgent = Effect.fnUntraced(function*(org: string, id: string) {
      const [row] = yield* sql<AgentRow>`select id, version, name, status, frozen, team_id, owner_user_id, approval_threshold_cents
        from agents where org_id = ${org} and id = ${id} and deleted_at is null`
      if (row === undefined) return undefined
      const bound = yield* sql<BindingRow>`select service, operations, enabled, monthly_cap_cents, daily_request_limit, approval_threshold_cents, per_operation
        from bindings where org_id = ${org} and agent_id = ${id}`
      const months = yield* sql<{ mode: Mode; id: number }>`select mode, id from limits where org_id = ${org} and agent_id = ${id} and kind = 2`
      const standing = yield* sql<StandingRow>`select id, mode, service, operation, max_cost_cents, expires_at, total_limit, uses_limit
        from standing_approvals where org_id = ${org} and agent_id = ${id} and withdrawn_at is null and expires_at > now() order by id`
      const month = (mode: Mode) => months.find((limit) => limit.mode === mode)?.id ?? 0
      return {
        id, version: row.version, name: row.name, status: row.status, frozen: row.frozen, teamId: row.team_id, ownerUserId: row.owner_user_id,
        approvalThresholdCents: row.approval_threshold_cents,
        bindings: new Map(bound.map((binding) => [binding.service, decodeBinding({
          service: binding.service, operations: binding.operations, enabled: binding.enabled, per_operation: JSON.parse(binding.per_operation),
          ...(binding.monthly_cap_cents === null ? {} : { monthly_cap_cents: binding.monthly_cap_cents }),
          ...(binding.daily_request_limit === null ? {} : { daily_request_limit: binding.daily_request_limit }),
          ...(binding.approval_threshold_cents === null ? {} : { approval_threshold_cents: binding.approval_threshold_cents })
        })])),
        monthLimits: { live: month("live"), test: month("test") },
        standing: standing.map((given): Standing => ({
          id: given.id, mode: given.mode, service: given.service, operation: given.operation, maxCostCents: given.max_cost_cents,
          expiresAt: given.expires_at.getTime(), limits: [given.total_limit, given.uses_limit]
        }))
      } satisfies AgentConfiguration
    })

    const orgs = new LoadingCache((id) => run(Effect.orDie(loadOrg(id))))
    const agents = new LoadingCache((key) => {
      const [org, id] = key.split(" ") as [string, string]
      return run(Effect.orDie(loadAgent(org, id)))
    })
    /** Rows of limits are never deleted, and their ids never change: this one is never dropped by a signal. */
    const limits = new LoadingCache((key) => {
      const [org, agent, mode, service, operation] = key.split(" ") as [string, string, Mode, string, string]
      return run(bindings.ensureLimits(org, agent, mode, service, operation))
    })
    const limitsByAgent = new Map<string, OperationLimits>()

    const forget = (org: string) => {
      orgs.drop(org)
      agents.dropWhere((key) => key.startsWith(`${org} `))
    }
    const stop = signals.subscribe((signal) => {
      if (signal.kind === "config") forget(signal.org)
    })
    yield* Effect.addFinalizer(() => Effect.sync(stop))

    return Configuration.of({
      peek: (org, agent) => {
        const configuration = orgs.peek(org)
        const found = agents.peek(`${org} ${agent}`)
        return configuration === undefined || found === undefined ? undefined : { org: configuration, agent: found }
      },
      load: async (org, agent) => {
        const [configuration, found] = await Promise.all([orgs.get(org), agents.get(`${org} ${agent}`)])
        return found === undefined ? undefined : { org: configuration, agent: found }
      },
      org: (org) => orgs.get(org),
      read: (org, agent) =>
        Effect.orDie(Effect.all([loadOrg(org), loadAgent(org, agent)])).pipe(
          Effect.map(([configuration, found]) => found === undefined ? undefined : { org: configuration, agent: found })
        ),
      peekLimits: (agent, mode, service, operation) => limitsByAgent.get(`${agent} ${mode} ${service} ${operation}`),
      limits: async (org, agent, mode, service, operation) => {
        const made = await limits.get(`${org} ${agent} ${mode} ${service} ${operation}`)
        if (limitsByAgent.size >= entriesMax * 4) limitsByAgent.clear()
        limitsByAgent.set(`${agent} ${mode} ${service} ${operation}`, made)
        return made
      },
      forget,
      shipped: (name) => catalog.shipped.get(name)
    })
  }))
}


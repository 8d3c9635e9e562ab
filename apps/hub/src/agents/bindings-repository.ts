/** Bindings and the limits of their operations. */
import type { Mode } from "@countersign/domain/auth"
import { type BindingSettings, capsOf, type OperationCaps } from "@countersign/domain/bindings"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Db } from "../platform/db.ts"

interface Row {
  readonly agent_id: AgentId
  readonly service: string
  readonly operations: ReadonlyArray<string>
  readonly enabled: boolean
  readonly app_id: string | null
  readonly monthly_cap_cents: number | null
  readonly daily_request_limit: number | null
  readonly approval_threshold_cents: number | null
  readonly per_operation: string
  readonly version: number
}

export type StoredBinding = BindingSettings & { readonly version: number }

/** Usage of an operation in the current month and day, and its caps. */
export interface OperationFigures {
  readonly agent_id: AgentId
  readonly service: string
  readonly operation: string
  readonly month_cap: number | null
  readonly month_used: number
  readonly month_held: number
  readonly day_cap: number | null
  /** Including open holds. */
  readonly day_used: number
}

/** An operation of an agent in a mode: the key of its limits. */
export interface AgentOperation {
  readonly org: OrgId
  readonly agent: AgentId
  readonly mode: Mode
  readonly service: string
  readonly operation: string
}

/** The ids of an operation's limits. */
export interface OperationLimits {
  readonly day: number
  readonly month: number
}

const toSettings = (row: Row): StoredBinding => {
  const perOperation = JSON.parse(row.per_operation) as Record<string, OperationCaps>
  return {
    service: row.service,
    operations: row.operations,
    enabled: row.enabled,
    version: row.version,
    ...(row.app_id === null ? {} : { app_id: row.app_id }),
    ...(row.monthly_cap_cents === null ? {} : { monthly_cap_cents: row.monthly_cap_cents }),
    ...(row.daily_request_limit === null ? {} : { daily_request_limit: row.daily_request_limit }),
    ...(row.approval_threshold_cents === null ? {} : { approval_threshold_cents: row.approval_threshold_cents }),
    ...(Object.keys(perOperation).length === 0 ? {} : { per_operation: perOperation })
  }
}

const int8 = (value: number | undefined): bigint | null => value === undefined ? null : BigInt(value)

export class BindingsRepository extends Context.Service<BindingsRepository, {
  readonly find: (org: OrgId, agent: AgentId, service: string) => Effect.Effect<Option.Option<StoredBinding>>
  /** By agent, in order of service; agents without bindings are absent. */
  readonly ofAgents: (
    org: OrgId,
    agents: ReadonlyArray<AgentId>
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<StoredBinding>>>
  /** One for each operation ever used in this mode, in order of service and operation. */
  readonly figuresOf: (
    org: OrgId,
    agents: ReadonlyArray<AgentId>,
    mode: Mode
  ) => Effect.Effect<ReadonlyArray<OperationFigures>>
  /**
   * Writes settings, and the caps of the limits that exist; counters stay. Call it under the workspace's lock. Returns
   * the version: 1 when new.
   */
  readonly put: (org: OrgId, agent: AgentId, id: string, settings: BindingSettings) => Effect.Effect<number>
  /**
   * Raises the live and the test cap of an operation's month for the month of `at`, the time of the workspace's lock.
   * Its limits must exist. An operation without a cap stays without one.
   */
  readonly raiseOnce: (
    of: Omit<AgentOperation, "mode">,
    raise: { readonly cents: number; readonly at: Date }
  ) => Effect.Effect<void>
  readonly disable: (org: OrgId, agent: AgentId, service: string) => Effect.Effect<boolean>
  /** Disables a service's bindings; returns the agents that had one enabled. */
  readonly disableService: (org: OrgId, service: string) => Effect.Effect<ReadonlyArray<string>>
  /**
   * The limits of an agent's operation, created with the caps of its binding if they do not exist yet. They are never
   * deleted, so the ids can be cached. Replacing a binding sets the caps of existing limits under the same lock, so
   * neither can miss the other.
   */
  readonly ensureLimits: (of: AgentOperation) => Effect.Effect<OperationLimits>
}>()("@countersign/hub/agents/BindingsRepository") {
  static readonly layer = Layer.effect(
    BindingsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const db = yield* Db
      const columns =
        sql`agent_id, service, operations, enabled, app_id, monthly_cap_cents, daily_request_limit, approval_threshold_cents,
      per_operation, version`

      const find = (org: OrgId, agent: AgentId, service: string) =>
        sql<Row>`select ${columns} from bindings where org_id = ${org} and agent_id = ${agent} and service = ${service}`
          .pipe(
            Effect.map(([row]) => row === undefined ? Option.none() : Option.some(toSettings(row)))
          )

      const limitsOf = ({ agent, mode, operation, org, service }: AgentOperation) =>
        sql<
          { id: number; kind: number }
        >`select id, kind from limits where org_id = ${org} and kind in (3, 4) and mode = ${mode}
        and agent_id = ${agent} and service = ${service} and operation = ${operation}`.pipe(
          Effect.map((rows): OperationLimits | undefined => {
            const month = rows.find(({ kind }) => kind === 3)
            const day = rows.find(({ kind }) => kind === 4)
            return month === undefined || day === undefined ? undefined : { day: day.id, month: month.id }
          })
        )

      const makeLimits = Effect.fnUntraced(
        function*(of: AgentOperation) {
          const { agent, mode, operation, org, service } = of
          yield* sql`select lock_org(${org})`
          const binding = yield* find(org, agent, service)
          const caps = Option.isSome(binding) ? capsOf(binding.value, operation) : {}
          yield* sql`insert into limits (org_id, kind, mode, agent_id, service, operation, cap)
        select ${org}, c.kind, ${mode}, ${agent}, ${service}, ${operation}, c.cap
          from (values (3::smallint, ${int8(caps.monthly_cap_cents)}::bigint),
            (4::smallint, ${int8(caps.daily_request_limit)}::bigint)) c(kind, cap)
          where exists (select 1 from agents where org_id = ${org} and id = ${agent})
        on conflict (org_id, kind, mode, agent_id, service, operation) do nothing`
          return yield* limitsOf(of)
        },
        db.transaction
      )

      const setCaps = Effect.fnUntraced(function*(org: OrgId, agent: AgentId, settings: BindingSettings) {
        const limits = yield* sql<
          { id: number; kind: number; operation: string }
        >`select id, kind, operation from limits
        where org_id = ${org} and kind in (3, 4) and mode in ('live', 'test') and agent_id = ${agent} and service = ${settings.service}`
        const caps = limits.map(({ kind, operation }) => {
          const { daily_request_limit, monthly_cap_cents } = capsOf(settings, operation)
          return String((kind === 3 ? monthly_cap_cents : daily_request_limit) ?? "null")
        })
        // As text: the driver cannot infer the type of an array that holds only nulls.
        const ids = `{${limits.map(({ id }) => id).join(",")}}`
        // The time of the lock. An increase for this month stays on top of the cap.
        yield* sql`update limits l set
          cap = c.cap + case when l.once_month >= month_of(h.last_at) then l.once_cents else 0 end,
          once_cents = case when l.once_month >= month_of(h.last_at) then l.once_cents else 0 end
        from org_heads h, unnest(${ids}::text::bigint[], ${`{${caps.join(",")}}`}::text::bigint[]) c(id, cap)
        where h.org_id = ${org} and l.org_id = ${org} and l.id = c.id`
      })

      return BindingsRepository.of({
        find: (org, agent, service) => Effect.orDie(find(org, agent, service)),
        ofAgents: (org, agents) =>
          sql<Row>`select ${columns} from bindings where org_id = ${org} and agent_id = any(${[
            ...agents
          ]}::text[]) order by agent_id, service`.pipe(
            Effect.map((rows) => Map.groupBy(rows, ({ agent_id }) => agent_id)),
            Effect.map((grouped) => new Map([...grouped].map(([agent, rows]) => [agent, rows.map(toSettings)]))),
            Effect.orDie
          ),
        figuresOf: (org, agents, mode) =>
          sql<OperationFigures>`select agent_id, service, operation,
            max(cap_now(limits, month_of(hub_time_or_last()))) filter (where kind = 3) as month_cap,
            coalesce(max(used) filter (where kind = 3 and period >= month_of(hub_time_or_last())), 0) as month_used,
            coalesce(max(held) filter (where kind = 3 and period >= month_of(hub_time_or_last())), 0) as month_held,
            max(cap) filter (where kind = 4) as day_cap,
            coalesce(max(used + held) filter (where kind = 4 and period >= day_of(hub_time_or_last())), 0) as day_used
          from limits where org_id = ${org} and kind in (3, 4) and mode = ${mode} and agent_id = any(${[
            ...agents
          ]}::text[])
          group by agent_id, service, operation order by agent_id, service, operation`.pipe(Effect.orDie),
        put: Effect.fnUntraced(function*(org, agent, id, settings) {
          const [row] = yield* sql<
            { version: number }
          >`insert into bindings (id, org_id, agent_id, service, operations, enabled, app_id, monthly_cap_cents,
            daily_request_limit, approval_threshold_cents, per_operation)
          values (${id}, ${org}, ${agent}, ${settings.service}, ${[...settings.operations]}, ${settings.enabled}, ${
            settings.app_id ?? null
          },
            ${int8(settings.monthly_cap_cents)}::bigint, ${int8(settings.daily_request_limit)}::bigint,
            ${int8(settings.approval_threshold_cents)}::bigint, ${JSON.stringify(settings.per_operation ?? {})})
          on conflict (agent_id, service) do update set operations = excluded.operations, enabled = excluded.enabled, app_id = excluded.app_id,
            monthly_cap_cents = excluded.monthly_cap_cents, daily_request_limit = excluded.daily_request_limit,
            approval_threshold_cents = excluded.approval_threshold_cents, per_operation = excluded.per_operation,
            version = bindings.version + 1, updated_at = now()
          returning version`
          yield* setCaps(org, agent, settings)
          return row?.version ?? 1
        }, Effect.orDie),
        raiseOnce: ({ agent, operation, org, service }, { at, cents }) =>
          sql`update limits x set cap = cap_now(x, n.month) + ${BigInt(cents)}::bigint,
            once_cents = case when x.once_month >= n.month then x.once_cents else 0 end + ${BigInt(cents)}::bigint,
            once_month = n.month
          from (select month_of(${at}) as month) n
          where x.org_id = ${org} and x.kind = 3 and x.mode in ('live', 'test') and x.agent_id = ${agent}
            and x.service = ${service} and x.operation = ${operation} and x.cap is not null`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        disable: (org, agent, service) =>
          sql`update bindings set enabled = false, version = version + 1, updated_at = now()
          where org_id = ${org} and agent_id = ${agent} and service = ${service} returning id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        disableService: (org, service) =>
          sql<{ agent_id: AgentId }>`update bindings set enabled = false, version = version + 1, updated_at = now()
          where org_id = ${org} and service = ${service} and enabled returning agent_id`.pipe(
            Effect.map((rows) => rows.map(({ agent_id }) => agent_id)),
            Effect.orDie
          ),
        ensureLimits: Effect.fnUntraced(function*(of) {
          const limits = (yield* limitsOf(of)) ?? (yield* makeLimits(of))
          return limits ?? (yield* Effect.die(`no agent ${of.agent} in workspace ${of.org}`))
        }, Effect.orDie)
      })
    })
  )
}

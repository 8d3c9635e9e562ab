/** Triggers of a workspace. Secrets are sealed for workspace and trigger. */
import type { AgentId, OrgId, TriggerId } from "@countersign/domain/ids"
import type { PauseReason } from "@countersign/domain/scheduled-tasks"
import type { TriggerKind, TriggerStatus } from "@countersign/domain/triggers"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface TriggerRow {
  readonly id: TriggerId
  readonly org_id: OrgId
  readonly agent_id: AgentId
  /** The owner of the agent. */
  readonly owner_user_id: string | null
  readonly name: string
  readonly kind: TriggerKind
  /** JSON. */
  readonly action: string
  readonly payload_template: string | null
  readonly require_timestamp: boolean
  readonly status: TriggerStatus
  readonly paused_by: PauseReason | null
  readonly secret: Uint8Array
  readonly previous_secret: Uint8Array | null
  readonly previous_until: Date | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** The columns that a create or an edit sets. */
export interface TriggerChange {
  readonly agent_id: AgentId
  readonly name: string
  readonly action: string
  readonly payload_template: string | null
  readonly require_timestamp: boolean
  readonly status: TriggerStatus
  readonly paused_by: PauseReason | null
}

export interface TriggerFilter {
  readonly agent: AgentId | undefined
  /** The owner of the agents. */
  readonly owner: string | undefined
  readonly kind: TriggerKind | undefined
  readonly status: TriggerStatus | undefined
  readonly before: string | undefined
  readonly limit: number
}

export interface OwnedTrigger {
  readonly id: TriggerId
  readonly agent_id: AgentId
}

export class TriggersRepository extends Context.Service<TriggersRepository, {
  readonly insert: (
    org: OrgId,
    trigger: TriggerChange & { readonly id: string; readonly kind: TriggerKind; readonly secret: Uint8Array },
    at: Date
  ) => Effect.Effect<void>
  /** A trigger that is not deleted. */
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<TriggerRow>>
  /** The webhook with this id in any workspace: its caller has only the address. */
  readonly webhook: (id: string) => Effect.Effect<Option.Option<TriggerRow>>
  /** Newest first; one more than `limit` when there are more. */
  readonly list: (org: OrgId, filter: TriggerFilter) => Effect.Effect<ReadonlyArray<TriggerRow>>
  readonly count: (org: OrgId) => Effect.Effect<number>
  readonly update: (org: OrgId, id: string, change: Partial<TriggerChange>, at: Date) => Effect.Effect<void>
  /** The present secret becomes the previous one until a moment; null: it ends at once. */
  readonly rotate: (org: OrgId, id: string, secret: Uint8Array, until: Date | null, at: Date) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
  readonly ofAgent: (org: OrgId, agent: AgentId) => Effect.Effect<ReadonlyArray<OwnedTrigger>>
  /** Active webhooks of the agents that a person owns. */
  readonly activeWebhooksOfOwner: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<OwnedTrigger>>
}>()("@countersign/hub/triggers/TriggersRepository") {
  static readonly layer = Layer.effect(
    TriggersRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = sql`select t.id, t.org_id, t.agent_id, a.owner_user_id, t.name, t.kind, t.action, t.payload_template,
          t.require_timestamp, t.status, t.paused_by, t.secret, t.previous_secret, t.previous_until, t.version,
          t.created_at, t.updated_at
        from triggers t join agents a on a.id = t.agent_id
        where t.deleted_at is null`
      const first = (statement: Effect.Effect<ReadonlyArray<TriggerRow>, unknown>) =>
        statement.pipe(Effect.map(([row]) => Option.fromNullishOr(row)), Effect.orDie)
      return TriggersRepository.of({
        insert: (org, trigger, at) =>
          sql`insert into triggers ${sql.insert({ org_id: org, ...trigger, created_at: at, updated_at: at })}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        find: (org, id) => first(sql<TriggerRow>`${rows} and t.org_id = ${org} and t.id = ${id}`),
        webhook: (id) => first(sql<TriggerRow>`${rows} and t.id = ${id} and t.kind = 'webhook'`),
        list: (org, { agent, before, kind, limit, owner, status }) =>
          sql<TriggerRow>`${rows} and ${
            sql.and([
              sql`t.org_id = ${org}`,
              ...(agent === undefined ? [] : [sql`t.agent_id = ${agent}`]),
              ...(owner === undefined ? [] : [sql`a.owner_user_id = ${owner}`]),
              ...(kind === undefined ? [] : [sql`t.kind = ${kind}`]),
              ...(status === undefined ? [] : [sql`t.status = ${status}`]),
              ...(before === undefined ? [] : [sql`t.id < ${before}`])
            ])
          } order by t.id desc limit ${limit + 1}`.pipe(Effect.orDie),
        count: (org) =>
          sql<{ n: number }>`select count(*)::int as n from triggers where org_id = ${org} and deleted_at is null`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        update: (org, id, change, at) =>
          sql`update triggers set ${sql.update({ ...change })}, version = version + 1, updated_at = ${at}
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie),
        rotate: (org, id, secret, until, at) =>
          sql`update triggers set previous_secret = ${
            until === null ? sql`null` : sql`secret`
          }, previous_until = ${until},
            secret = ${secret}, updated_at = ${at}
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie),
        remove: (org, id, at) =>
          sql`update triggers set deleted_at = ${at}, updated_at = ${at}, previous_secret = null, previous_until = null
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie),
        ofAgent: (org, agent) =>
          sql<OwnedTrigger>`select id, agent_id from triggers
          where org_id = ${org} and agent_id = ${agent} and deleted_at is null order by id`.pipe(Effect.orDie),
        activeWebhooksOfOwner: (org, user) =>
          sql<OwnedTrigger>`select t.id, t.agent_id from triggers t join agents a on a.id = t.agent_id
          where t.org_id = ${org} and a.owner_user_id = ${user} and a.kind <> 'yupi' and t.kind = 'webhook'
            and t.status = 'active' and t.deleted_at is null order by t.id`.pipe(Effect.orDie)
      })
    })
  )
}

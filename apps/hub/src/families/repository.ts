/** The ties of families: what children have committed on their parents, and children whose time is over. */
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface EndingAgent {
  readonly org_id: OrgId
  readonly id: AgentId
}

export interface Room {
  /** In cents, of the mode with less; null: no cap. */
  readonly available: number | null
  /** The parent's threshold, or the workspace's. */
  readonly threshold: number
}

const isEnding = "a.ends_at <= greatest(hub_time_or_last(), h.last_at) and a.deleted_at is null"
export const dueFamilies = [
  `select from agents a join org_heads h on h.org_id = a.org_id where ${isEnding}`,
  "select from commitments where is_over"
]

export class FamiliesRepository extends Context.Service<FamiliesRepository, {
  /** What an agent's budget has left for children and tasks. */
  readonly room: (org: OrgId, agent: AgentId) => Effect.Effect<Room>
  /** Links a new agent to its parent; its budget is not committed yet. */
  readonly adopt: (org: OrgId, child: string, parent: string, ttlSeconds: number | undefined) => Effect.Effect<void>
  /** Gives a clone the threshold of its source. */
  readonly copyThreshold: (org: OrgId, clone: string, source: string) => Effect.Effect<void>
  /** Grants a clone the workflows of its source; returns their number. */
  readonly copyGrants: (org: OrgId, clone: string, source: string, by: string, at: Date) => Effect.Effect<number>
  /** Commits the child's budget in both modes; false when the parent has no room. Call it under the workspace's lock. */
  readonly commit: (org: OrgId, child: string, parent: string, at: Date) => Effect.Effect<boolean>
  /** Agents whose time to live is over, of all workspaces. */
  readonly ending: (limit: number) => Effect.Effect<ReadonlyArray<EndingAgent>>
  /** The agent whose time is over, or its deepest descendant; undefined when it has ended. */
  readonly lastOf: (org: OrgId, agent: AgentId) => Effect.Effect<AgentId | undefined>
  /** Workspaces with commitments above a cap. */
  readonly overCommitted: (limit: number) => Effect.Effect<ReadonlyArray<{ readonly org_id: OrgId }>>
  /** Corrects them; call it under the workspace's lock. Returns the number that is as large as its cap again. */
  readonly correct: (org: OrgId, at: Date, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/families/FamiliesRepository") {
  static readonly layer = Layer.effect(
    FamiliesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return FamiliesRepository.of({
        room: (org, agent) =>
          // As in commit_limit: a commitment outlives the month, so it takes no part of an increase for one month.
          sql<Room>`select min(least(
              cap_now(x, m.month) - used_now(x, m.month, 0) - held_now(x, m.month, 0) - x.committed,
              x.cap - x.once_cents - x.committed
            )) as available,
            coalesce(a.approval_threshold_cents, o.approval_threshold_cents) as threshold
          from agents a
          join orgs o on o.id = a.org_id
          join org_heads h on h.org_id = a.org_id
          cross join lateral (select month_of(greatest(hub_time_or_last(), h.last_at)) as month) m
          left join limits x on x.org_id = a.org_id and x.kind = 2 and x.mode in ('live', 'test') and x.agent_id = a.id
            and x.service is null and x.operation is null
          where a.org_id = ${org} and a.id = ${agent}
          group by a.id, a.approval_threshold_cents, o.approval_threshold_cents`.pipe(
            Effect.flatMap(([row]) => row === undefined ? Effect.die(`no agent ${agent}`) : Effect.succeed(row)),
            Effect.orDie
          ),
        adopt: (org, child, parent, ttlSeconds) =>
          sql`update agents c set parent_agent_id = p.id, depth = p.depth + 1, owner_user_id = p.owner_user_id,
            team_id = p.team_id, approval_threshold_cents = p.approval_threshold_cents,
            ends_at = h.last_at + ${ttlSeconds ?? null}::int * interval '1 second'
          from agents p join org_heads h on h.org_id = p.org_id
          where p.org_id = ${org} and p.id = ${parent} and c.org_id = ${org} and c.id = ${child}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        copyGrants: (org, clone, source, by, at) =>
          sql`insert into workflow_grants (workflow_id, agent_id, org_id, granted_by, created_at)
          select g.workflow_id, ${clone}, g.org_id, ${by}, ${at} from workflow_grants g
          where g.org_id = ${org} and g.agent_id = ${source} returning 1`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          ),
        copyThreshold: (org, clone, source) =>
          sql`update agents c set approval_threshold_cents = s.approval_threshold_cents from agents s
          where s.org_id = ${org} and s.id = ${source} and c.org_id = ${org} and c.id = ${clone}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        commit: (org, child, parent, at) =>
          sql<{ fits: boolean }>`select commit_limit(${org}, c.id, p.id, ${at}) as fits
          from limits c
          join limits p on p.org_id = c.org_id and p.kind = c.kind and p.mode = c.mode and p.agent_id = ${parent}
          where c.org_id = ${org} and c.kind = 2 and c.mode in ('live', 'test') and c.agent_id = ${child}`.pipe(
            Effect.map((rows) => rows.length === 2 && rows.every(({ fits }) => fits)),
            Effect.orDie
          ),
        ending: (limit) =>
          sql<EndingAgent>`select a.org_id, a.id from agents a join org_heads h on h.org_id = a.org_id
          where ${sql.literal(isEnding)}
          order by a.ends_at limit ${limit}`.pipe(Effect.orDie),
        lastOf: (org, agent) =>
          sql<{ id: AgentId }>`with recursive below as (
            select a.id, a.depth from agents a join org_heads h on h.org_id = a.org_id
              where a.org_id = ${org} and a.id = ${agent} and a.deleted_at is null
                and a.ends_at <= greatest(hub_time_or_last(), h.last_at)
            union all select a.id, a.depth from agents a join below b
              on a.org_id = ${org} and a.parent_agent_id = b.id and a.deleted_at is null)
          select id from below order by depth desc, id limit 1`.pipe(
            Effect.map(([row]) => row?.id),
            Effect.orDie
          ),
        overCommitted: (limit) =>
          sql<{ org_id: OrgId }>`select distinct org_id from commitments where is_over limit ${limit}`.pipe(
            Effect.orDie
          ),
        correct: (org, at, limit) =>
          sql<{ org_id: OrgId }>`select commit_limit(${org}, c.child_limit, c.parent_limit, ${at})
          from (select c.child_limit, c.parent_limit from commitments c join limits x on x.id = c.child_limit
            where c.org_id = ${org} and c.is_over and commitment_of(x, month_of(${at})) < c.cents
            order by c.child_limit limit ${limit}) c`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          )
      })
    })
  )
}

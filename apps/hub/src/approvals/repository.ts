/** The approvals table. */
import { recentDecisionsMax } from "@countersign/domain/approvals"
import type { Role, TeamMembership } from "@countersign/domain/auth"
import {
  type AgentId,
  type ApprovalId,
  idFloor,
  idSlackMillis,
  newId,
  type OrgId,
  type ServiceRequestId
} from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnIn, WorkspaceRoles } from "../auth/own.ts"
import { teamsOf } from "../auth/team-roles-repository.ts"
import { unmetRuleOf } from "../auth/unmet-rule-repository.ts"
import type { Actor } from "../platform/audit-log.ts"
import {
  approvalColumns,
  type ApprovalRow,
  approvalTables,
  type Person,
  type StoredApproval,
  toApproval
} from "./approval-rows.ts"
import { within } from "./list-repository.ts"

/** Counts at most this many recent approvals of an agent and operation. */
const recentApprovalsMax = 10_000

export interface PendingCount {
  readonly org_id: OrgId
  readonly pending: number
  readonly next_expires_at: Date
}

export interface RecentCounts {
  readonly count_30d: number
  readonly approved: number
  readonly rejected: number
  readonly median_cents: number | null
  /** Over all time, for exactly the same action. */
  readonly same_action_approved: number
}

export interface PastDecision {
  readonly id: string
  readonly status: "approved" | "rejected"
  readonly cost_cents: number
  readonly same_action: boolean
  readonly decided_at: Date
  readonly by_id: string | null
  readonly by_name: string | null
  readonly by_email: string | null
}

export interface Vote {
  readonly user: Person
  /** The person's current role; none: the person has left the workspace. */
  readonly role: Role | undefined
  readonly teams: ReadonlyArray<TeamMembership>
  readonly decision: "approve" | "reject"
  readonly comment: string | null
  readonly at: Date
}

export interface Member extends Person {
  readonly role: Role
  readonly teams: ReadonlyArray<TeamMembership>
}

/** A decision that ends an approval without granting it. */
export interface Closing {
  readonly status: "rejected" | "cancelled" | "expired"
  readonly reason: "approval_rejected" | "approval_cancelled" | "approval_expired"
  readonly by?: string
  readonly comment?: string
  readonly replacedBy?: string
}

export class ApprovalsRepository extends Context.Service<ApprovalsRepository, {
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<StoredApproval>>
  /**
   * The number of pending approvals in each of these workspaces, in `ownIn` for the person's own agents; workspaces
   * without any are left out.
   */
  readonly pendingCounts: (
    orgs: ReadonlyArray<OrgId>,
    ownIn: OwnIn
  ) => Effect.Effect<ReadonlyArray<PendingCount>>
  readonly votes: (org: OrgId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Vote>>>
  readonly members: (org: OrgId) => Effect.Effect<ReadonlyArray<Member>>
  readonly orgSettings: (
    org: OrgId
  ) => Effect.Effect<{ readonly separation_of_duties: boolean; readonly step_up_cents: number | null }>
  /** The workspaces of a person, with the role in each. */
  readonly memberships: (user: string) => Effect.Effect<ReadonlyArray<WorkspaceRoles>>
  readonly previous: (
    approval: StoredApproval
  ) => Effect.Effect<
    Option.Option<{ readonly approval_id: ApprovalId; readonly payload: string; readonly decided_at: Date }>
  >
  readonly recent: (approval: StoredApproval) => Effect.Effect<RecentCounts>
  /** The last decisions on the same agent, operation, and mode, newest first. */
  readonly lastDecisions: (approval: StoredApproval) => Effect.Effect<ReadonlyArray<PastDecision>>
  /** Records a vote that leaves the approval pending. Call it under the workspace's lock. */
  readonly addVote: (
    org: OrgId,
    id: string,
    user: string,
    comment: string | undefined,
    at: Date
  ) => Effect.Effect<void>
  /** False when it is no longer pending. */
  readonly close: (org: OrgId, id: string, closing: Closing, actor: Actor) => Effect.Effect<boolean>
  readonly pendingOfAgent: (
    org: OrgId,
    agent: AgentId
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly request_id: ServiceRequestId }>>
}>()("@countersign/hub/approvals/ApprovalsRepository") {
  static readonly layer = Layer.effect(
    ApprovalsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const select = sql.literal(`select ${approvalColumns} from ${approvalTables}`)
      const alike = (approval: StoredApproval) =>
        approval.kind === "device_command"
          ? sql`a.device_id = ${approval.device.id} and a.operation = ${approval.operation}`
          : approval.kind === "workflow_step"
          ? sql`a.org_id = ${approval.org_id} and a.agent_id = ${approval.agent.id} and a.mode = ${approval.mode}
          and a.kind = 'workflow_step'`
          : sql`a.org_id = ${approval.org_id} and a.agent_id = ${approval.agent.id} and a.service = ${approval.service}
          and a.operation = ${approval.operation} and a.mode = ${approval.mode} and a.kind = 'service_request'`
      /** Decided before this one was; for a pending one, all decided approvals. */
      const before = (approval: StoredApproval) =>
        approval.decided_at === null
          ? sql`a.id <> ${approval.id}`
          // The bound on the id keeps the scan from reading all requests made since.
          : sql`a.id <> ${approval.id} and a.decided_at < ${approval.decided_at}
          and a.id < ${idFloor("apr", approval.decided_at.getTime() + idSlackMillis)}`
      return ApprovalsRepository.of({
        find: (org, id) =>
          sql<ApprovalRow>`${select} where a.org_id = ${org} and a.id = ${id}`.pipe(
            Effect.map((rows) => Option.fromNullishOr(rows.map(toApproval)[0])),
            Effect.orDie
          ),
        pendingCounts: (orgs, ownIn) =>
          sql<
            PendingCount
          >`select a.org_id, count(*)::int as pending, min(a.expires_at) as next_expires_at from approvals a
          left join agents g on g.id = a.agent_id
          left join devices d on d.id = a.device_id
          where ${
            within(sql, orgs, ownIn)
          } and a.status = 'pending' and a.expires_at > hub_time_or_last() group by a.org_id`.pipe(
            Effect.orDie
          ),
        votes: (org, ids) =>
          sql<
            {
              approval_id: ApprovalId
              decision: "approve" | "reject"
              comment: string | null
              created_at: Date
              id: string
              name: string
              email: string
              role: Role | null
              teams: ReadonlyArray<TeamMembership>
            }
          >`select d.approval_id,
            d.decision, d.comment, d.created_at, u.id, u.name, u.email, m.role,
            ${teamsOf(sql, sql`m.org_id`, sql`m.user_id`)} as teams
          from approval_decisions d
          join users u on u.id = d.user_id
          left join memberships m on m.org_id = d.org_id and m.user_id = d.user_id
          where d.org_id = ${org} and d.approval_id = any(${ids}::text[])
          order by d.created_at, u.id`
            .pipe(
              Effect.map((rows) => {
                const votes = new Map<string, Array<Vote>>()
                for (const row of rows) {
                  const of = votes.get(row.approval_id) ?? []
                  of.push({
                    user: { id: row.id, name: row.name, email: row.email },
                    role: row.role ?? undefined,
                    teams: row.teams,
                    decision: row.decision,
                    comment: row.comment,
                    at: row.created_at
                  })
                  votes.set(row.approval_id, of)
                }
                return votes
              }),
              Effect.orDie
            ),
        members: (org) =>
          sql<Member>`select u.id, u.name, u.email, m.role, ${
            teamsOf(sql, sql`m.org_id`, sql`m.user_id`)
          } as teams from memberships m
          join users u on u.id = m.user_id
          where m.org_id = ${org}
          order by u.id limit 500`.pipe(Effect.orDie),
        orgSettings: (org) =>
          sql<
            { separation_of_duties: boolean; step_up_cents: number | null }
          >`select separation_of_duties, step_up_cents from orgs
          where id = ${org}`.pipe(
            Effect.map(([row]) => row ?? { separation_of_duties: false, step_up_cents: null }),
            Effect.orDie
          ),
        memberships: (user) =>
          sql<WorkspaceRoles>`select m.org_id, m.role, ${
            teamsOf(sql, sql`m.org_id`, sql`m.user_id`)
          } as teams from memberships m where m.user_id = ${user}
            and ${unmetRuleOf(sql, sql`m.org_id`, sql`m.user_id`)} is distinct from 'all'`.pipe(Effect.orDie),
        previous: (approval) =>
          sql<{ approval_id: ApprovalId; payload: string; decided_at: Date }>`select a.id as approval_id,
            coalesce(r.payload, a.plan) as payload, a.decided_at
          from approvals a
          left join requests r on r.org_id = a.org_id and r.id = a.request_id
          where ${alike(approval)} and a.status = 'approved' and ${before(approval)}
            and coalesce(r.payload, a.plan) <> ${removedText}
          order by a.id desc limit 1`.pipe(
            Effect.map((rows) => Option.fromNullishOr(rows[0])),
            Effect.orDie
          ),
        recent: (approval) =>
          sql<RecentCounts>`select (count(*) filter (where late))::int as count_30d, (count(*) filter (where late
                and status = 'approved'))::int as approved,
            (count(*) filter (where late
              and status = 'rejected'))::int as rejected,
              (percentile_disc(0.5) within group (order by cost_cents) filter (where late))::bigint as median_cents,
            (count(*) filter (where status = 'approved'
              and payload_digest = ${approval.payload_digest}))::int as same_action_approved
          from (select status, cost_cents, payload_digest, requested_at > hub_time_or_last() - interval '30 days' as late
            from approvals a
            where ${alike(approval)} and a.id <> ${approval.id} order by a.id desc limit ${recentApprovalsMax}) a`.pipe(
            Effect.map(([row]) =>
              row ?? { count_30d: 0, approved: 0, rejected: 0, median_cents: null, same_action_approved: 0 }
            ),
            Effect.orDie
          ),
        lastDecisions: (approval) =>
          sql<
            PastDecision
          >`select a.id, a.status, a.cost_cents, a.payload_digest = ${approval.payload_digest} as same_action,
            a.decided_at, u.id as by_id, u.name as by_name, u.email as by_email
          from (select * from approvals a
            where ${alike(approval)} and ${before(approval)} and a.status in ('approved', 'rejected')
            order by a.id desc limit ${recentDecisionsMax}) a
          left join users u on u.id = a.decided_by order by a.id desc`.pipe(Effect.orDie),
        addVote: (org, id, user, comment, at) =>
          sql`insert into approval_decisions (org_id, approval_id, user_id, decision, comment, created_at)
          values (${org}, ${id}, ${user}, 'approve', ${comment ?? null}::text, ${at})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        close: (org, id, closing, actor) =>
          sql<{ ok: boolean }>`select close_approval(${org}, ${id}, ${closing.status}, ${closing.reason}, ${
            closing.by ?? null
          },
              ${closing.comment ?? null}, ${closing.replacedBy ?? null},
          ${newId("aud")}, ${newId("aud")}, ${actor.type}, ${actor.id}, ${actor.name}, ${actor.ip ?? null},
          ${actor.via === undefined ? null : JSON.stringify(actor.via)}::text) as ok`.pipe(
            Effect.map(([row]) => row?.ok === true),
            Effect.orDie
          ),
        pendingOfAgent: (org, agent) =>
          sql<{ id: string; request_id: ServiceRequestId }>`select id, request_id from approvals
          where org_id = ${org} and agent_id = ${agent} and status = 'pending' and kind = 'service_request'
          order by id`.pipe(Effect.orDie)
      })
    })
  )
}

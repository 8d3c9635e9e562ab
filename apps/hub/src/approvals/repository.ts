/** Approvals as they are stored. */
import { type ApprovalSort, type ApprovalStatus, recentDecisionsMax } from "@countersign/domain/approvals"
import type { Mode, Role } from "@countersign/domain/auth"
import { idFloor, idSlackMillis, newId } from "@countersign/domain/ids"
import type { Deciders } from "@countersign/domain/policies"
import { removedText } from "@countersign/domain/retention"
import type { RequestStatus } from "@countersign/domain/service-requests"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Actor } from "../audit/service.ts"
import { type KeyColumn, keysetOf, type Place, type Sorted } from "../platform/keyset.ts"

/** Of an agent and operation, the last so many approvals are counted over at most. */
const recentApprovalsMax = 10_000

export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
}

interface Facts {
  readonly id: string
  readonly org_id: string
  readonly status: ApprovalStatus
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly cost_cents: number
  readonly threshold_cents: number
  readonly reason: string
  readonly policy_id: string | null
  readonly payload_digest: string
  readonly required_approvals: number
  readonly filed_by: string | null
  readonly requested_at: Date
  readonly expires_at: Date
  readonly decided_at: Date | null
  readonly comment: string | null
  readonly replaced_by: string | null
  /** Of the agent that asked. */
  readonly agent_owner: string | null
  /** A member sees what is theirs: of their own agents and devices. */
  readonly owner: string | null
  /** JSON text; of a device's command its plan. */
  readonly payload: string
  readonly overdue: boolean
}

interface Row extends Facts {
  readonly kind: "service_request" | "device_command"
  readonly request_id: string | null
  readonly agent_id: string | null
  readonly agent_name: string | null
  readonly command_id: string | null
  readonly command_reason: string | null
  readonly asker_type: string | null
  readonly asker_id: string | null
  readonly asker_name: string | null
  readonly device_id: string | null
  readonly device_name: string | null
  readonly deciders: string | null
  /** Of the request: its settlement, or else whether it has a hold. */
  readonly settled_as: RequestStatus | null
  readonly settled_because: string | null
  readonly is_held: boolean
  readonly by_id: string | null
  readonly by_name: string | null
  readonly by_email: string | null
}

interface Kept extends Facts {
  readonly deciders: Deciders | undefined
  readonly decided_by: Person | undefined
}

export interface RequestApproval extends Kept {
  readonly kind: "service_request"
  readonly request_id: string
  readonly agent: { readonly id: string; readonly name: string }
  /** Once it is approved. */
  readonly outcome: { readonly status: RequestStatus; readonly reason_code?: string } | undefined
}

export interface CommandApproval extends Kept {
  readonly kind: "device_command"
  readonly command_id: string
  readonly device: { readonly id: string; readonly name: string }
  /** Who wants it, and why. */
  readonly asker: { readonly type: string; readonly id: string; readonly name: string }
  readonly command_reason: string | null
  readonly agent: { readonly id: string; readonly name: string } | undefined
}

export type StoredApproval = RequestApproval | CommandApproval

export interface Waiting {
  readonly org_id: string
  readonly pending: number
  readonly next_expires_at: Date
}

export interface RecentCounts {
  readonly count_30d: number
  readonly approved: number
  readonly rejected: number
  readonly median_cents: number | null
  /** Ever, of the very same action. */
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
  /** The person's role now; none: the person has left the workspace. */
  readonly role: Role | undefined
  readonly decision: "approve" | "reject"
  readonly comment: string | null
  readonly at: Date
}

export interface Member extends Person {
  readonly role: Role
}

/** What waits is read oldest first, anything else newest first. */
export const isWaitingList = (statuses: ReadonlyArray<ApprovalStatus>): boolean =>
  statuses.every((status) => status === "pending")

/** The type of the values that a sort orders by. Ids are in the order of the requests. */
export const approvalSortTypes = { requested_at: "text", cost_cents: "integer", expires_at: "time" } as const

/** A decision that ends an approval without a grant. */
export interface Closing {
  readonly status: "rejected" | "cancelled" | "expired"
  readonly reason: "approval_rejected" | "approval_cancelled" | "approval_expired"
  readonly by?: string
  readonly comment?: string
  readonly replacedBy?: string
}

export class ApprovalsRepository extends Context.Service<ApprovalsRepository, {
  readonly find: (org: string, id: string) => Effect.Effect<Option.Option<StoredApproval>>
  /** Of whole workspaces, and in `ownIn` of the person's own agents. */
  readonly list: (orgs: ReadonlyArray<string>, filter: {
    readonly ownIn: { readonly orgs: ReadonlyArray<string>; readonly user: string }
    readonly statuses: ReadonlyArray<ApprovalStatus>
    readonly kind: string | undefined
    readonly agent_id: string | undefined
    readonly service: string | undefined
    readonly operation: string | undefined
    readonly min_cents: number | undefined
    readonly max_cents: number | undefined
    readonly min_age_seconds: number | undefined
    readonly max_age_seconds: number | undefined
    readonly sort: ApprovalSort
    readonly after: Place | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<StoredApproval & Sorted>>
  /**
   * How much waits in each of these workspaces, in `ownIn` for the person's own agents; those where nothing does are left out.
   */
  readonly waiting: (
    orgs: ReadonlyArray<string>,
    ownIn: { readonly orgs: ReadonlyArray<string>; readonly user: string }
  ) => Effect.Effect<ReadonlyArray<Waiting>>
  readonly votes: (org: string, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Vote>>>
  readonly members: (org: string) => Effect.Effect<ReadonlyArray<Member>>
  readonly orgSettings: (
    org: string
  ) => Effect.Effect<{ readonly separation_of_duties: boolean; readonly step_up_cents: number | null }>
  /** Workspaces of a person, with the role in each. */
  readonly memberships: (user: string) => Effect.Effect<ReadonlyArray<{ readonly org_id: string; readonly role: Role }>>
  readonly previous: (
    approval: StoredApproval
  ) => Effect.Effect<
    Option.Option<{ readonly approval_id: string; readonly payload: string; readonly decided_at: Date }>
  >
  readonly recent: (approval: StoredApproval) => Effect.Effect<RecentCounts>
  /** The last decisions on the same agent, operation and mode, newest first. */
  readonly lastDecisions: (approval: StoredApproval) => Effect.Effect<ReadonlyArray<PastDecision>>
  /** Records a vote that leaves the approval pending. Call it under the workspace's lock. */
  readonly addVote: (
    org: string,
    id: string,
    user: string,
    comment: string | undefined,
    at: Date
  ) => Effect.Effect<void>
  /** False when it is not pending any more. */
  readonly close: (org: string, id: string, closing: Closing, actor: Actor) => Effect.Effect<boolean>
  readonly pendingOfAgent: (
    org: string,
    agent: string
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly request_id: string }>>
}>()("@countersign/hub/approvals/ApprovalsRepository") {
  static readonly layer = Layer.effect(
    ApprovalsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        `select a.id, a.org_id, a.request_id, a.agent_id, a.kind, a.status, a.mode, a.service, a.operation,
        a.cost_cents, a.threshold_cents, a.reason, a.policy_id, a.payload_digest, a.required_approvals, a.deciders, a.filed_by,
        a.requested_at, a.expires_at, a.decided_at, a.comment, a.replaced_by, a.command_id, a.device_id,
        g.name as agent_name, g.owner_user_id as agent_owner, coalesce(d.owner_user_id, g.owner_user_id) as owner,
        coalesce(r.payload, a.plan) as payload, d.name as device_name, c.reason as command_reason,
        c.requested_by_type as asker_type, c.requested_by_id as asker_id, c.requested_by_name as asker_name,
        a.status = 'pending' and a.expires_at <= hub_time_or_last() as overdue,
        s.status as settled_as, s.reason_code as settled_because, h.request_id is not null as is_held,
        u.id as by_id, u.name as by_name, u.email as by_email`
      )
      const tables = sql.literal(`from approvals a
      left join agents g on g.id = a.agent_id
      left join requests r on r.org_id = a.org_id and r.id = a.request_id
      left join settlements s on s.org_id = a.org_id and s.request_id = a.request_id and a.status = 'approved'
      left join holds h on h.request_id = a.request_id and a.status = 'approved'
      left join device_commands c on c.id = a.command_id
      left join devices d on d.id = a.device_id
      left join users u on u.id = a.decided_by`)
      const select = sql`${columns} ${tables}`
      const sortColumns: Readonly<Record<keyof typeof approvalSortTypes, KeyColumn>> = {
        requested_at: { type: "text", column: sql`a.id` },
        cost_cents: { type: "integer", column: sql`a.cost_cents` },
        expires_at: { type: "time", column: sql`a.expires_at` }
      }
      const within = (
        orgs: ReadonlyArray<string>,
        ownIn: { readonly orgs: ReadonlyArray<string>; readonly user: string }
      ) =>
        ownIn.orgs.length === 0
          ? sql`a.org_id = any(${orgs}::text[])`
          : sql`a.org_id = any(${[...orgs, ...ownIn.orgs]}::text[])
          and (a.org_id = any(${orgs}::text[]) or coalesce(d.owner_user_id, g.owner_user_id) = ${ownIn.user})`
      const alike = (approval: StoredApproval) =>
        approval.kind === "device_command"
          ? sql`a.device_id = ${approval.device.id} and a.operation = ${approval.operation}`
          : sql`a.org_id = ${approval.org_id} and a.agent_id = ${approval.agent.id} and a.service = ${approval.service}
          and a.operation = ${approval.operation} and a.mode = ${approval.mode} and a.kind = 'service_request'`
      /** Decided before this one was; of a pending one, everything that is decided. */
      const before = (approval: StoredApproval) =>
        approval.decided_at === null
          ? sql`a.id <> ${approval.id}`
          // The bound of the id keeps the walk from all that was requested since.
          : sql`a.id <> ${approval.id} and a.decided_at < ${approval.decided_at}
          and a.id < ${idFloor("apr", approval.decided_at.getTime() + idSlackMillis)}`
      const ago = (seconds: number) => sql`hub_time_or_last() - ${seconds}::float8 * interval '1 second'`
      return ApprovalsRepository.of({
        find: (org, id) =>
          sql<Row>`${select} where a.org_id = ${org} and a.id = ${id}`.pipe(
            Effect.map((rows) => Option.fromNullishOr(rows.map(toApproval)[0])),
            Effect.orDie
          ),
        list: (orgs, filter) => {
          const conditions: Array<Statement.Fragment> = [
            within(orgs, filter.ownIn),
            sql`a.status = any(${filter.statuses}::text[])`
          ]
          const keyset = keysetOf(
            sql,
            filter.sort,
            sortColumns[filter.sort.replace("-", "") as keyof typeof approvalSortTypes],
            sql`a.id`
          )
          if (filter.kind !== undefined) conditions.push(sql`a.kind = ${filter.kind}`)
          if (filter.agent_id !== undefined) conditions.push(sql`a.agent_id = ${filter.agent_id}`)
          if (filter.service !== undefined) conditions.push(sql`a.service = ${filter.service}`)
          if (filter.operation !== undefined) conditions.push(sql`a.operation = ${filter.operation}`)
          if (filter.min_cents !== undefined) conditions.push(sql`a.cost_cents >= ${BigInt(filter.min_cents)}::bigint`)
          if (filter.max_cents !== undefined) conditions.push(sql`a.cost_cents <= ${BigInt(filter.max_cents)}::bigint`)
          if (filter.min_age_seconds !== undefined) {
            conditions.push(sql`a.requested_at <= ${ago(filter.min_age_seconds)}`)
          }
          if (filter.max_age_seconds !== undefined) {
            conditions.push(sql`a.requested_at >= ${ago(filter.max_age_seconds)}`)
          }
          if (filter.after !== undefined) conditions.push(keyset.after(filter.after))
          return sql<Row & Sorted>`${columns}, ${keyset.key} as sort_key ${tables}
          where ${sql.and(conditions)}
          ${keyset.order} limit ${filter.limit + 1}`.pipe(
            Effect.map((rows) => rows.map(({ sort_key, ...row }) => ({ ...toApproval(row), sort_key }))),
            Effect.orDie
          )
        },
        waiting: (orgs, ownIn) =>
          sql<Waiting>`select a.org_id, count(*)::int as pending, min(a.expires_at) as next_expires_at from approvals a
          left join agents g on g.id = a.agent_id
          left join devices d on d.id = a.device_id
          where ${within(orgs, ownIn)} and a.status = 'pending' and a.expires_at > hub_time_or_last() group by a.org_id`
            .pipe(
              Effect.orDie
            ),
        votes: (org, ids) =>
          sql<
            {
              approval_id: string
              decision: "approve" | "reject"
              comment: string | null
              created_at: Date
              id: string
              name: string
              email: string
              role: Role | null
            }
          >`select d.approval_id,
            d.decision, d.comment, d.created_at, u.id, u.name, u.email, m.role
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
          sql<Member>`select u.id, u.name, u.email, m.role from memberships m
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
          sql<{ org_id: string; role: Role }>`select org_id, role from memberships where user_id = ${user}`.pipe(
            Effect.orDie
          ),
        previous: (approval) =>
          sql<{ approval_id: string; payload: string; decided_at: Date }>`select a.id as approval_id,
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
          ${newId("aud")}, ${newId("aud")}, ${actor.type}, ${actor.id}, ${actor.name}, ${actor.ip ?? null}) as ok`.pipe(
            Effect.map(([row]) => row?.ok === true),
            Effect.orDie
          ),
        pendingOfAgent: (org, agent) =>
          sql<{ id: string; request_id: string }>`select id, request_id from approvals
          where org_id = ${org} and agent_id = ${agent} and status = 'pending' and kind = 'service_request'
          order by id`.pipe(Effect.orDie)
      })
    })
  )
}

const toApproval = (row: Row): StoredApproval => {
  const {
    agent_id,
    agent_name,
    asker_id,
    asker_name,
    asker_type,
    by_email,
    by_id,
    by_name,
    command_id,
    command_reason,
    deciders,
    device_id,
    device_name,
    is_held,
    kind: _,
    request_id,
    settled_as,
    settled_because,
    ...facts
  } = row
  const kept: Kept = {
    ...facts,
    deciders: deciders === null ? undefined : JSON.parse(deciders) as Deciders,
    decided_by: by_id === null ? undefined : { id: by_id, name: by_name ?? "", email: by_email ?? "" }
  }
  const agent = agent_id === null ? undefined : { id: agent_id, name: agent_name ?? "" }
  const status = settled_as ?? (is_held ? "running" as const : undefined)
  const outcome = facts.status !== "approved" || status === undefined
    ? undefined
    : { status, ...(settled_because === null ? {} : { reason_code: settled_because }) }
  return command_id === null
    ? { ...kept, kind: "service_request", request_id: request_id ?? "", agent: agent ?? { id: "", name: "" }, outcome }
    : {
      ...kept,
      kind: "device_command",
      command_id,
      command_reason,
      agent,
      device: { id: device_id ?? "", name: device_name ?? "" },
      asker: { type: asker_type ?? "", id: asker_id ?? "", name: asker_name ?? "" }
    }
}

/** Approvals as they are stored. */
import type { Deciders } from "@countersign/domain/policies"
import type { Mode, Role } from "@countersign/domain/auth"
import { type ApprovalStatus, recentDecisionsMax } from "@countersign/domain/approvals"
import { newId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Actor } from "../audit/service.ts"

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

export interface Voice {
  readonly user: Person
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
    readonly after: string | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<StoredApproval>>
  /**
   * How much waits in each of these workspaces, in `ownIn` for the person's own agents; those where nothing does are left out.
   */
  readonly waiting: (
    orgs: ReadonlyArray<string>,
    ownIn: { readonly orgs: ReadonlyArray<string>; readonly user: string }
  ) => Effect.Effect<ReadonlyArray<Waiting>>
  readonly voices: (org: string, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Voice>>>
  readonly members: (org: string) => Effect.Effect<ReadonlyArray<Member>>
  readonly orgSettings: (
    org: string
  ) => Effect.Effect<{ readonly separation_of_duties: boolean; readonly step_up_cents: number | null }>
  /** Workspaces of a person, with the role in each. */
  readonly memberships: (user: string) => Effect.Effect<ReadonlyArray<{ readonly org_id: string; readonly role: Role }>>
  readonly previous: (
    approval: StoredApproval
  ) => Effect.Effect<Option.Option<{ readonly approval_id: string; readonly payload: string; readonly decided_at: Date }>>
  readonly recent: (approval: StoredApproval) => Effect.Effect<RecentCounts>
  /** The last decisions on the same agent, operation and mode, newest first. */
  readonly lastDecisions: (approval: StoredApproval) => Effect.Effect<ReadonlyArray<PastDecision>>
  /** One voice that is not the last wanted, or the word that it would be the last. Race: under the workspace's lock. */
  readonly addVoice: (
    org: string,
    id: string,
    user: string,
    comment: string | undefined
  ) => Effect.Effect<"added" | "last" | "repeated" | "not_pending">
  /** False when it is not pending any more. */
  readonly close: (org: string, id: string, closing: Closing, actor: Actor) => Effect.Effect<boolean>
  readonly pendingOfAgent: (
    org: string,
    agent: string
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly request_id: string }>>
}>()("@countersign/hub/approvals/ApprovalsRepository") {
  static readonly layer = Layer.effect(ApprovalsRepository, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const select = sql.literal(`select a.id, a.org_id, a.request_id, a.agent_id, a.kind, a.status, a.mode, a.service, a.operation,
        a.cost_cents, a.threshold_cents, a.reason, a.policy_id, a.payload_digest, a.required_approvals, a.deciders, a.filed_by,
        a.requested_at, a.expires_at, a.decided_at, a.comment, a.replaced_by, a.command_id, a.device_id,
        g.name as agent_name, g.owner_user_id as agent_owner, coalesce(d.owner_user_id, g.owner_user_id) as owner,
        coalesce(r.payload, a.plan) as payload, d.name as device_name, c.reason as command_reason,
        c.requested_by_type as asker_type, c.requested_by_id as asker_id, c.requested_by_name as asker_name,
        a.status = 'pending' and a.expires_at <= clock_timestamp() as overdue,
        u.id as by_id, u.name as by_name, u.email as by_email
      from approvals a
      left join agents g on g.id = a.agent_id
      left join requests r on r.org_id = a.org_id and r.id = a.request_id
      left join device_commands c on c.id = a.command_id
      left join devices d on d.id = a.device_id
      left join users u on u.id = a.decided_by`)
    const within = (orgs: ReadonlyArray<string>, ownIn: { readonly orgs: ReadonlyArray<string>; readonly user: string }) =>
      ownIn.orgs.length === 0
        ? sql`a.org_id = any(${orgs}::text[])`
        : sql`a.org_id = any(${[...orgs, ...ownIn.orgs]}::text[])
          and (a.org_id = any(${orgs}::text[]) or coalesce(d.owner_user_id, g.owner_user_id) = ${ownIn.user})`
    const alike = (approval: StoredApproval) =>
      approval.kind === "device_command"
        ? sql`a.device_id = ${approval.device.id} and a.operation = ${approval.operation}`
        : sql`a.org_id = ${approval.org_id} and a.agent_id = ${approval.agent.id} and a.service = ${approval.service}
          and a.operation = ${approval.operation} and a.mode = ${approval.mode} and a.kind = 'service_request'`
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
        const oldestFirst = isWaitingList(filter.statuses)
        if (filter.kind !== undefined) conditions.push(sql`a.kind = ${filter.kind}`)
        if (filter.agent_id !== undefined) conditions.push(sql`a.agent_id = ${filter.agent_id}`)
        if (filter.service !== undefined) conditions.push(sql`a.service = ${filter.service}`)
        if (filter.operation !== undefined) conditions.push(sql`a.operation = ${filter.operation}`)
        if (filter.after !== undefined) conditions.push(oldestFirst ? sql`a.id > ${filter.after}` : sql`a.id < ${filter.after}`)
        return sql<Row>`${select}
          where ${sql.and(conditions)}
          order by a.id ${oldestFirst ? sql`asc` : sql`desc`} limit ${filter.limit + 1}`.pipe(
          Effect.map((rows) => rows.map(toApproval)),
          Effect.orDie
        )
      },
      waiting: (orgs, ownIn) =>
        sql<Waiting>`select a.org_id, count(*)::int as pending, min(a.expires_at) as next_expires_at from approvals a
          left join agents g on g.id = a.agent_id
          left join devices d on d.id = a.device_id
          where ${within(orgs, ownIn)} and a.status = 'pending' and a.expires_at > clock_timestamp() group by a.org_id`.pipe(
          Effect.orDie
        ),
      voices: (org, ids) =>
        sql<
          {
            approval_id: string
            decision: "approve" | "reject"
            comment: string | null
            created_at: Date
            id: string
            name: string
            email: string
          }
        >`select d.approval_id,
            d.decision, d.comment, d.created_at, u.id, u.name, u.email
          from approval_decisions d
          join users u on u.id = d.user_id
          where d.org_id = ${org} and d.approval_id = any(${ids}::text[])
          order by d.created_at, u.id`
          .pipe(
            Effect.map((rows) => {
              const voices = new Map<string, Array<Voice>>()
              for (const row of rows) {
                const of = voices.get(row.approval_id) ?? []
                of.push({
                  user: { id: row.id, name: row.name, email: row.email },
                  decision: row.decision,
                  comment: row.comment,
                  at: row.created_at
                })
                voices.set(row.approval_id, of)
              }
              return voices
            }),
            Effect.orDie
          ),
      members: (org) =>
        sql<Member>`select u.id, u.name, u.email, m.role from memberships m
          join users u on u.id = m.user_id
          where m.org_id = ${org}
          order by u.id limit 500`.pipe(Effect.orDie),
      orgSettings: (org) =>
        sql<{ separation_of_duties: boolean; step_up_cents: number | null }>`select separation_of_duties, step_up_cents from orgs
          where id = ${org}`.pipe(
          Effect.map(([row]) => row ?? { separation_of_duties: false, step_up_cents: null }),
          Effect.orDie
        ),
      memberships: (user) =>
        sql<{ org_id: string; role: Role }>`select org_id, role from memberships where user_id = ${user}`.pipe(Effect.orDie),
      previous: (approval) =>
        sql<{ approval_id: string; payload: string; decided_at: Date }>`select a.id as approval_id,
            coalesce(r.payload, a.plan) as payload, a.decided_at
          from approvals a
          left join requests r on r.org_id = a.org_id and r.id = a.request_id
          where ${alike(approval)} and a.status = 'approved' and a.id < ${approval.id}
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
          from (select status, cost_cents, payload_digest, requested_at > clock_timestamp() - interval '30 days' as late
            from approvals a
            where ${alike(approval)} and a.id <> ${approval.id} order by a.id desc limit ${recentApprovalsMax}) a`.pipe(
          Effect.map(([row]) => row ?? { count_30d: 0, approved: 0, rejected: 0, median_cents: null, same_action_approved: 0 }),
          Effect.orDie
        ),
      lastDecisions: (approval) =>
        sql<PastDecision>`select a.id, a.status, a.cost_cents, a.payload_digest = ${approval.payload_digest} as same_action,
            a.decided_at, u.id as by_id, u.name as by_name, u.email as by_email
          from (select * from approvals a
            where ${alike(approval)} and a.id < ${approval.id} and a.status in ('approved', 'rejected')
            order by a.id desc limit ${recentDecisionsMax}) a
          left join users u on u.id = a.decided_by order by a.id desc`.pipe(Effect.orDie),
      addVoice: (org, id, user, comment) =>
        sql<{ voice: "added" | "last" | "repeated" | "not_pending" }>`select add_voice(${org}, ${id}, ${user},
          ${comment ?? null}) as voice`.pipe(
          Effect.map(([row]) => row?.voice ?? "not_pending"), Effect.orDie),
      close: (org, id, closing, actor) =>
        sql<{ ok: boolean }>`select close_approval(${org}, ${id}, ${closing.status}, ${closing.reason}, ${closing.by ?? null},
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
  }))
}

const toApproval = (row: Row): StoredApproval => {
  const {
    agent_id, agent_name, asker_id, asker_name, asker_type, by_email, by_id, by_name, command_id, command_reason, deciders, device_id,
    device_name, kind: _, request_id, ...facts
  } = row
  const kept: Kept = {
    ...facts,
    deciders: deciders === null ? undefined : JSON.parse(deciders) as Deciders,
    decided_by: by_id === null ? undefined : { id: by_id, name: by_name ?? "", email: by_email ?? "" }
  }
  const agent = agent_id === null ? undefined : { id: agent_id, name: agent_name ?? "" }
  return command_id === null
    ? { ...kept, kind: "service_request", request_id: request_id ?? "", agent: agent ?? { id: "", name: "" } }
    : {
      ...kept, kind: "device_command", command_id, command_reason, agent,
      device: { id: device_id ?? "", name: device_name ?? "" },
      asker: { type: asker_type ?? "", id: asker_id ?? "", name: asker_name ?? "" }
    }
}

/** Pending approvals that a new standing approval has still to decide. */
import type { UserPrincipal } from "@countersign/domain/auth"
import type { ApprovalId, OrgId, ServiceRequestId, StandingApprovalId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"

/** A hub that took an item has this long to decide it; then any hub may take it. */
const leaseSeconds = 30

export interface BacklogItem {
  readonly org_id: OrgId
  readonly standing_id: StandingApprovalId
  readonly approval_id: ApprovalId
  readonly request_id: ServiceRequestId
  readonly cost_cents: number
  /** Limits of the standing approval: total amount and number of uses. */
  readonly limits: readonly [total: number, uses: number]
  readonly expires_at: Date
  readonly user: UserPrincipal
}

interface Row extends Omit<BacklogItem, "limits" | "user"> {
  readonly total_limit: number
  readonly uses_limit: number
  readonly decider: string
}

const toItem = ({ decider, total_limit, uses_limit, ...row }: Row): BacklogItem => ({
  ...row,
  limits: [total_limit, uses_limit],
  // The rights are read again before each decision.
  user: { ...JSON.parse(decider) as UserPrincipal, permissions: new Set() }
})

export class BacklogRepository extends Context.Service<BacklogRepository, {
  /** Call it in the transaction that creates the standing approval. */
  readonly add: (
    org: OrgId,
    standing: string,
    approvals: ReadonlyArray<string>,
    user: UserPrincipal
  ) => Effect.Effect<void>
  /** Items of one standing approval, oldest approval first. */
  readonly of: (org: OrgId, standing: string) => Effect.Effect<ReadonlyArray<BacklogItem>>
  /** Takes items of all workspaces that no hub has decided in time, oldest approval first. */
  readonly takeDue: (limit: number) => Effect.Effect<ReadonlyArray<BacklogItem>>
  readonly remove: (item: Pick<BacklogItem, "org_id" | "standing_id" | "approval_id">) => Effect.Effect<void>
  /** Counts a try that failed for an unknown reason; returns the number of tries, 0 when the item is gone. */
  readonly failed: (item: Pick<BacklogItem, "org_id" | "standing_id" | "approval_id">) => Effect.Effect<number>
}>()("@countersign/hub/standing-approvals/BacklogRepository") {
  static readonly layer = Layer.effect(
    BacklogRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const due = sql`hub_time_or_last() + ${leaseSeconds} * interval '1 second'`
      const columns = sql.literal(
        `b.org_id, b.standing_approval_id as standing_id, b.approval_id, b.decider, a.request_id, a.cost_cents,
      s.total_limit, s.uses_limit, s.expires_at`
      )
      return BacklogRepository.of({
        add: (org, standing, approvals, user) =>
          approvals.length === 0
            ? Effect.void
            : sql`insert into standing_backlog (org_id, standing_approval_id, approval_id, decider, due_at)
            select ${org}, ${standing}, a, ${JSON.stringify({ ...user, permissions: [] })}, ${due}
              from unnest(${textArray([...approvals])}::text[]) a`.pipe(Effect.asVoid, Effect.orDie),
        of: (org, standing) =>
          sql<Row>`select ${columns} from standing_backlog b
          join approvals a on a.org_id = b.org_id and a.id = b.approval_id
          join standing_approvals s on s.org_id = b.org_id and s.id = b.standing_approval_id
          where b.org_id = ${org} and b.standing_approval_id = ${standing} order by b.approval_id`.pipe(
            Effect.map((rows) => rows.map(toItem)),
            Effect.orDie
          ),
        takeDue: (limit) =>
          sql<Row>`with b as (update standing_backlog q set due_at = ${due}
            from (select org_id, standing_approval_id, approval_id from standing_backlog
              where due_at <= hub_time_or_last() order by due_at limit ${limit} for update skip locked) t
            where q.org_id = t.org_id and q.standing_approval_id = t.standing_approval_id and q.approval_id = t.approval_id
            returning q.*)
          select ${columns} from b
          join approvals a on a.org_id = b.org_id and a.id = b.approval_id
          join standing_approvals s on s.org_id = b.org_id and s.id = b.standing_approval_id
          order by b.approval_id`.pipe(Effect.map((rows) => rows.map(toItem)), Effect.orDie),
        remove: ({ approval_id, org_id, standing_id }) =>
          sql`delete from standing_backlog
          where org_id = ${org_id} and standing_approval_id = ${standing_id} and approval_id = ${approval_id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        failed: ({ approval_id, org_id, standing_id }) =>
          sql<{ tries: number }>`update standing_backlog set tries = tries + 1
          where org_id = ${org_id} and standing_approval_id = ${standing_id} and approval_id = ${approval_id} returning tries`
            .pipe(
              Effect.map(([row]) => row?.tries ?? 0),
              Effect.orDie
            )
      })
    })
  )
}
